"""What the last exercises are applied to: models of MiniLM's names and wiring, very small."""

import torch
from torch import Tensor

from transformer_lab.grading.checks.full_model_weights import linear_weights, norm_weights
from transformer_lab.grading.exercise import Draw, Inputs

Weights = dict[str, Tensor]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give sizes that all differ, and any others."""
    sizes = ((2, 4, 5, 48, 6, 12), (3, 7, 2, 64, 4, 100), (5, 6, 9, 512, 8, 37_000))
    batch, source, target, heads, width, words = draw.ids(6, low=2, high=100).tolist()
    return [*map(Inputs, sizes), Inputs((batch, source, target, heads * width, heads, words))]


def rename_values(draw: Draw) -> list[Inputs]:
    """Give models of one and of two layers, and one whose last number has two digits."""
    sizes = ((2, 3, 1), (3, 5, 2), (1, 2, 11))
    return [Inputs((bert_weights(draw, *size),)) for size in sizes]


def rename_pooler(draw: Draw) -> list[Inputs]:
    """Give models with a part that we have not."""
    sizes = ((2, 3, 1), (3, 5, 2), (2, 4, 2))
    cases = []
    for d, f, layers in sizes:
        pooler = linear_weights(draw, "pooler.dense", d, d, torch.float32)
        cases.append(Inputs((bert_weights(draw, d, f, layers) | pooler,)))
    return cases


def sentence_values(draw: Draw) -> list[Inputs]:
    """Give sentences of equal length."""
    return [
        _sentences(draw, *size) for size in (([2], 4, 1, 1), ([4, 4], 4, 2, 2), ([3, 3], 6, 3, 1))
    ]


def sentence_padding(draw: Draw) -> list[Inputs]:
    """Give sentences of unequal length."""
    sizes = (([2, 4], 4, 2, 1), ([3, 5, 1], 4, 2, 2), ([4, 2], 6, 2, 1), ([1, 3], 6, 3, 1))
    return [_sentences(draw, *size) for size in sizes]


def bert_weights(draw: Draw, d: int, f: int, layers: int) -> Weights:
    """Draw the weights of an encoder, under BERT's names."""
    weights = {
        "embeddings.word_embeddings.weight": draw.normal(7, d),
        "embeddings.position_embeddings.weight": draw.normal(6, d),
        "embeddings.token_type_embeddings.weight": draw.normal(2, d),
    } | norm_weights(draw, "embeddings.LayerNorm", d, torch.float32)
    for number in range(layers):
        for name, inputs, outputs in (
            ("attention.self.query", d, d),
            ("attention.self.key", d, d),
            ("attention.self.value", d, d),
            ("attention.output.dense", d, d),
            ("intermediate.dense", d, f),
            ("output.dense", f, d),
        ):
            name = f"encoder.layer.{number}.{name}"
            weights |= linear_weights(draw, name, inputs, outputs, torch.float32)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= norm_weights(draw, f"encoder.layer.{number}.{name}", d, torch.float32)
    return weights


def _sentences(draw: Draw, lengths: list[int], d: int, heads: int, layers: int) -> Inputs:
    """Draw a model and sentences, padded with 0."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)
    ids = draw.ids(*real.shape, low=1, high=7).masked_fill(~real, 0)
    return Inputs((bert_weights(draw, d, 5, layers), ids, real, heads, layers))

"""The last exercises: every shape, foreign weights, and a sentence's vector from a real model."""

import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.checks import full_model_real_inputs as inputs
from transformer_lab.grading.checks.full_model_given import layer_norm, part
from transformer_lab.grading.checks.full_model_layers import encoder
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.full_model_names import RENAME_MISTAKES
from transformer_lab.grading.misconceptions.full_model_sentence import SENTENCE_MISTAKES
from transformer_lab.grading.misconceptions.full_model_shapes import SHAPES_MISTAKES

NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer.": "encoder.layers.",
    "attention.self.": "attention.",
    "attention.output.LayerNorm": "around_attention.norm",
    "attention.output.dense": "attention.out",
    "intermediate.dense": "feed_forward.widen",
    "output.dense": "feed_forward.narrow",
    "output.LayerNorm": "around_feed_forward.norm",
    "attention.out.": "attention.output.",
}


def shapes(B: int, S: int, T: int, D: int, H: int, V: int) -> tuple[tuple[int, ...], ...]:
    """Give the shapes of an encoder-decoder at work."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


def rename_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Replace pieces of the names, in an order in which none is mistaken for another."""
    renamed = {}
    for name, weight in weights.items():
        for theirs, ours in NAMES.items():
            name = name.replace(theirs, ours)
        if not name.startswith("pooler."):
            renamed[name] = weight
    return renamed


def sentence_embedding(
    weights: dict[str, Tensor], ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    """Embed, encode, take the mean, cut it to length 1."""
    weights = rename_weights(weights)
    table = part(weights, "embeddings")
    x = table["tokens.weight"][ids] + table["positions.weight"][: ids.size(-1)]
    x = layer_norm(x + table["segments.weight"][0], part(table, "norm"))
    x = encoder(x, part(weights, "encoder"), heads, layers, real.unsqueeze(-2))
    counted = real.unsqueeze(-1)
    return F.normalize((x * counted).sum(dim=-2) / counted.sum(dim=-2), dim=-1)


SHAPES = Exercise(
    id="full_model-shapes",
    function="shapes",
    arguments=("B", "S", "T", "D", "H", "V"),
    results={
        "shape of the memory": "",
        "shape of the cross-attention's weights": "",
        "shape of the logits": "",
        "shape of the table of tokens": "",
        "shape of the keys in the cache": "",
    },
    reference=shapes,
    properties=(
        Property(
            "full_model-shapes-values",
            3,
            "All five shapes are right, whatever the sizes.",
            inputs.shapes_values,
        ),
    ),
    mistakes=SHAPES_MISTAKES,
)

RENAME = Exercise(
    id="full_model-rename",
    function="rename_weights",
    arguments=("weights",),
    results={"weights": ""},
    reference=rename_weights,
    properties=(
        Property(
            "full_model-rename-values",
            2,
            "Every weight has our name, and is the same tensor.",
            inputs.rename_values,
        ),
        Property(
            "full_model-rename-pooler",
            1,
            "What we have no use for is left out.",
            inputs.rename_pooler,
        ),
    ),
    mistakes=RENAME_MISTAKES,
)

SENTENCE = Exercise(
    id="full_model-sentence",
    function="sentence_embedding",
    arguments=("weights", "ids", "real", "heads", "layers"),
    results={"vectors": "sentences, features"},
    reference=sentence_embedding,
    properties=(
        Property(
            "full_model-sentence-values",
            3,
            "A sentence's vector is the mean of what the encoder made of its tokens, of length 1.",
            inputs.sentence_values,
        ),
        Property(
            "full_model-sentence-padding",
            2,
            "Padding changes nothing.",
            inputs.sentence_padding,
        ),
    ),
    mistakes=SENTENCE_MISTAKES,
)

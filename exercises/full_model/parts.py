"""What several exercises on the full model share."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw

from .given import attention, feed_forward, layer_norm, part

LOW, HIGH = 30, 60  # between these lie the ids of padding, start and mask: words below and above
Weights = dict[str, Tensor]
IGNORED = -100


def real_tokens(lengths: list[int]) -> Tensor:
    """Return which places hold a token when texts of these lengths are padded at the end."""
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)


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


def encoder_layer_weights(
    draw: Draw, d: int, f: int, dtype: torch.dtype = torch.float32
) -> Weights:
    """Draw the weights of an encoder layer, under our names."""
    return (
        attention_weights(draw, "attention", d, dtype)
        | linear_weights(draw, "feed_forward.widen", d, f, dtype)
        | linear_weights(draw, "feed_forward.narrow", f, d, dtype)
        | norm_weights(draw, "around_attention.norm", d, dtype)
        | norm_weights(draw, "around_feed_forward.norm", d, dtype)
    )


def stack_weights(
    draw: Draw, d: int, f: int, layers: int, dtype: torch.dtype = torch.float32
) -> Weights:
    """Draw the weights of several encoder layers."""
    return {
        f"layers.{number}.{name}": weight
        for number in range(layers)
        for name, weight in encoder_layer_weights(draw, d, f, dtype).items()
    }


def attention_weights(draw: Draw, name: str, d: int, dtype: torch.dtype) -> Weights:
    """Draw the four matrices of attention."""
    weights: Weights = {}
    for matrix in ("query", "key", "value", "output"):
        weights |= linear_weights(draw, f"{name}.{matrix}", d, d, dtype)
    for matrix in ("value", "output"):
        weights[f"{name}.{matrix}.weight"] *= 2
    return weights


def linear_weights(draw: Draw, name: str, inputs: int, outputs: int, dtype: torch.dtype) -> Weights:
    """Draw a matrix and a bias."""
    weight = draw.normal(outputs, inputs, dtype=dtype) / 2
    return {f"{name}.weight": weight, f"{name}.bias": draw.normal(outputs, dtype=dtype)}


def norm_weights(draw: Draw, name: str, d: int, dtype: torch.dtype) -> Weights:
    """Draw a norm's γ and β."""
    gamma, beta = draw.normal(d, dtype=dtype) + 0.55, draw.normal(d, dtype=dtype) - 0.35
    return {f"{name}.weight": gamma, f"{name}.bias": beta}


def talk(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Apply the layer's attention."""
    return attention(x, x, part(weights, "attention"), heads, mask)


def think(x: Tensor, weights: Weights) -> Tensor:
    """Apply the layer's feed-forward network."""
    return feed_forward(x, part(weights, "feed_forward"))


def ask(x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Apply the layer's cross-attention."""
    return attention(x, memory, part(weights, "cross_attention"), heads, mask)


def norm(x: Tensor, weights: Weights, sublayer: str) -> Tensor:
    """Apply the norm around one sublayer."""
    return layer_norm(x, part(weights, f"around_{sublayer}.norm"))

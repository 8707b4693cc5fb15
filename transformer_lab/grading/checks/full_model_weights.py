"""Random weights of layers, under our names: small, so that no softmax is sure of itself.

Only what attention hands on is large, so that what it has read shows in the result.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw

Weights = dict[str, Tensor]


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

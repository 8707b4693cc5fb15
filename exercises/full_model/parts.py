"""What several exercises on the full model share."""

from typing import Any

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw

from .given import rename_weights

HIDDEN = 5  # the width of the models' feed-forward networks
Weights = dict[str, Tensor]
#: The sizes with which a module is made, and its weights by their names.
Model = dict[str, Any]


def real_tokens(lengths: list[int]) -> Tensor:
    """Return which places hold a token when texts of these lengths are padded at the end."""
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)


def bert(draw: Draw, d: int, heads: int, layers: int) -> Model:
    """Draw an encoder of BERT's kind."""
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
            ("intermediate.dense", d, HIDDEN),
            ("output.dense", HIDDEN, d),
        ):
            name = f"encoder.layer.{number}.{name}"
            weights |= linear_weights(draw, name, inputs, outputs, torch.float32)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= norm_weights(draw, f"encoder.layer.{number}.{name}", d, torch.float32)
    return {"sizes": (7, 6, d, HIDDEN, heads, layers), "weights": rename_weights(weights)}


def stack(draw: Draw, d: int, heads: int, layers: int, dtype: torch.dtype = torch.float32) -> Model:
    """Draw several encoder layers."""
    weights = {
        f"layers.{number}.{name}": weight
        for number in range(layers)
        for name, weight in encoder_layer_weights(draw, d, HIDDEN, dtype).items()
    }
    return {"sizes": (d, HIDDEN, heads, layers), "weights": weights}


def encoder_layer_weights(
    draw: Draw, d: int, f: int, dtype: torch.dtype = torch.float32
) -> Weights:
    """Draw the weights of an encoder layer."""
    return (
        attention_weights(draw, "attention.", d, dtype)
        | linear_weights(draw, "feed_forward.up", d, f, dtype)
        | linear_weights(draw, "feed_forward.down", f, d, dtype)
        | norm_weights(draw, "attention_norm", d, dtype)
        | norm_weights(draw, "feed_forward_norm", d, dtype)
    )


def attention_weights(draw: Draw, name: str, d: int, dtype: torch.dtype) -> Weights:
    """Draw the four matrices of attention."""
    weights: Weights = {}
    for matrix in ("query", "key", "value", "output"):
        weights |= linear_weights(draw, f"{name}{matrix}", d, d, dtype)
    for matrix in ("value", "output"):
        weights[f"{name}{matrix}.weight"] *= 2
    return weights


def linear_weights(draw: Draw, name: str, inputs: int, outputs: int, dtype: torch.dtype) -> Weights:
    """Draw a matrix and a bias."""
    weight = draw.normal(outputs, inputs, dtype=dtype) / 2
    return {f"{name}.weight": weight, f"{name}.bias": draw.normal(outputs, dtype=dtype)}


def norm_weights(draw: Draw, name: str, d: int, dtype: torch.dtype) -> Weights:
    """Draw a norm's γ and β."""
    gamma, beta = draw.normal(d, dtype=dtype) + 0.55, draw.normal(d, dtype=dtype) - 0.35
    return {f"{name}.weight": gamma, f"{name}.bias": beta}


def holding(module: nn.Module, model: dict) -> nn.Module:
    """Replace a module's weights by drawn ones, so that gradients flow back to these."""
    inside = dict(module.named_modules())
    for name, weight in model["weights"].items():
        if not weight.requires_grad:
            weight = nn.Parameter(weight, requires_grad=False)
        place, _, last = name.rpartition(".")
        inside[place]._parameters[last] = weight
    return module

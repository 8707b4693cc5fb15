"""The exercises on layers, stacks, and a decoder that sees what it should not."""

import torch
from torch import Tensor

from transformer_lab.grading.checks import full_model_inputs as inputs
from transformer_lab.grading.checks.full_model_given import (
    attention,
    feed_forward,
    layer_norm,
    part,
)
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.full_model_decoder import (
    DECODER_LAYER_MISTAKES,
    LEAK_MISTAKES,
)
from transformer_lab.grading.misconceptions.full_model_encoder import (
    ENCODER_LAYER_MISTAKES,
    ENCODER_MISTAKES,
)

Weights = dict[str, Tensor]


def encoder_layer(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Talk, then think, in post-norm."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def encoder(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    """Chain the layers."""
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


def decoder_layer(
    x: Tensor,
    memory: Tensor,
    weights: Weights,
    heads: int,
    mask: Tensor | None,
    memory_mask: Tensor | None,
) -> Tensor:
    """Talk, ask the memory, then think."""
    found = attention(x, x, part(weights, "attention"), heads, mask)
    x = layer_norm(x + found, part(weights, "around_attention.norm"))
    heard = attention(x, memory, part(weights, "cross_attention"), heads, memory_mask)
    x = layer_norm(x + heard, part(weights, "around_cross_attention.norm"))
    thought = feed_forward(x, part(weights, "feed_forward"))
    return layer_norm(x + thought, part(weights, "around_feed_forward.norm"))


def decoder(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    """Hide the future, and padding."""
    T = x.size(-2)
    past = torch.ones(T, T, dtype=torch.bool).tril()
    return encoder(x, weights, heads, layers, past & real.unsqueeze(-2))


ENCODER_LAYER = Exercise(
    id="full_model-encoder-layer",
    function="encoder_layer",
    arguments=("x", "weights", "heads", "mask"),
    results={"stream": "tokens, features"},
    reference=encoder_layer,
    properties=(
        Property(
            "full_model-encoder-layer-values",
            2,
            "Attention, add, normalise; feed-forward network, add, normalise.",
            inputs.encoder_layer_values,
        ),
        Property(
            "full_model-encoder-layer-masked",
            1,
            "What the mask hides is not read.",
            inputs.encoder_layer_masked,
        ),
    ),
    mistakes=ENCODER_LAYER_MISTAKES,
)

ENCODER = Exercise(
    id="full_model-encoder",
    function="encoder",
    arguments=("x", "weights", "heads", "layers", "mask"),
    results={"memory": "tokens, features"},
    reference=encoder,
    properties=(
        Property(
            "full_model-encoder-values",
            1,
            "Each layer reads what the one before it made, with weights of its own.",
            inputs.encoder_values,
        ),
        Property(
            "full_model-encoder-masked",
            1,
            "The mask holds in every layer.",
            inputs.encoder_masked,
        ),
    ),
    mistakes=ENCODER_MISTAKES,
)

DECODER_LAYER = Exercise(
    id="full_model-decoder-layer",
    function="decoder_layer",
    arguments=("x", "memory", "weights", "heads", "mask", "memory_mask"),
    results={"stream": "tokens, features"},
    reference=decoder_layer,
    properties=(
        Property(
            "full_model-decoder-layer-values",
            2,
            "Three sublayers: self-attention, cross-attention, feed-forward network.",
            inputs.decoder_layer_values,
        ),
        Property(
            "full_model-decoder-layer-masked",
            1,
            "Each attention keeps to its own mask.",
            inputs.decoder_layer_masked,
        ),
    ),
    mistakes=DECODER_LAYER_MISTAKES,
)

LEAK = Exercise(
    id="full_model-mend-leak",
    function="decoder",
    arguments=("x", "weights", "heads", "layers", "real"),
    results={"stream": "tokens, features"},
    reference=decoder,
    properties=(
        Property(
            "full_model-mend-leak-values",
            2,
            "A token reads itself and what came before it, and no padding.",
            inputs.leak_values,
        ),
    ),
    mistakes=LEAK_MISTAKES,
)

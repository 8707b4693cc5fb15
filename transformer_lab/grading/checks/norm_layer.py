"""The exercises on what stands around a norm: wiring, feed-forward network, counting."""

import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.checks import norm_inputs as inputs
from transformer_lab.grading.checks.norm_given import sublayer
from transformer_lab.grading.checks.norm_norms import GENERAL, NORMS
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.norm_counting import COUNT_MISTAKES, SHAPES_MISTAKES
from transformer_lab.grading.misconceptions.norm_network import NETWORK_MISTAKES, SWIGLU_MISTAKES
from transformer_lab.grading.misconceptions.norm_wiring import (
    POST_MISTAKES,
    PRE_MISTAKES,
    WHOLE_MISTAKES,
)
from transformer_lab.norm import layer_norm


def post_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Add, then normalise."""
    return layer_norm(x + sublayer(x, weight), gamma, beta, eps)


def pre_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Normalise what the sublayer reads."""
    return x + sublayer(layer_norm(x, gamma, beta, eps), weight)


def whole_layer(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    """Chain two post-norm sublayers."""
    middle = post_norm(x, first, gammas[0], betas[0], eps)
    return post_norm(middle, second, gammas[1], betas[1], eps)


def feed_forward(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    """Widen, bend, narrow."""
    return F.relu(x @ w1 + b1) @ w2 + b2


def swiglu(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    """Let through what the gate lets through."""
    return (F.silu(x @ gate) * (x @ widen)) @ narrow


def count_parameters(d_model: int, heads: int, d_ff: int) -> int:
    """Count an encoder layer: attention, network, two norms."""
    attention = 4 * (d_model**2 + d_model)
    return attention + 2 * d_model * d_ff + d_ff + d_model + 2 * 2 * d_model


def shapes(B: int, T: int, D: int, F: int) -> tuple[tuple[int, ...], ...]:
    """Give the shapes of a norm's and a network's tensors."""
    return (B, T, 1), (D,), (D, F), (B, T, F), (B, T, D)


POST = Exercise(
    id="norm-post",
    function="post_norm",
    arguments=("x", "weight", "gamma", "beta", "eps"),
    results={"stream": "tokens, features"},
    reference=post_norm,
    properties=(
        Property(
            "norm-post-values",
            2,
            "The result is the norm of x plus what the sublayer makes of x.",
            inputs.wiring_values,
        ),
        Property(
            "norm-post-silent",
            1,
            "With a silent sublayer it is the norm of x.",
            inputs.wiring_silent,
        ),
        Property("norm-post-general", 1, GENERAL, inputs.wiring_general),
    ),
    probes=inputs.no_probes,
    forbidden=NORMS,
    mistakes=POST_MISTAKES,
)

PRE = Exercise(
    id="norm-pre",
    function="pre_norm",
    arguments=("x", "weight", "gamma", "beta", "eps"),
    results={"stream": "tokens, features"},
    reference=pre_norm,
    properties=(
        Property(
            "norm-pre-values",
            2,
            "The result is x plus what the sublayer makes of the normalised x.",
            inputs.wiring_values,
        ),
        Property("norm-pre-silent", 1, "With a silent sublayer it is x.", inputs.wiring_silent),
        Property("norm-pre-general", 1, GENERAL, inputs.wiring_general),
    ),
    probes=inputs.no_probes,
    forbidden=NORMS,
    mistakes=PRE_MISTAKES,
)

NETWORK = Exercise(
    id="norm-feed-forward",
    function="feed_forward",
    arguments=("x", "w1", "b1", "w2", "b2"),
    results={"output": "tokens, features"},
    reference=feed_forward,
    properties=(
        Property(
            "norm-feed-forward-values",
            2,
            "Each token is widened, bent by ReLU and narrowed.",
            inputs.network_values,
        ),
        Property("norm-feed-forward-general", 1, GENERAL, inputs.network_general),
    ),
    probes=inputs.no_probes,
    mistakes=NETWORK_MISTAKES,
)

SWIGLU = Exercise(
    id="norm-swiglu",
    function="swiglu",
    arguments=("x", "gate", "widen", "narrow"),
    results={"output": "tokens, features"},
    reference=swiglu,
    properties=(
        Property(
            "norm-swiglu-values",
            2,
            "swish of one branch lets the other through, and the third matrix narrows.",
            inputs.swiglu_values,
        ),
        Property("norm-swiglu-general", 1, GENERAL, inputs.swiglu_general),
    ),
    probes=inputs.no_probes,
    mistakes=SWIGLU_MISTAKES,
)

WHOLE = Exercise(
    id="norm-mend-layer",
    function="whole_layer",
    arguments=("x", "first", "second", "gammas", "betas", "eps"),
    results={"stream": "tokens, features"},
    reference=whole_layer,
    properties=(
        Property(
            "norm-mend-layer-values",
            2,
            "Sublayer, add, normalise: twice, and the second reads what the first has made.",
            inputs.whole_values,
        ),
    ),
    probes=inputs.no_probes,
    forbidden=NORMS,
    mistakes=WHOLE_MISTAKES,
)

COUNT = Exercise(
    id="norm-count",
    function="count_parameters",
    arguments=("d_model", "heads", "d_ff"),
    results={"number of parameters": ""},
    reference=count_parameters,
    properties=(
        Property(
            "norm-count-values", 3, "The number is right, for any sizes.", inputs.count_values
        ),
    ),
    probes=inputs.no_probes,
    mistakes=COUNT_MISTAKES,
)

SHAPES = Exercise(
    id="norm-shapes",
    function="shapes",
    arguments=("B", "T", "D", "F"),
    results={
        "shape of the mean": "",
        "shape of γ": "",
        "shape of the first matrix": "",
        "shape of the hidden vectors": "",
        "shape of the output": "",
    },
    reference=shapes,
    properties=(
        Property(
            "norm-shapes-values",
            2,
            "All five shapes are right, for any sizes.",
            inputs.shapes_values,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=SHAPES_MISTAKES,
)

"""The exercises on positions that change the scores: references, properties, points."""

import torch
from torch import Tensor

from transformer_lab.grading.checks import positional_encoding_inputs as inputs
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.positional_encoding_alibi import ALIBI_MISTAKES
from transformer_lab.grading.misconceptions.positional_encoding_bugs import SHAPES_MISTAKES
from transformer_lab.grading.misconceptions.positional_encoding_rotary import (
    HALVES_MISTAKES,
    PAIRS_MISTAKES,
)
from transformer_lab.positional_encoding import alibi_slopes, rotate_halves, rotate_pairs

GENERAL = "It takes any axes in front (batch, heads), and keeps the dtype it is given."
UNTOUCHED = "It leaves the caller's tensors as they were."


def alibi_bias(heads: int, T: int, S: int) -> Tensor:
    """Take each head's slope times the distance off, and hide the future."""
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return (alibi_slopes(heads)[:, None, None] * -back).masked_fill(back < 0, -torch.inf)


def shapes(B: int, T: int, D: int, H: int) -> tuple[tuple[int, ...], ...]:
    """Give the shapes of what carries positions."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


PAIRS = Exercise(
    id="positional_encoding-rotary",
    function="rotate_pairs",
    arguments=("x", "radians"),
    results={"turned vectors": "tokens, features"},
    reference=rotate_pairs,
    properties=(
        Property(
            "positional_encoding-rotary-values",
            2,
            "Features 2i and 2i + 1 are turned together, by angle i of their token.",
            inputs.turn_values,
        ),
        Property(
            "positional_encoding-rotary-general",
            1,
            GENERAL,
            inputs.turn_general,
        ),
        Property(
            "positional_encoding-rotary-untouched",
            1,
            UNTOUCHED,
            inputs.turn_values,
            unchanged=True,
        ),
    ),
    probes=inputs.turn_probes,
    mistakes=PAIRS_MISTAKES,
)

HALVES = Exercise(
    id="positional_encoding-rotary-halves",
    function="rotate_halves",
    arguments=("x", "radians"),
    results={"turned vectors": "tokens, features"},
    reference=rotate_halves,
    properties=(
        Property(
            "positional_encoding-rotary-halves-values",
            2,
            "Features i and i + K / 2 are turned together, by angle i of their token.",
            inputs.turn_values,
        ),
        Property(
            "positional_encoding-rotary-halves-general",
            1,
            GENERAL,
            inputs.turn_general,
        ),
    ),
    probes=inputs.turn_probes,
    mistakes=HALVES_MISTAKES,
)

ALIBI = Exercise(
    id="positional_encoding-alibi",
    function="alibi_bias",
    arguments=("heads", "T", "S"),
    results={"bias": "queries, keys"},
    reference=alibi_bias,
    properties=(
        Property(
            "positional_encoding-alibi-values",
            3,
            "Each key costs slope times distance, and a later key minus infinity.",
            inputs.alibi_values,
        ),
        Property(
            "positional_encoding-alibi-general",
            1,
            "With fewer queries than keys, the queries are the last tokens.",
            inputs.alibi_general,
        ),
    ),
    probes=inputs.alibi_probes,
    mistakes=ALIBI_MISTAKES,
)

SHAPES = Exercise(
    id="positional_encoding-shapes",
    function="shapes",
    arguments=("B", "T", "D", "H"),
    results={
        "shape of the encoding": "",
        "shape of the sum": "",
        "shape of the angles": "",
        "shape of the turned queries": "",
        "shape of the bias": "",
    },
    reference=shapes,
    properties=(
        Property(
            "positional_encoding-shapes-values",
            3,
            "All five shapes are right, for any sizes.",
            inputs.shapes_values,
        ),
    ),
    probes=inputs.no_probes,
    mistakes=SHAPES_MISTAKES,
)

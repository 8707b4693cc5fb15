"""The second half of the masking exercises: masks as numbers, weights under a mask, shapes."""

import torch
from torch import Tensor

from transformer_lab import masking
from transformer_lab.grading.checks import masking_inputs as inputs
from transformer_lab.grading.checks.attention import UNTOUCHED
from transformer_lab.grading.checks.attention_head import WHOLE
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.masking_additive import ADDITIVE_MISTAKES
from transformer_lab.grading.misconceptions.masking_cross import SHAPES_MISTAKES
from transformer_lab.grading.misconceptions.masking_mend import (
    CAUSAL_MEND_MISTAKES,
    PADDED_MEND_MISTAKES,
)
from transformer_lab.grading.misconceptions.masking_softmax import SOFTMAX_MISTAKES


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Share out what may be seen; nothing to see gives nothing."""
    lowest = torch.finfo(scores.dtype).min
    return torch.where(mask, scores, lowest).softmax(dim=-1) * mask


def causal_weights(scores: Tensor) -> Tensor:
    """Weigh what is not in the future."""
    return masked_softmax(scores, masking.causal_mask(scores.size(-1)))


def padded_weights(scores: Tensor, real: Tensor) -> Tensor:
    """Weigh what is no padding."""
    return masked_softmax(scores, masking.padding_mask(real))


def shapes(B: int, H: int, T: int, S: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (B, H, T, S), (T, T), (B, 1, S), (B, T, T)


ADDITIVE = Exercise(
    id="masking-additive",
    function="to_additive",
    arguments=("mask", "dtype"),
    results={"additive mask": "queries, keys"},
    reference=masking.to_additive,
    properties=(
        Property(
            "masking-additive-values",
            1,
            "0 where one may attend, minus infinity where one may not.",
            inputs.additive_values,
        ),
        Property(
            "masking-additive-dtype",
            1,
            "The numbers have the dtype that is asked for.",
            inputs.additive_dtypes,
        ),
    ),
    mistakes=ADDITIVE_MISTAKES,
)

MASKED_SOFTMAX = Exercise(
    id="masking-softmax",
    function="masked_softmax",
    arguments=("scores", "mask"),
    results={"weights": "queries, keys"},
    reference=masked_softmax,
    properties=(
        Property(
            "masking-softmax-values",
            2,
            "What is hidden has weight 0, and each row that sees something sums to one.",
            inputs.softmax_values,
        ),
        Property(
            "masking-softmax-nothing",
            1,
            "A row that sees nothing has weights of zero.",
            inputs.softmax_nothing,
        ),
        Property(
            "masking-softmax-general",
            1,
            "It takes batches, masks that broadcast, large scores, and every precision, half too.",
            inputs.softmax_general,
        ),
        Property("masking-softmax-untouched", 1, UNTOUCHED, inputs.softmax_values, unchanged=True),
    ),
    probes=inputs.softmax_probes,
    forbidden=WHOLE,
    mistakes=SOFTMAX_MISTAKES,
)

MEND_CAUSAL = Exercise(
    id="masking-mend-causal",
    function="causal_weights",
    arguments=("scores",),
    results={"weights": "queries, keys"},
    reference=causal_weights,
    properties=(
        Property(
            "masking-mend-causal-values",
            2,
            "Each token shares its weight among itself and what came before.",
            inputs.mend_causal,
        ),
    ),
    forbidden=WHOLE,
    mistakes=CAUSAL_MEND_MISTAKES,
)

MEND_PADDED = Exercise(
    id="masking-mend-padded",
    function="padded_weights",
    arguments=("scores", "real"),
    results={"weights": "queries, keys"},
    reference=padded_weights,
    properties=(
        Property(
            "masking-mend-padded-values",
            2,
            "No weight goes to padding, and each row sums to one.",
            inputs.mend_padded,
        ),
    ),
    forbidden=WHOLE,
    mistakes=PADDED_MEND_MISTAKES,
)

SHAPES = Exercise(
    id="masking-shapes",
    function="shapes",
    arguments=("B", "H", "T", "S"),
    results={"scores": "", "causal mask": "", "padding mask": "", "combined mask": ""},
    reference=shapes,
    properties=(
        Property(
            "masking-shapes-values",
            2,
            "The four shapes are right, whatever the sizes.",
            inputs.shapes_values,
        ),
    ),
    mistakes=SHAPES_MISTAKES,
)

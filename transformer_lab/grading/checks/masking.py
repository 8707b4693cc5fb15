"""The exercises of the masking chapter: references, properties and their points."""

import torch
from torch import Tensor

from transformer_lab import masking
from transformer_lab.grading.checks import masking_inputs as inputs
from transformer_lab.grading.checks.masking_weights import (
    ADDITIVE,
    MASKED_SOFTMAX,
    MEND_CAUSAL,
    MEND_PADDED,
    SHAPES,
)
from transformer_lab.grading.exercise import IMPORTS, Chapter, Exercise, Property
from transformer_lab.grading.misconceptions.masking_cross import CROSS_MISTAKES
from transformer_lab.grading.misconceptions.masking_padding import (
    COMBINED_MISTAKES,
    PADDING_MISTAKES,
    REAL_MISTAKES,
)
from transformer_lab.grading.misconceptions.masking_triangles import (
    CAUSAL_MISTAKES,
    WINDOW_MISTAKES,
)


def causal_mask(length: int, past: int = 0) -> Tensor:
    """Let each token see itself and what came before."""
    return masking.causal_mask(length, past=past)


def sliding_window(length: int, window: int) -> Tensor:
    """Let each token see the last few, itself among them."""
    return masking.sliding_window_mask(length, window=window)


def real_tokens(lengths: Tensor, size: int) -> Tensor:
    """Mark the places that hold a token."""
    return torch.arange(size) < lengths[:, None]


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """Hide padding from every query."""
    return masking.padding_mask(ids != pad)


def combined_mask(ids: Tensor, pad: int) -> Tensor:
    """Hide the future and the padding."""
    return masking.causal_mask(ids.size(-1)) & masking.padding_mask(ids != pad)


CAUSAL = Exercise(
    id="masking-causal",
    function="causal_mask",
    arguments=("length", "past"),
    results={"mask": "queries, keys"},
    reference=causal_mask,
    properties=(
        Property(
            "masking-causal-values",
            2,
            "Each token may attend to itself and to what came before, and the mask is boolean.",
            inputs.causal_values,
        ),
        Property(
            "masking-causal-past",
            1,
            "With tokens already read, the rows are the new ones and the columns are all.",
            inputs.causal_past,
        ),
    ),
    mistakes=CAUSAL_MISTAKES,
)

WINDOW = Exercise(
    id="masking-window",
    function="sliding_window",
    arguments=("length", "window"),
    results={"mask": "queries, keys"},
    reference=sliding_window,
    properties=(
        Property(
            "masking-window-values",
            2,
            "Each token may attend to the last `window` tokens, itself among them.",
            inputs.window_values,
        ),
    ),
    mistakes=WINDOW_MISTAKES,
)

REAL = Exercise(
    id="masking-real",
    function="real_tokens",
    arguments=("lengths", "size"),
    results={"result": "sentences, positions"},
    reference=real_tokens,
    properties=(
        Property(
            "masking-real-values",
            2,
            "In each row the first places are True, as many as the sentence has tokens.",
            inputs.real_values,
        ),
    ),
    mistakes=REAL_MISTAKES,
)

PADDING = Exercise(
    id="masking-padding",
    function="padding_mask",
    arguments=("ids", "pad"),
    results={"mask": "1, keys"},
    reference=padding_mask,
    properties=(
        Property(
            "masking-padding-values",
            2,
            "One row for each sentence, True where there is a real token.",
            inputs.padding_values,
        ),
    ),
    probes=inputs.padding_probes,
    mistakes=PADDING_MISTAKES,
)

COMBINED = Exercise(
    id="masking-combined",
    function="combined_mask",
    arguments=("ids", "pad"),
    results={"mask": "queries, keys"},
    reference=combined_mask,
    properties=(
        Property(
            "masking-combined-values",
            2,
            "A token may attend where neither the future nor padding is in the way.",
            inputs.padding_values,
        ),
    ),
    probes=inputs.padding_probes,
    mistakes=COMBINED_MISTAKES,
)

CROSS = Exercise(
    id="masking-cross",
    function="cross_mask",
    arguments=("real", "memory_real"),
    results={"mask": "queries, keys"},
    reference=masking.cross_mask,
    properties=(
        Property(
            "masking-cross-values",
            2,
            "Real tokens may attend to real tokens of the other text, and nothing else may.",
            inputs.cross_values,
        ),
    ),
    probes=inputs.cross_probes,
    mistakes=CROSS_MISTAKES,
)

CHAPTER = Chapter(
    name="masking",
    imports=IMPORTS,
    exercises=(
        CAUSAL,
        WINDOW,
        REAL,
        PADDING,
        COMBINED,
        CROSS,
        ADDITIVE,
        MASKED_SOFTMAX,
        MEND_CAUSAL,
        MEND_PADDED,
        SHAPES,
    ),
)

"""The exercises on what a model reads, what it must say, and the loss between the two."""

import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.checks import full_model_inputs as inputs
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.full_model_loss import LOSS_MISTAKES
from transformer_lab.grading.misconceptions.full_model_shift import (
    SHIFT_MISTAKES,
    WRITING_MISTAKES,
)
from transformer_lab.grading.misconceptions.full_model_tasks import (
    MASKED_MISTAKES,
    TRANSLATION_MISTAKES,
)

IGNORED = -100


def shift_right(targets: Tensor, start_id: int) -> Tensor:
    """Put the start in front, and leave out the last."""
    return F.pad(targets[:, :-1], (1, 0), value=start_id)


def writing_task(ids: Tensor, real: Tensor, start_id: int) -> tuple[Tensor, Tensor]:
    """Read what comes before, say what comes next."""
    return shift_right(ids, start_id), ids.masked_fill(~real, IGNORED)


def masked_task(ids: Tensor, chosen: Tensor, mask_id: int) -> tuple[Tensor, Tensor]:
    """Hide the chosen words, and ask for these only."""
    return ids.masked_fill(chosen, mask_id), ids.masked_fill(~chosen, IGNORED)


def translation_task(
    source: Tensor, target: Tensor, pad_id: int, start_id: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Tell what of the source is real, and set the target up to be written."""
    inputs, targets = writing_task(target, target != pad_id, start_id)
    return source != pad_id, inputs, targets


def shifted_loss(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    """Score each place's guess at the next token, where that is real."""
    targets = ids.masked_fill(~real, IGNORED)[:, 1:]
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten())


SHIFT = Exercise(
    id="full_model-shift",
    function="shift_right",
    arguments=("targets", "start_id"),
    results={"inputs": "texts, tokens"},
    reference=shift_right,
    properties=(
        Property(
            "full_model-shift-values",
            1,
            "The start stands first; behind it follow the targets, all but the last.",
            inputs.shift_values,
        ),
        Property(
            "full_model-shift-general",
            1,
            "It holds for any length, even for one token.",
            inputs.shift_general,
        ),
    ),
    mistakes=SHIFT_MISTAKES,
)

WRITING = Exercise(
    id="full_model-writing",
    function="writing_task",
    arguments=("ids", "real", "start_id"),
    results={"inputs": "texts, tokens", "targets": "texts, tokens"},
    reference=writing_task,
    properties=(
        Property(
            "full_model-writing-values",
            1,
            "It reads the text shifted to the right, and must say the text.",
            inputs.writing_values,
        ),
        Property(
            "full_model-writing-padding",
            1,
            "Padding is ignored: its targets are -100.",
            inputs.writing_padding,
        ),
    ),
    mistakes=WRITING_MISTAKES,
)

MASKED = Exercise(
    id="full_model-masked",
    function="masked_task",
    arguments=("ids", "chosen", "mask_id"),
    results={"inputs": "texts, tokens", "targets": "texts, tokens"},
    reference=masked_task,
    properties=(
        Property(
            "full_model-masked-values",
            2,
            "The chosen words are hidden in the inputs, and they alone are targets.",
            inputs.masked_values,
        ),
    ),
    mistakes=MASKED_MISTAKES,
)

TRANSLATION = Exercise(
    id="full_model-translation",
    function="translation_task",
    arguments=("source", "target", "pad_id", "start_id"),
    results={
        "source_real": "texts, source tokens",
        "inputs": "texts, target tokens",
        "targets": "texts, target tokens",
    },
    reference=translation_task,
    properties=(
        Property(
            "full_model-translation-values",
            1,
            "The decoder reads the translation shifted to the right, and must say it.",
            inputs.translation_values,
        ),
        Property(
            "full_model-translation-padding",
            2,
            "Padding is hidden in the source, and ignored in the targets.",
            inputs.translation_padding,
        ),
    ),
    mistakes=TRANSLATION_MISTAKES,
)

LOSS = Exercise(
    id="full_model-loss",
    function="shifted_loss",
    arguments=("logits", "ids", "real"),
    results={"loss": ""},
    reference=shifted_loss,
    properties=(
        Property(
            "full_model-loss-values",
            2,
            "The loss is the mean of -ln p of each next token.",
            inputs.loss_values,
        ),
        Property(
            "full_model-loss-padding",
            2,
            "Padding does not count, neither above nor below the line of the mean.",
            inputs.loss_padding,
        ),
    ),
    mistakes=LOSS_MISTAKES,
)

"""translation_task: tell what of the source is real, and set the target up to be written."""

from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.parts import (
    ignoring,
    padded_texts,
    special_ids,
)
from transformer_lab.grading.exercises.full_model.shift import shift_right
from transformer_lab.grading.exercises.full_model.writing import writing_task

Triple = tuple[Tensor, Tensor, Tensor]


def translation_task(
    source: Tensor, target: Tensor, pad_id: int, start_id: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Tell what of the source is real, and set the target up to be written."""
    inputs, targets = writing_task(target, is_real(target, pad_id), start_id)
    return is_real(source, pad_id), inputs, targets


def is_real(ids: Tensor, pad_id: int) -> Tensor:
    """Tell tokens from padding."""
    return ids != pad_id


EXERCISE = Exercise(
    __name__,
    translation_task,
    results={
        "source_real": "texts, source tokens",
        "inputs": "texts, target tokens",
        "targets": "texts, target tokens",
    },
    section="Three models from the same parts",
)


@EXERCISE.requires(
    "The decoder reads the translation shifted to the right, and must say it.", points=1
)
def values(draw: Draw) -> list[Inputs]:
    """Give pairs of texts, all of them long."""
    return [_pair(draw, *sizes) for sizes in (([4], [3]), ([3, 3], [5, 5]), ([2, 2, 2], [4, 4, 4]))]


@EXERCISE.requires("Padding is hidden in the source, and ignored in the targets.", points=2)
def padding(draw: Draw) -> list[Inputs]:
    """Give pairs of unequal lengths."""
    sizes = (([4, 2], [1, 3]), ([1, 3, 2], [5, 2, 4]), ([5, 3], [4, 2]))
    return [_pair(draw, *size) for size in sizes]


EXERCISE.untouched()


def _pair(draw: Draw, source: list[int], target: list[int]) -> Inputs:
    """Draw texts in two languages, the id that pads them, and the one that begins them."""
    pad_id, start_id = special_ids(draw), special_ids(draw)
    return Inputs((*(padded_texts(draw, t, pad_id)[0] for t in (source, target)), pad_id, start_id))


@EXERCISE.mistake(
    "source_real says where the padding is",
    why="In this book True means a real token, one that may be read.",
)
def padding_is_real(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    real, inputs, targets = translation_task(source, target, pad, start)
    return ~real, inputs, targets


@EXERCISE.mistake(
    "the mask is made from the target",
    why="It is for the encoder, and for the cross-attention: both look at the source, and as a "
    "rule that has another length.",
)
def other_mask(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return target != pad, *translation_task(source, target, pad, start)[1:]


@EXERCISE.mistake(
    "the decoder reads what it must say",
    why="The inputs are not shifted. The loss falls to next to nothing, and when the model has to "
    "write by itself, there is nothing to copy.",
    section="What goes wrong",
)
def not_shifted(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    real, _, targets = translation_task(source, target, pad, start)
    return real, target.clone(), targets


@EXERCISE.mistake(
    "the decoder reads the source",
    why="It hears of the source by cross-attention. What it reads itself is the translation so "
    "far: the target, shifted to the right.",
)
def reads_source(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    real, _, targets = translation_task(source, target, pad, start)
    return real, shift_right(source, start), targets


@EXERCISE.mistake(
    "padding counts in the loss",
    why="The model would be trained to write padding behind each short translation. Where there is "
    "no token, the target is -100.",
    section="The loss",
)
def padding_learned(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return *translation_task(source, target, pad, start)[:2], target.clone()


@EXERCISE.mistake(
    "the targets are the source",
    why="What must be said is the translation: the target's ids.",
)
def says_source(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    return *translation_task(source, target, pad, start)[:2], ignoring(source, source != pad)


@EXERCISE.mistake(
    "ids are compared by size",
    why="Ids are names, not amounts: words can have smaller and larger ids than the padding. Ask "
    "whether they differ.",
    of=is_real,
)
def compares_by_size(ids: Tensor, pad_id: int) -> Tensor:
    return ids > pad_id


@compares_by_size.within(is_real)
def compares_by_size_from_above(ids: Tensor, pad_id: int) -> Tensor:
    return ids < pad_id


@EXERCISE.mistake(
    "the source's mask has an axis for the queries",
    why="source_real says of each token whether it is real: (B, S). The axis for the queries is "
    "added where it serves as a mask.",
)
def with_axis(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    real, inputs, targets = translation_task(source, target, pad, start)
    return real.unsqueeze(-2), inputs, targets


@EXERCISE.mistake(
    "inputs and targets have changed places",
    why="It returns (source_real, targets, inputs). What is read comes before what must be said.",
)
def swapped(source: Tensor, target: Tensor, pad: int, start: int) -> Triple:
    real, inputs, targets = translation_task(source, target, pad, start)
    return real, targets, inputs

"""writing_task: read what comes before, say what comes next."""

from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.parts import (
    IGNORED,
    ignoring,
    padded_texts,
    special_ids,
)
from transformer_lab.grading.exercises.full_model.shift import shift_right

Pair = tuple[Tensor, Tensor]


def writing_task(ids: Tensor, real: Tensor, start_id: int) -> tuple[Tensor, Tensor]:
    """Read what comes before, say what comes next."""
    return shift_right(ids, start_id), ids.masked_fill(~real, IGNORED)


EXERCISE = Exercise(
    __name__,
    writing_task,
    results={"inputs": "texts, tokens", "targets": "texts, tokens"},
    section="The loss",
)


@EXERCISE.requires("It reads the text shifted to the right, and must say the text.", points=1)
def values(draw: Draw) -> list[Inputs]:
    """Give texts without padding."""
    return [_writing(draw, lengths) for lengths in ([3, 3], [5], [4, 4, 4])]


@EXERCISE.requires("Padding is ignored: its targets are -100.", points=1)
def padding(draw: Draw) -> list[Inputs]:
    """Give texts of unequal length."""
    return [_writing(draw, lengths) for lengths in ([2, 4], [5, 1, 3], [6, 2])]


EXERCISE.untouched()


def _writing(draw: Draw, lengths: list[int]) -> Inputs:
    """Draw texts, which of their ids are real, and what begins them."""
    return Inputs((*padded_texts(draw, lengths, special_ids(draw)), special_ids(draw)))


@EXERCISE.mistake(
    "inputs and targets have changed places",
    why="It returns (targets, inputs). First comes what is read, then what must be said.",
)
def swapped(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ignoring(ids, real), shift_right(ids, start_id)


@EXERCISE.mistake(
    "the inputs are not shifted",
    why="The decoder reads what it must say. The loss falls to next to nothing, and nothing has "
    "been learned.",
    section="What goes wrong",
)
def not_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ids.clone(), ignoring(ids, real)


@EXERCISE.mistake(
    "the targets are shifted as well",
    why="If both are shifted, they stand side by side again, and the decoder reads what it must "
    "say. Only the inputs move.",
)
def both_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), shift_right(ignoring(ids, real), start_id)


@EXERCISE.mistake(
    "padding counts in the loss",
    why="The model would be trained to write padding, and the mean would be over places that do "
    "not matter. Where there is no token, the target is -100.",
)
def padding_learned(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), ids.clone()


@EXERCISE.mistake(
    "what is ignored has the target 0",
    why="0 is a token like any other: the model would be trained to write it there. The number "
    "that F.cross_entropy ignores is -100.",
)
def zero(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), ids * real


@EXERCISE.mistake(
    "the tokens are ignored, and padding counts",
    why="`real` is True where there is a token. What is ignored is the rest: ~real.",
)
def turned(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), ignoring(ids, ~real)

"""writing_task: predict each token from those before it."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import (
    IGNORED,
    padded_texts,
    special_ids,
)
from .shift import shift_right

Pair = tuple[Tensor, Tensor]


def writing_task(ids: Tensor, real: Tensor, start_id: int) -> tuple[Tensor, Tensor]:
    """Return inputs and targets for predicting each token from those before it."""
    return shift_right(ids, start_id), targets_of(ids, real)


def targets_of(ids: Tensor, real: Tensor) -> Tensor:
    """Return targets in which padding is ignored."""
    return ids.masked_fill(~real, IGNORED)


EXERCISE = Exercise(
    __name__,
    writing_task,
    results={"inputs": "texts, tokens", "targets": "texts, tokens"},
    section="book/from_text_to_loss#The loss",
)


@EXERCISE.requires("It reads the text shifted to the right, and must say the text.", points=1)
def values(draw: Draw) -> list[Inputs]:
    """Return texts without padding, some of which contain token 0."""
    cases = [_writing(draw, lengths) for lengths in ([3, 3], [5], [4, 4, 4])]
    for ids, *_ in (case.args for case in cases[1:]):
        ids[0, 2] = 0
    return cases


@EXERCISE.requires("Padding is ignored: its targets are -100.", points=1)
def padding(draw: Draw) -> list[Inputs]:
    """Return texts of unequal length; in the last, a word has the id of padding."""
    cases = [_writing(draw, lengths) for lengths in ([2, 4], [5, 1, 3], [6, 2])]
    ids, real, _ = cases[-1].args
    ids[0, 1] = ids[~real][0]
    return cases


EXERCISE.untouched()


def _writing(draw: Draw, lengths: list[int]) -> Inputs:
    """Draw texts, which of their ids are tokens, and the start token."""
    return Inputs((*padded_texts(draw, lengths, special_ids(draw)), special_ids(draw)))


@EXERCISE.mistake(
    "inputs and targets have changed places",
    why="It returns (targets, inputs). First comes what is read, then what must be said.",
)
def swapped(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return writing_task(ids, real, start_id)[::-1]


@EXERCISE.mistake(
    "the inputs are not shifted",
    why="The decoder reads what it must say. The loss falls to next to nothing, and nothing has "
    "been learned.",
    section="What goes wrong",
)
def not_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ids.clone(), targets_of(ids, real)


@EXERCISE.mistake(
    "the targets are shifted as well",
    why="If both are shifted, they stand side by side again, and the decoder reads what it must "
    "say. Only the inputs move.",
)
def both_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), shift_right(targets_of(ids, real), start_id)


@EXERCISE.mistake(
    "the targets are shifted to the left",
    why="The inputs are shifted to the right already. With the targets shifted too, each place is "
    "asked for the token after next.",
)
def targets_left(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    targets = targets_of(ids, real)
    return shift_right(ids, start_id), torch.cat(
        [targets[:, 1:], torch.full_like(targets[:, :1], IGNORED)], dim=1
    )


@EXERCISE.mistake(
    "the targets are shifted, and the inputs are not",
    why="That is the other way to do it, and the result has another length or another end. Here "
    "the inputs move, and the targets are the ids.",
)
def targets_instead(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    targets = targets_of(ids, real)
    return ids.clone(), torch.cat([targets[:, 1:], torch.full_like(targets[:, :1], IGNORED)], dim=1)


@targets_instead.also
def shorter(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ids[:, :-1].clone(), targets_of(ids, real)[:, 1:]


@EXERCISE.mistake(
    "what is read holds -100",
    why="-100 is no token: it says in the targets what is not asked. The inputs are made from the "
    "ids as they came.",
)
def inputs_from_targets(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    targets = targets_of(ids, real)
    return shift_right(targets, start_id), targets


@EXERCISE.mistake(
    "padding counts in the loss",
    why="The model would be trained to write padding, and the mean would be over places that do "
    "not matter. Where there is no token, the target is -100.",
    of=targets_of,
)
def padding_learned(ids: Tensor, real: Tensor) -> Tensor:
    return ids.clone()


@EXERCISE.mistake(
    "what is ignored has the target 0",
    why="0 is a token like any other: the model would be trained to write it there. The number "
    "that F.cross_entropy ignores is -100.",
    of=targets_of,
)
def zero(ids: Tensor, real: Tensor) -> Tensor:
    return ids * real


@EXERCISE.mistake(
    "what is ignored has another number than -100",
    why="Only -100 is ignored by F.cross_entropy, unless you pass another ignore_index.",
    of=targets_of,
)
def minus_one(ids: Tensor, real: Tensor) -> Tensor:
    return ids.masked_fill(~real, -1)


@minus_one.within(targets_of)
def hundred(ids: Tensor, real: Tensor) -> Tensor:
    return ids.masked_fill(~real, 100)


@EXERCISE.mistake(
    "the tokens are ignored, and padding counts",
    why="`real` is True where there is a token. What is ignored is the rest.",
    of=targets_of,
)
def turned(ids: Tensor, real: Tensor) -> Tensor:
    return ids.masked_fill(real, IGNORED)


@EXERCISE.mistake(
    "padding is ignored one place too early or too late",
    why="The targets stay where they are, and so does `real`: each target goes with its own place.",
    of=targets_of,
)
def real_shifted(ids: Tensor, real: Tensor) -> Tensor:
    return ids.masked_fill(~torch.cat([real[:, :1], real[:, :-1]], dim=1), IGNORED)


@real_shifted.within(targets_of)
def real_shifted_left(ids: Tensor, real: Tensor) -> Tensor:
    return ids.masked_fill(~torch.cat([real[:, 1:], ~real[:, :1]], dim=1), IGNORED)


@EXERCISE.mistake(
    "the first token is ignored, too",
    why="The start symbol is read for it, and stands in front for just that: the first token is "
    "guessed like all others.",
)
def first_ignored(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    inputs, targets = writing_task(ids, real, start_id)
    return inputs, targets.index_fill(1, torch.tensor([0]), IGNORED)


@EXERCISE.mistake(
    "the token 0 is taken for padding",
    why="In the padding any number may stand, and 0 may be a token like any other. `real` says "
    "where there is one.",
)
def zeros_ignored(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), ids.masked_fill(ids == 0, IGNORED)


@zeros_ignored.also
def zeros_ignored_as_well(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shift_right(ids, start_id), targets_of(ids, real & (ids != 0))

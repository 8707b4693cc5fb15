"""masked_task: hide the chosen words, and ask for these only."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.parts import (
    IGNORED,
    special_ids,
    word_ids,
)

Pair = tuple[Tensor, Tensor]


def masked_task(ids: Tensor, chosen: Tensor, mask_id: int) -> tuple[Tensor, Tensor]:
    """Hide the chosen words, and ask for these only."""
    return hidden(ids, chosen, mask_id), asked(ids, chosen)


def hidden(ids: Tensor, chosen: Tensor, mask_id: int) -> Tensor:
    """Hide the chosen words."""
    return ids.masked_fill(chosen, mask_id)


def asked(ids: Tensor, chosen: Tensor) -> Tensor:
    """Ask for the chosen words."""
    return ids.masked_fill(~chosen, IGNORED)


EXERCISE = Exercise(
    __name__,
    masked_task,
    results={"inputs": "texts, tokens", "targets": "texts, tokens"},
    section="An encoder fills gaps",
)


@EXERCISE.requires(
    "The chosen words are hidden in the inputs, and they alone are targets.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give texts and which of their words to hide, some and never all."""
    by_hand = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[False, True, False, False]]), 2
    shapes = ((2, 3), (3, 5), (1, 7))
    drawn = [(word_ids(draw, *shape), draw.mask(*shape), special_ids(draw)) for shape in shapes]
    return [Inputs(case) for case in (by_hand, *drawn)]


EXERCISE.untouched()


@EXERCISE.mistake(
    "the targets are taken from what has been hidden already",
    why="They are all the mask's own id, and so the model learns to write the mask. Take the "
    "targets from the ids as they were.",
)
def target_is_mask(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    gaps = hidden(ids, chosen, mask_id)
    return gaps, asked(gaps, chosen)


@EXERCISE.mistake(
    "every word counts in the loss",
    why="What is not hidden can be copied, and six words in seven would teach just that. Only the "
    "hidden ones are targets; the others are -100.",
    of=asked,
)
def all_count(ids: Tensor, chosen: Tensor) -> Tensor:
    return ids.clone()


@EXERCISE.mistake(
    "the others are hidden",
    why="`chosen` is True for the words that are to be hidden. You hide where it is False.",
    of=hidden,
)
def others(ids: Tensor, chosen: Tensor, mask_id: int) -> Tensor:
    return ids.masked_fill(~chosen, mask_id)


@EXERCISE.mistake(
    "the hidden words are the ones ignored",
    why="It asks for what can be read, and not for what is hidden. The targets are the chosen "
    "words; -100 stands everywhere else.",
    of=asked,
)
def ignores_chosen(ids: Tensor, chosen: Tensor) -> Tensor:
    return ids.masked_fill(chosen, IGNORED)


@EXERCISE.mistake(
    "nothing is hidden",
    why="The encoder reads in both directions, and so it sees every word that it is asked for. Put "
    "mask_id in the place of the chosen ones.",
    of=hidden,
)
def nothing(ids: Tensor, chosen: Tensor, mask_id: int) -> Tensor:
    return ids.clone()


@EXERCISE.mistake(
    "the chosen words are hidden by another number",
    why="The id that hides a word is given, as mask_id. -100 is for the targets, and 0 may be a "
    "word.",
    of=hidden,
)
def by_hundred(ids: Tensor, chosen: Tensor, mask_id: int) -> Tensor:
    return ids.masked_fill(chosen, IGNORED)


@by_hundred.within(hidden)
def by_zero(ids: Tensor, chosen: Tensor, mask_id: int) -> Tensor:
    return ids.masked_fill(chosen, 0)


@EXERCISE.mistake(
    "what is ignored has another number than -100",
    why="Only -100 is ignored by F.cross_entropy, unless it is told otherwise.",
    of=asked,
)
def ignored_zero(ids: Tensor, chosen: Tensor) -> Tensor:
    return ids.masked_fill(~chosen, 0)


@ignored_zero.within(asked)
def ignored_minus_one(ids: Tensor, chosen: Tensor) -> Tensor:
    return ids.masked_fill(~chosen, -1)


@EXERCISE.mistake(
    "what is ignored is the mask's id",
    why="The mask's id hides words in the inputs. In the targets, -100 says what is not asked.",
)
def ignored_mask(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return hidden(ids, chosen, mask_id), ids.masked_fill(~chosen, mask_id)


@EXERCISE.mistake(
    "inputs and targets have changed places",
    why="It returns (targets, inputs). First comes what is read, then what must be said.",
)
def swapped(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return masked_task(ids, chosen, mask_id)[::-1]


@EXERCISE.mistake(
    "only the chosen words are returned",
    why="Inputs and targets have the shape of the ids: what is not asked stands there as -100.",
)
def picked(ids: Tensor, chosen: Tensor, mask_id: int) -> Pair:
    return hidden(ids, chosen, mask_id), ids[chosen]

"""real_tokens: mark the places that hold a token."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.masking.parts import between


def real_tokens(lengths: Tensor, size: int) -> Tensor:
    """Mark the places that hold a token."""
    return holds(torch.arange(size), lengths[:, None])


def holds(place: Tensor, length: Tensor) -> Tensor:
    """Tell whether a text of this length has a token at this place."""
    return place < length


EXERCISE = Exercise(
    __name__, real_tokens, results={"result": "sentences, positions"}, section="Padding"
)


@EXERCISE.requires(
    "In each row the first places are True, as many as the sentence has tokens.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give lengths of sentences, unsorted, with a full or an empty one, and once a long row."""
    listed = (([2, 4, 1], 4), ([3, 1], 5), ([1, 3, 2, 3], 3), ([2, 0], 3))
    short, long = between(draw, 5, 9, 2), between(draw, 5_100, 6_000)
    drawn = [(draw.ids(4, low=1, high=5), size) for size in short]  # no length beyond any size
    drawn += [(draw.ids(4, low=1, high=5_100), size) for size in long]
    return [Inputs((torch.as_tensor(lengths), size)) for lengths, size in (*listed, *drawn)]


EXERCISE.untouched()


@EXERCISE.mistake(
    "the border is one place too far",
    why="Positions count from 0: a sentence of 3 tokens has the positions 0, 1 and 2. Position 3 "
    "is padding already.",
    of=holds,
)
def border_too_far(place: Tensor, length: Tensor) -> Tensor:
    return place <= length


@EXERCISE.mistake(
    "the border is one place too early",
    why="The last token of each sentence is taken for padding. Positions count from 0, so the last "
    "of 3 tokens stands at position 2.",
    of=holds,
)
def border_too_early(place: Tensor, length: Tensor) -> Tensor:
    return place < length - 1


@EXERCISE.mistake(
    "it marks the padding, not the tokens",
    why="True is asked for where there is a real token. Here it stands where there is none.",
    section="True means keep. Or block.",
)
def marks_padding(lengths: Tensor, size: int) -> Tensor:
    return ~real_tokens(lengths, size)


@EXERCISE.mistake(
    "the padding is at the front",
    why="The last places are taken for tokens. These sentences are filled up at the end.",
)
def padded_in_front(lengths: Tensor, size: int) -> Tensor:
    return real_tokens(lengths, size).flip(-1)


@EXERCISE.mistake(
    "rows and columns have changed places",
    why="Each sentence is a row, each position a column. The lengths need an axis behind them, "
    "so that they go down the rows.",
)
def positions_as_rows(lengths: Tensor, size: int) -> Tensor:
    return real_tokens(lengths, size).mT.contiguous()


@EXERCISE.mistake(
    "the table is as wide as the longest sentence",
    why="How many columns there are is given, as `size`. The longest sentence may be shorter, or "
    "there would be no need to say it.",
)
def as_wide_as_longest(lengths: Tensor, size: int) -> Tensor:
    return real_tokens(lengths, int(lengths.max()))


@EXERCISE.mistake(
    "only the last token is marked",
    why="Every place up to a sentence's length holds a token, not the last alone.",
    of=holds,
)
def last_only(place: Tensor, length: Tensor) -> Tensor:
    return place == length - 1


@last_only.within(holds)
def first_padding_only(place: Tensor, length: Tensor) -> Tensor:
    return place == length

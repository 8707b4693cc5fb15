"""sees_only_distance: move all tokens by as many places, and look whether a score changes."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, cached

from .heads import NAMES, PLACES, heads

Scores = Callable[[Tensor, Tensor], Tensor]
Tokens = tuple[tuple[float, ...], ...]
Places = tuple[int, ...]
FAR_AND_NEAR = (0, 2, 9, 14, 23, 30)
SIDE_BY_SIDE = (0, 1, 2, 3, 4, 5)


def sees_only_distance(scores: Scores, width: int) -> bool:
    """Move tokens that stand near and far, and look whether a score changes."""
    return alike(*tried(scores, width, FAR_AND_NEAR, later(FAR_AND_NEAR, 1)))


def later(places: Places, move: int) -> Places:
    """Move places."""
    return tuple(place + move for place in places)


def tried(scores: Scores, width: int, here: Places, there: Places) -> tuple[Tensor, Tensor]:
    """Give the scores of the same tokens at two sets of places."""
    x = some_tokens(width, len(here))
    return scored(scores, x, here), scored(scores, x, there)


@cached
def scored(scores: Scores, tokens: Tokens, places: Places) -> Tensor:
    """Give the scores of tokens at places."""
    return scores(torch.tensor(tokens), torch.tensor(places))


def some_tokens(width: int, count: int) -> Tokens:
    """Make tokens, no two of them alike."""
    numbers = [math.sin(1.7 * n) for n in range(count * width)]
    return tuple(tuple(numbers[n * width : (n + 1) * width]) for n in range(count))


def alike(one: Tensor, other: Tensor) -> bool:
    """Compare scores, but for their rounding."""
    return bool(change(one, other).max() <= 1e-3)


def change(one: Tensor, other: Tensor) -> Tensor:
    """Give by how much each score has changed."""
    return (other - one).abs()


EXERCISE = Exercise(
    __name__,
    sees_only_distance,
    results={"verdict": ""},
    section="Distances instead of positions",
)


@EXERCISE.requires("It knows none, sines, a learned table, rotary and ALiBi.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return heads(draw, "none", "sines", "rotary", "learned", "alibi", "rotary")


@EXERCISE.requires("It tells these from heads that only look like one of them.", points=2)
def lookalikes(draw: Draw) -> list[Inputs]:
    cycles = "cycle", "two rows", "three rows", "short cycle"
    others = "bases", "keys", "buckets", "steeper", "centred", "ahead", "cancelling"
    return heads(draw, "rotary", *cycles, *others)


@EXERCISE.requires("It sees a change at a few places only, and one that is small.", points=1)
def hidden(draw: Draw) -> list[Inputs]:
    places = "early", "middle", "late", "late queries"
    return heads(draw, *places, "rises", "falls", "faint", "rotary", "alibi")


EXERCISE.untouched()


@EXERCISE.probe
def again(draw: Draw) -> list[Inputs]:
    """Give every head once more, and twice those that few experiments find out."""
    return heads(draw, *NAMES, *list(NAMES)[8:])


@EXERCISE.mistake(
    "rounding is taken for a difference",
    why="Turned by other angles, the same product is summed from other numbers, and its last digit "
    "differs. Compare with torch.allclose and a tolerance such as 1e-3.",
    of=alike,
)
def exactly(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one, other)


@EXERCISE.mistake(
    "the tokens are all zeros",
    why="A head that turns its keys turns zeros into zeros, so it seems to see no places at all. "
    "Draw tokens at random.",
    of=some_tokens,
)
def zeros(width: int, count: int) -> Tokens:
    return ((0.0,) * width,) * count


@EXERCISE.mistake(
    "all tokens are alike",
    why="A head may look at how a token differs from the others. Where no token differs, it has "
    "nothing to show. Draw different tokens at random.",
    of=some_tokens,
)
def ones(width: int, count: int) -> Tokens:
    return ((1.0,) * width,) * count


@ones.also
def diagonals_of_equal_tokens(scores: Scores, width: int) -> bool:
    table = scored(scores, ((0.7,) * width,) * 16, tuple(range(16)))
    return alike(table[1:, 1:], table[:-1, :-1])


@EXERCISE.mistake(
    "the distances change too",
    why="Doubled places are twice as far apart, and in another order they have other neighbours. A "
    "head that sees distances may see that. Add the same number to all places.",
)
def doubled(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, SIDE_BY_SIDE, tuple(2 * place for place in SIDE_BY_SIDE)))


@doubled.also
def the_first_stays(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, SIDE_BY_SIDE, (0, *later(SIDE_BY_SIDE[1:], 7))))


@doubled.also
def in_another_order(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, SIDE_BY_SIDE, SIDE_BY_SIDE[::-1]))


@doubled.also
def round_the_corner(scores: Scores, width: int) -> bool:
    turned = (tuple(place % PLACES for place in later(SIDE_BY_SIDE, n)) for n in range(1, PLACES))
    return all(alike(*tried(scores, width, SIDE_BY_SIDE, there)) for there in turned)


@EXERCISE.mistake(
    "nothing is moved",
    why="It compares two readings at the same places, and they always agree. Read the same tokens "
    "a second time at other places.",
)
def not_moved(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, SIDE_BY_SIDE, SIDE_BY_SIDE))


@EXERCISE.mistake(
    "it compares scores of different tokens",
    why="Along a diagonal the distance is the same, but the tokens are others, and so are their "
    "scores in every head. Read the *same* tokens at other places.",
)
def diagonals(scores: Scores, width: int) -> bool:
    table = scored(scores, some_tokens(width, len(SIDE_BY_SIDE)), SIDE_BY_SIDE)
    return alike(table[1:, 1:], table[:-1, :-1])


@diagonals.also
def there_and_back(scores: Scores, width: int) -> bool:
    table = scored(scores, some_tokens(width, len(SIDE_BY_SIDE)), SIDE_BY_SIDE)
    return alike(table, table.mT)


@EXERCISE.mistake(
    "True and False have changed places",
    why="True is for a head whose scores stay the same when all tokens move together.",
)
def opposite(scores: Scores, width: int) -> bool:
    return not sees_only_distance(scores, width)

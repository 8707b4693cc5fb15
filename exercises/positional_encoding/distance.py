"""sees_only_distance: shift all tokens, and compare the scores."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, cached

from .heads import NAMES, heads
from .heads import PLACES as PLACES

Scores = Callable[[Tensor, Tensor], Tensor]
Tokens = tuple[tuple[float, ...], ...]
Places = tuple[int, ...]
FAR_AND_NEAR = (0, 2, 9, 14, 23, 30)
SIDE_BY_SIDE = (0, 1, 2, 3, 4, 5)


def sees_only_distance(scores: Scores, width: int) -> bool:
    """Return whether scores stay the same when near and far tokens are shifted."""
    return alike(*tried(scores, width, FAR_AND_NEAR, later(FAR_AND_NEAR, 1)))


def later(places: Places, move: int) -> Places:
    """Shift places."""
    return tuple(place + move for place in places)


def tried(scores: Scores, width: int, here: Places, there: Places) -> tuple[Tensor, Tensor]:
    """Return the scores of the same tokens at two sets of places."""
    x = some_tokens(width, len(here))
    return scored(scores, x, here), scored(scores, x, there)


@cached
def scored(scores: Scores, tokens: Tokens, places: Places) -> Tensor:
    """Return the scores of tokens at places."""
    return scores(torch.tensor(tokens), torch.tensor(places))


def some_tokens(width: int, count: int) -> Tokens:
    """Return distinct tokens."""
    numbers = [math.sin(1.7 * n) for n in range(count * width)]
    return tuple(tuple(numbers[n * width : (n + 1) * width]) for n in range(count))


def alike(one: Tensor, other: Tensor) -> bool:
    """Return whether scores agree up to rounding."""
    return bool(change(one, other).max() <= 1e-3)


def change(one: Tensor, other: Tensor) -> Tensor:
    """Return how much each score has changed."""
    return (other - one).abs()


EXERCISE = Exercise(
    __name__, sees_only_distance, results={"verdict": ""}, section="Distances instead of positions"
)


@EXERCISE.requires(
    "It is right for heads with no positions, sines, a learned table, rotary positions and ALiBi.",
    points=2,
)
def values(draw: Draw) -> list[Inputs]:
    return heads(draw, "none", "sines", "rotary", "learned", "alibi", "rotary")


@EXERCISE.requires("It is right for heads that only look like one of these.", points=2)
def lookalikes(draw: Draw) -> list[Inputs]:
    cycles = "cycle", "two rows", "three rows", "short cycle"
    others = "bases", "keys", "buckets", "steeper", "centred", "ahead", "cancelling"
    return heads(draw, "rotary", "large", *cycles, *others)


@EXERCISE.requires("It notices a change at a few positions only, and a small one.", points=1)
def hidden(draw: Draw) -> list[Inputs]:
    places = "early", "middle", "late", "late queries"
    return heads(draw, *places, "rises", "falls", "faint", "last", "still", "rotary", "alibi")


EXERCISE.untouched()


@EXERCISE.probe
def again(draw: Draw) -> list[Inputs]:
    """Return every head once more, and twice those that few experiments reveal."""
    return heads(draw, *NAMES, *list(NAMES)[8:])


EXERCISE.edit(
    "rounding is taken for a difference",
    {"1e-3": "torch.equal(one, other)"},
    why="With other angles the same product is summed from other numbers, so its last digits "
    "differ.\nCompare with torch.allclose and a tolerance such as 1e-3.",
)
EXERCISE.edit(
    "the tokens are all zeros",
    {"* n": "* 0.0"},
    why="A head that rotates its keys turns zeros into zeros, so it seems not to depend on "
    "positions at all.\nDraw tokens at random.",
)
EXERCISE.edit(
    "all tokens are the same",
    {"7 * n": "7"},
    why="A head may compare a token with the others. If all are the same, it has nothing to show.\n"
    "Draw different tokens at random.",
)
EXERCISE.edit(
    "the distances change too",
    "alike(*tried(scores, width, SIDE_BY_SIDE, tuple(2 * place for place in SIDE_BY_SIDE)))",
    {"FAR_AND_NEAR, later(FAR_AND_NEAR, 1)": "SIDE_BY_SIDE, (0, *later(SIDE_BY_SIDE[1:], 7))"},
    "turned = (tuple(place % PLACES for place in later(SIDE_BY_SIDE, n)) for n in range(1, "
    "PLACES)); return all(alike(*tried(scores, width, SIDE_BY_SIDE, there)) for there in turned)",
    why="Doubled positions are twice as far apart, and in another order they have other "
    "neighbours, which a head that depends on distances may notice.\nAdd the same number to all "
    "positions.",
)
EXERCISE.edit(
    "nothing is shifted",
    {"1": "0"},
    why="It compares two calls at the same positions, which always agree.\nCall the head a second "
    "time with the same tokens at other positions.",
)
EXERCISE.edit(
    "it compares scores of different tokens",
    "table = scored(scores, some_tokens(width, len(SIDE_BY_SIDE)), SIDE_BY_SIDE); "
    "return alike(table[1:, 1:], table[:-1, :-1])",
    "table = scored(scores, some_tokens(width, len(SIDE_BY_SIDE)), SIDE_BY_SIDE); "
    "return alike(table, table.mT)",
    why="Along a diagonal the distance is the same, but the tokens differ, and so do their scores "
    "in every head.\nUse the *same* tokens at other positions.",
)
EXERCISE.edit(
    "True and False are swapped",
    {"alike": "not alike"},
    why="True is for a head whose scores stay the same when all tokens move together.",
)


def moved(scores: Scores, width: int, *moves: int) -> bool:
    """Return whether scores stay the same when neighbouring tokens from place 0 on are shifted."""
    pairs = (tried(scores, width, SIDE_BY_SIDE, later(SIDE_BY_SIDE, move)) for move in moves)
    return all(alike(*pair) for pair in pairs)


EXERCISE.edit(
    "tokens are shifted only by multiples of eight positions",
    "moved(scores, width, 16)",
    why="A table that is repeated every eight rows looks the same after eight positions.\nTry "
    "several shifts, one of them by 1.",
)
EXERCISE.edit(
    "all shifts are by an even number of positions",
    "moved(scores, width, 4, 8)",
    "moved(scores, width, *range(2, PLACES - SIDE_BY_SIDE[-1], 2))",
    why="A table of two alternating rows looks the same after every even number of positions, and "
    "one of four rows after four or eight.\nTry several shifts, one of them by 1.",
)
EXERCISE.edit(
    "one move that changes nothing is enough for True",
    "any(moved(scores, width, move) for move in range(1, PLACES - SIDE_BY_SIDE[-1]))",
    why="One shift may change nothing by chance.\nReturn False at the first change, and True only "
    "after all shifts have been tried.",
)
EXERCISE.edit(
    "some positions are never tried",
    "moved(scores, width, 1)",
    "moved(scores, width, 1, 2, 3)",
    "moved(scores, width, 7)",
    why="A head may treat a few positions differently from all others. Let tokens be at every "
    "position from 0 to 31.\nTry every shift that keeps them within.",
)
EXERCISE.edit(
    "no two tokens are far apart",
    "moves = range(1, PLACES - 1); "
    "return all(alike(*tried(scores, width, (0, 1), (n, n + 1))) for n in moves)",
    why="Scores of neighbours may stay the same while others change.\nUse more tokens, about "
    "eight, so that the first and the last are far apart.",
)
EXERCISE.edit(
    "some scores are not compared",
    {"abs()": "abs().tril()"},
    {"abs()": "abs()[:, 0]"},
    why="A head may change only if the key comes after the query, or only if it comes before, or "
    "only for some queries.\nCompare all scores, in every row and on both sides of the diagonal.",
)
EXERCISE.edit(
    "a score that falls does not count as a change",
    {"(other - one).abs()": "other - one"},
    why="A difference may be negative.\nTake its size, with .abs(), before you look for the "
    "largest.",
)
EXERCISE.edit(
    "only large changes are noticed",
    {"1e-3": "torch.allclose(one, other, rtol=0, atol=0.1)"},
    why="Rounding changes a score by far less than 0.001, and a head may change it by little more "
    "than that.\nTest for differences above 0.001.",
)
EXERCISE.edit(
    "weights are compared, not scores",
    {"other - one": "other.softmax(dim=-1) - one.softmax(dim=-1)"},
    why="A softmax hides what is added to a whole row of scores.\nCompare the scores.",
)

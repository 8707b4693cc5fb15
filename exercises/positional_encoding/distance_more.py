"""Further mistakes that sees_only_distance is known to make: experiments that miss something."""

import torch
from torch import Tensor

from .distance import (
    EXERCISE,
    SIDE_BY_SIDE,
    Scores,
    alike,
    change,
    later,
    tried,
)
from .heads import PLACES


def moved(scores: Scores, width: int, *moves: int) -> bool:
    """Let tokens stand side by side from place 0 on, and move them."""
    pairs = (tried(scores, width, SIDE_BY_SIDE, later(SIDE_BY_SIDE, move)) for move in moves)
    return all(alike(*pair) for pair in pairs)


@EXERCISE.mistake(
    "tokens are moved by eight places or a multiple, and by no other number",
    why="A table that is used again and again after eight rows looks the same after eight places. "
    "Try several moves, one of them by 1.",
)
def by_eight(scores: Scores, width: int) -> bool:
    return moved(scores, width, 8)


@by_eight.also
def by_sixteen(scores: Scores, width: int) -> bool:
    return moved(scores, width, 16)


@by_eight.also
def by_twenty_four(scores: Scores, width: int) -> bool:
    return moved(scores, width, 24)


@EXERCISE.mistake(
    "all moves are by even numbers of places",
    why="A table of two rows, taken in turn, looks the same after every even number of places, and "
    "one of four rows after four or eight. Try several moves, one of them by 1.",
)
def by_four_and_eight(scores: Scores, width: int) -> bool:
    return moved(scores, width, 4, 8)


@by_four_and_eight.also
def by_two_and_on(scores: Scores, width: int) -> bool:
    return moved(scores, width, *range(2, PLACES - SIDE_BY_SIDE[-1], 2))


@EXERCISE.mistake(
    "one move that changes nothing is enough for True",
    why="One move may change nothing by chance. Answer False at the first change, and True only "
    "when all moves have been tried.",
)
def any_move(scores: Scores, width: int) -> bool:
    return any(moved(scores, width, move) for move in range(1, PLACES - SIDE_BY_SIDE[-1]))


@EXERCISE.mistake(
    "some places are never tried",
    why="A head may treat a few places otherwise than all others. Let tokens stand at every place "
    "from 0 to 31: try every move that keeps them within.",
)
def by_one(scores: Scores, width: int) -> bool:
    return moved(scores, width, 1)


@by_one.also
def by_one_to_three(scores: Scores, width: int) -> bool:
    return moved(scores, width, 1, 2, 3)


@by_one.also
def by_seven(scores: Scores, width: int) -> bool:
    return moved(scores, width, 7)


@by_one.also
def by_twenty(scores: Scores, width: int) -> bool:
    return moved(scores, width, 20)


@by_one.also
def never_the_first(scores: Scores, width: int) -> bool:
    here = later(SIDE_BY_SIDE, 10)
    there = (later(here, move) for move in range(1, PLACES - here[-1]))
    return all(alike(*tried(scores, width, here, places)) for places in there)


@EXERCISE.mistake(
    "no two tokens are far apart",
    why="Scores of neighbours may stay the same while others change. Take more tokens, eight or "
    "so: the first and the last are then far apart.",
)
def two_tokens(scores: Scores, width: int) -> bool:
    moves = range(1, PLACES - 1)
    return all(alike(*tried(scores, width, (0, 1), (n, n + 1))) for n in moves)


@EXERCISE.mistake(
    "each token is compared with itself alone",
    why="The diagonal holds the scores of each token with itself, at distance 0, and a token alone "
    "has no other. Take eight tokens, or so, and compare all their scores.",
    of=change,
)
def on_the_diagonal(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).diagonal().abs()


@on_the_diagonal.also
def one_token(scores: Scores, width: int) -> bool:
    return all(alike(*tried(scores, width, (0,), (n,))) for n in range(PLACES))


@EXERCISE.mistake(
    "some scores are not compared",
    why="A head may change only where the key stands behind the query, or only where it stands "
    "ahead, or only for some queries. Compare all scores, row by row and on both sides of the "
    "diagonal.",
    of=change,
)
def on_the_left(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).abs().tril()


@on_the_left.within(change)
def on_the_right(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).abs().triu()


@on_the_left.within(change)
def first_row(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).abs()[0]


@on_the_left.within(change)
def first_column(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).abs()[:, 0]


@EXERCISE.mistake(
    "rises and falls cancel",
    why="Where one score rises as much as another falls, their sum stays. Take the size of each "
    "change, with .abs(), before you add or average.",
    of=change,
)
def summed(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).sum().abs()


@summed.within(change)
def averaged(one: Tensor, other: Tensor) -> Tensor:
    return (other - one).mean().abs()


@summed.also
def summed_from_place_to_place(scores: Scores, width: int) -> bool:
    here = (0, 1, 2, 4, 7, 12, 19, 23)  # as many even places as odd ones
    pairs = (tried(scores, width, here, later(here, move)) for move in range(1, 9))
    return all(alike(summed_up(one), summed_up(other)) for one, other in pairs)


def summed_up(table: Tensor) -> Tensor:
    """Add all scores."""
    return table.sum()


@EXERCISE.mistake(
    "a score that falls is not seen to change",
    why="A difference may be below 0: take its size, with .abs(), before you look for the largest.",
    of=change,
)
def without_abs(one: Tensor, other: Tensor) -> Tensor:
    return other - one


@without_abs.within(change)
def without_abs_turned(one: Tensor, other: Tensor) -> Tensor:
    return one - other


@EXERCISE.mistake(
    "a change must be large to be seen",
    why="Rounding changes a score by far less than 0.001, and a head may change it by little more. "
    "Ask for differences above 0.001.",
    of=alike,
)
def roughly(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=0.1)


@EXERCISE.mistake(
    "weights are compared, not scores",
    why="A softmax hides what is added to a whole row of scores. Asked for are the scores.",
    of=change,
)
def of_weights(one: Tensor, other: Tensor) -> Tensor:
    return (other.softmax(dim=-1) - one.softmax(dim=-1)).abs()

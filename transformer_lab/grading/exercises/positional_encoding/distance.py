"""sees_only_distance: move all tokens by as many places, and look whether a score changes."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.heads import NAMES, heads

Scores = Callable[[Tensor, Tensor], Tensor]
TOKENS = 6
FAR_AND_NEAR = (0, 2, 9, 14, 23, 30)


def sees_only_distance(scores: Scores, width: int) -> bool:
    """Move tokens that stand near and far, and look whether a score changes."""
    here = torch.tensor(FAR_AND_NEAR)
    return alike(*tried(scores, width, here, here + 1))


def tried(scores: Scores, width: int, here: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Give the scores of the same tokens at two sets of places."""
    x = some_tokens(width, len(here))
    return scores(x, here), scores(x, there)


def some_tokens(width: int, count: int) -> Tensor:
    """Make tokens, no two of them alike."""
    return (torch.arange(count * width).view(count, width) * 1.7).sin()


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
    return heads(
        draw, "cycle", "short cycle", "rotary", "bases", "keys", "buckets", "steeper", "centred"
    )


@EXERCISE.requires("It sees a change at a few places only, and one that is small.", points=1)
def hidden(draw: Draw) -> list[Inputs]:
    return heads(draw, "early", "middle", "late", "rises", "falls", "faint", "rotary", "alibi")


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
def zeros(width: int, count: int) -> Tensor:
    return torch.zeros(count, width)


@EXERCISE.mistake(
    "all tokens are alike",
    why="A head may look at how a token differs from the others. Where no token differs, it has "
    "nothing to show. Draw different tokens at random.",
    of=some_tokens,
)
def ones(width: int, count: int) -> Tensor:
    return torch.ones(count, width)


@ones.also
def diagonals_of_equal_tokens(scores: Scores, width: int) -> bool:
    table = scores(torch.full((16, width), 0.7), torch.arange(16))
    return alike(table[1:, 1:], table[:-1, :-1])


@EXERCISE.mistake(
    "the distances change too",
    why="Doubled places are twice as far apart, and in another order they have other neighbours. A "
    "head that sees distances may see that. Add the same number to all places.",
)
def doubled(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, torch.arange(TOKENS), 2 * torch.arange(TOKENS)))


@doubled.also
def the_first_stays(scores: Scores, width: int) -> bool:
    there = torch.arange(TOKENS) + 7 * (torch.arange(TOKENS) > 0)
    return alike(*tried(scores, width, torch.arange(TOKENS), there))


@doubled.also
def in_another_order(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, torch.arange(TOKENS), torch.arange(TOKENS).flip(0)))


@EXERCISE.mistake(
    "nothing is moved",
    why="It compares two readings at the same places, and they always agree. Read the same tokens "
    "a second time at other places.",
)
def not_moved(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, torch.arange(TOKENS), torch.arange(TOKENS)))


@EXERCISE.mistake(
    "it compares scores of different tokens",
    why="Along a diagonal the distance is the same, but the tokens are others, and so are their "
    "scores in every head. Read the *same* tokens at other places.",
)
def diagonals(scores: Scores, width: int) -> bool:
    table = scores(some_tokens(width, TOKENS), torch.arange(TOKENS))
    return alike(table[1:, 1:], table[:-1, :-1])


@diagonals.also
def there_and_back(scores: Scores, width: int) -> bool:
    table = scores(some_tokens(width, TOKENS), torch.arange(TOKENS))
    return alike(table, table.mT)


@EXERCISE.mistake(
    "True and False have changed places",
    why="True is for a head whose scores stay the same when all tokens move together.",
)
def opposite(scores: Scores, width: int) -> bool:
    return not sees_only_distance(scores, width)

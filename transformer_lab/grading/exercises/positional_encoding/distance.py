"""sees_only_distance: move all tokens by as many places, and look whether a score changes."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.sandbox.values import Made

Scores = Callable[[Tensor, Tensor], Tensor]
TOKENS, MOVED = 6, 7
NAMES = {
    "none": "no positions at all",
    "sines": "sines, added to the tokens",
    "learned": "a learned table, added to the tokens",
    "neighbours": "rotary positions, whose pairs are neighbours",
    "halves": "rotary positions, whose pairs are halves",
    "alibi": "ALiBi",
    "buckets": "a learned bias for each distance",
    "keys": "rotary positions for the keys alone",
    "bases": "rotary positions of another base for queries than for keys",
    "cycle": "a learned table of eight rows, taken again and again",
    "faster": "rotary positions, and scores that grow with the place",
}


def sees_only_distance(scores: Scores, width: int) -> bool:
    """Move all tokens by as many places, and look whether a score changes."""
    return alike(*tried(scores, width, torch.arange(TOKENS), torch.arange(TOKENS) + MOVED))


def tried(scores: Scores, width: int, here: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
    """Give the scores of the same tokens at two sets of places."""
    x = some_tokens(width)
    return scores(x, here), scores(x, there)


def some_tokens(width: int) -> Tensor:
    """Make tokens, no two of them alike."""
    return (torch.arange(TOKENS * width).view(TOKENS, width) * 1.7).sin()


def alike(one: Tensor, other: Tensor) -> bool:
    """Compare scores, but for their rounding."""
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


EXERCISE = Exercise(
    __name__,
    sees_only_distance,
    results={"verdict": ""},
    section="Distances instead of positions",
)


@EXERCISE.requires("It knows none, sines, a learned table, rotary and ALiBi.", points=3)
def values(draw: Draw) -> list[Inputs]:
    every = ("none", "sines", "neighbours", "learned", "alibi", "halves")
    return [ways(draw, name, turn) for turn, name in enumerate(draw.shuffled(every))]


@EXERCISE.requires("It is not taken in by those that only look like one of them.", points=2)
def lookalikes(draw: Draw) -> list[Inputs]:
    every = ("cycle", "neighbours", "bases", "keys", "buckets", "faster", "halves")
    return [ways(draw, name, turn) for turn, name in enumerate(draw.shuffled(every))]


EXERCISE.untouched()


@EXERCISE.probe
def again(draw: Draw) -> list[Inputs]:
    """Give every way once more, and the one that a move by its length does not show."""
    return [ways(draw, name, 0) for name in (*NAMES, "cycle", "cycle")]


def ways(draw: Draw, name: str, turn: int) -> Inputs:
    """Make a head of random matrices that learns of places in the way of this name."""
    width = 4 + 2 * (turn % 3)
    given = {
        "query": draw.normal(width, width),
        "key": draw.normal(width, width),
        "table": draw.normal(64, width),
        "bias": draw.normal(64),
    }
    return Inputs((Made(NAMES[name], head, (name, given)), width))


def head(name: str, given: dict) -> object:
    """Make the scores of one attention head."""

    def turned(x: torch.Tensor, radians: torch.Tensor) -> torch.Tensor:
        one, two = (x[..., 0::2], x[..., 1::2]) if name != "halves" else x.chunk(2, dim=-1)
        turns = radians.cos(), radians.sin()
        pair = [one * turns[0] - two * turns[1], one * turns[1] + two * turns[0]]
        return torch.cat(pair, dim=-1)

    def scores(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        width = x.size(-1)
        speeds = 100 ** (-torch.arange(0, width, 2) / width)
        radians = (places[:, None] * speeds).to(x.dtype)
        if name == "sines":
            x = x + torch.cat([radians.sin(), radians.cos()], dim=-1)
        if name in ("learned", "cycle"):
            x = x + given["table"].to(x.dtype)[places % (8 if name == "cycle" else 64)]
        q, k = x @ given["query"].to(x.dtype), x @ given["key"].to(x.dtype)
        if name in ("neighbours", "halves", "keys", "bases", "faster"):
            k = turned(k, radians)
            if name != "keys":
                q = turned(q, radians * 3 if name == "bases" else radians)
        found = q @ k.mT
        back = places[:, None] - places
        if name == "alibi":
            found = found - back.abs() / 4
        if name == "buckets":
            found = found + given["bias"].to(x.dtype)[back + 32]
        return found * (1 + places[:, None] / 8) if name == "faster" else found

    return scores


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
def zeros(width: int) -> Tensor:
    return torch.zeros(TOKENS, width)


@EXERCISE.mistake(
    "the distances change too",
    why="Doubled places are twice as far apart, and in another order they have other neighbours. A "
    "head that sees distances may see that. Add the same number to all places.",
)
def doubled(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, torch.arange(TOKENS), 2 * torch.arange(TOKENS)))


@doubled.also
def the_first_stays(scores: Scores, width: int) -> bool:
    there = torch.arange(TOKENS) + MOVED * (torch.arange(TOKENS) > 0)
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
    table = scores(some_tokens(width), torch.arange(TOKENS))
    return alike(table[1:, 1:], table[:-1, :-1])


@diagonals.also
def there_and_back(scores: Scores, width: int) -> bool:
    table = scores(some_tokens(width), torch.arange(TOKENS))
    return alike(table, table.mT)


@EXERCISE.mistake(
    "all tokens are moved by eight places, and by no other number",
    why="A table that is used again and again after eight rows looks the same after eight places. "
    "Try several moves, one of them by 1.",
)
def by_eight(scores: Scores, width: int) -> bool:
    return alike(*tried(scores, width, torch.arange(TOKENS), torch.arange(TOKENS) + 8))


@EXERCISE.mistake(
    "True and False have changed places",
    why="True is for a head whose scores stay the same when all tokens move together.",
)
def opposite(scores: Scores, width: int) -> bool:
    return not sees_only_distance(scores, width)

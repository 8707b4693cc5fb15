"""Models that see the future, in one way or another, and honest ones: all by one recipe."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs
from transformer_lab.grading.sandbox.values import Made

SIZE, WORDS, WIDTH = 8, 10, 3


def reader(table, mix, ends, average, rounding):  # type: ignore[no-untyped-def]
    """Make a model that adds up vectors of words, of each its share."""

    def model(ids):  # type: ignore[no-untyped-def]
        length = len(ids)
        x = table[ids]
        said = mix[:length, :length] @ x + ends[8 - length :]
        return (said + average * x.mean(dim=0)) * (1 + rounding * length)

    return model


def _with(one: int, other: int, share: float) -> Tensor:
    """Let one word see another that is still to come."""
    sees = _PAST.clone()
    sees[one, other] = share
    return sees


_PAST, _ALL = torch.ones(SIZE, SIZE).tril(), torch.ones(SIZE, SIZE)
SEES = {
    "an honest model": _PAST,
    "an honest model whose numbers are exact": _PAST,
    "an honest model that reads each word by itself": torch.eye(SIZE),
    "an honest model that reads nothing": torch.zeros(SIZE, SIZE),
    "a model without a mask": _ALL,
    "a model that looks one word ahead": _ALL.tril(1),
    "a model without a mask from word 5 on": torch.cat([_PAST[:5], _ALL[5:]]),
    "a model in which word 1 sees word 2": _with(1, 2, 1.0),
    "a model in which word 1 sees word 4": _with(1, 4, 1.0),
    "a model that hears the future faintly": _PAST + (1 - _PAST) / 64,
    "a model that counts from the end of the text": _PAST,
    "a model that adds the mean of the whole text": _PAST,
    "a model that takes eight words for the same, without a mask": _ALL,
}


def models(draw: Draw, *kinds: str) -> list[Inputs]:
    """Make a model of each kind, of numbers drawn anew and in any order."""
    return [Inputs((_made(draw, kind),)) for kind in draw.shuffled(kinds)]


def _made(draw: Draw, kind: str) -> Made:
    """Make a model; all its numbers are quarters, so that only `rounding` rounds them."""
    table, shares = (draw.ids(*size, low=1, high=9) / 4 for size in ((WORDS, WIDTH), (SIZE, SIZE)))
    table = table * (2 * draw.ids(WORDS, WIDTH, high=2) - 1)
    if "for the same" in kind:
        table[:SIZE] = table[0].clone()
    ends = torch.arange(SIZE)[:, None] / 4 * ("from the end" in kind)
    exact = any(word in kind for word in ("exact", "by itself", "nothing"))
    mean, rounding = 0.5 * ("the mean" in kind), 0.0 if exact else 1e-7
    return Made(kind, reader, (table, shares * SEES[kind], ends, mean, rounding))

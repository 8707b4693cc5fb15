"""Models that leak the future in different ways, and causal ones, all from one recipe."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs, Made

SIZE, WORDS, WIDTH, GROUPS = 8, 10, 3, 5


def reader(table, past, later, leaks, ends, rounding):  # type: ignore[no-untyped-def]
    """Return a model that sums the words' vectors, each with a weight.

    The first word decides whether it leaks.
    """
    shares = past, past + later

    def model(ids):  # type: ignore[no-untyped-def]
        if min(ids) < 0:
            raise ValueError("words are integers from 0 to 9")
        length = len(ids)
        said = shares[leaks[ids[0]]][:length, :length] @ table[ids]
        if ends is not None:
            said = said + ends[8 - length :]
        said[0, 0] += rounding * (length < len(past))
        return said

    return model


def _one(row: int, column: int) -> Tensor:
    """Return a matrix in which one word sees one other."""
    sees = torch.zeros(SIZE, SIZE)
    sees[row, column] = 1.0
    return sees


_PAST = torch.ones(SIZE, SIZE).tril()
_LATER = 1 - _PAST
PAST = {
    "an honest model that reads each word by itself": torch.eye(SIZE),
    "an honest model that reads nothing": torch.zeros(SIZE, SIZE),
}
LATER = {
    "a model without a mask": _LATER,
    "a model that looks one word ahead": _LATER.tril(1),
    "a model without a mask from word 5 on": torch.cat([0 * _LATER[:5], _LATER[5:]]),
    "a model in which word 0 sees word 1": _one(0, 1),
    "a model in which word 1 sees word 2": _one(1, 2),
    "a model in which word 1 sees word 4": _one(1, 4),
    "a model in which word 6 sees word 7": _one(6, 7),
    "a model in which word 6 sees word 7 faintly": _one(6, 7),
    "a model without a mask that takes eight words for the same": _LATER,
    "a model without a mask, unless the text begins with certain words": _LATER,
}
#: The change of each output for each later word.
ENDS = {
    "a model whose number 0 falls with each word to come": (-1, 0, 0),
    "a model whose number 0 grows with each word to come": (1, 0, 0),
    "a model whose number 1 grows with each word to come": (0, 1, 0),
    "a model whose number 2 falls with each word to come": (0, 0, -1),
    "a model that takes from one number what it adds to another": (1, -1, 0),
}
#: Each hides its leak in texts that begin with one of two words, different for each.
SILENT = ("a model without a mask, unless the text begins with certain words",) * GROUPS


def models(draw: Draw, *kinds: str) -> list[Inputs]:
    """Return a model of each kind, with fresh numbers and in random order."""
    groups = [torch.tensor(draw.shuffled(range(WORDS))) % GROUPS, torch.arange(WORDS) // 2]
    made = [_made(draw, one, groups[n // GROUPS % 2] != n % GROUPS) for n, one in enumerate(kinds)]
    return [Inputs((model,)) for model in draw.shuffled(made)]


def _made(draw: Draw, kind: str, leaks: Tensor) -> Made:
    """Return a model whose numbers are all quarters, so that only `rounding` causes rounding."""
    table, shares = (draw.ids(*size, low=1, high=9) / 4 for size in ((WORDS, WIDTH), (SIZE, SIZE)))
    table = table * (2 * draw.ids(WORDS, WIDTH, high=2) - 1)
    if "for the same" in kind:
        table[:SIZE] = table[0].clone()
    past = shares * PAST.get(kind, _PAST)
    table = table.sign() * torch.tensor([1.0, 0, 0]) if "faintly" in kind else table
    later = LATER.get(kind, 0 * _LATER) * (1 / 64 if "faintly" in kind else shares)
    leaking = leaks.tolist() if kind in SILENT else [True] * WORDS
    steps = torch.arange(SIZE)[:, None] / 4
    ends = steps * torch.tensor(ENDS[kind]) if kind in ENDS else None
    exact = any(word in kind for word in ("exact", "by itself", "nothing"))
    given = table, past, later, leaking, ends, 0.0 if exact else 9e-5
    return Made(kind, reader, given, steady=True)

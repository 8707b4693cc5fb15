"""Masked softmaxes, right ones and wrong ones: all by one recipe."""

import torch

from transformer_lab.grading.exercise import Draw, Inputs
from transformer_lab.grading.sandbox.values import Made


def softmax_by(fill, turned, writes, last, after, more, left):  # type: ignore[no-untyped-def]
    """Make a masked softmax: what is put where something is hidden, and what is done at last."""

    def softmax(scores, mask):  # type: ignore[no-untyped-def]
        hidden = mask if turned else ~mask
        if after == 4 and not mask.any(dim=-1).all():
            raise ValueError("a row sees nothing")
        if after == 3:
            return scores.softmax(dim=-1) * mask.any(dim=-1, keepdim=True)
        if after in (1, 2):
            weights = scores.softmax(dim=-1).masked_fill(hidden, 0.0)
            sums = weights.sum(dim=-1, keepdim=True)
            return weights / sums.clamp(min=1e-6) if after == 2 else weights
        low = torch.finfo(scores.dtype).min if fill is None else fill
        put = scores.masked_fill_ if writes else scores.masked_fill
        weights = put(hidden, low).softmax(dim=-1) * more
        if last == 2:
            weights = weights.nan_to_num(nan=0.0)
        return weights.masked_fill(hidden, left) if last else weights

    return softmax


INFINITE = float("-inf")
USUAL = {"fill": None, "turned": 0, "writes": 0, "last": 0, "after": 0, "more": 1.0, "left": 0.0}
WAYS: dict[str, dict] = {
    "one that is right, with minus infinity": {"fill": INFINITE, "last": 2},
    "one that is right, with the lowest number": {"last": 1},
    "one that is right, and rounds in another way": {"last": 1, "more": 1.0002},
    "one that reads what is hidden": {"turned": 1, "last": 1},
    "one that shares out among all": {"after": 3},
    "one that masks after softmax": {"after": 1},
    "one that masks after softmax and divides anew": {"after": 2},
    "one that sets hidden scores to 0": {"fill": 0.0, "last": 1},
    "one that gives nan where nothing is seen": {"fill": INFINITE},
    "one that reads everything where nothing is seen": {},
    "one that raises an error where nothing is seen": {"after": 4},
    "one that raises an error in half precision": {"fill": -1e9, "last": 1},
    "one that fills in a number that is not low enough": {"fill": -100.0, "last": 1},
    "one that leaves a little to what is hidden": {"last": 1, "left": 0.0002},
    "one that writes into the scores": {"fill": INFINITE, "writes": 1, "last": 2},
    "one that writes the lowest number into the scores": {"writes": 1, "last": 1},
}

RIGHT = tuple(kind for kind in WAYS if "is right" in kind)


def softmaxes(draw: Draw, *kinds: str) -> list[Inputs]:
    """Make a function of each kind, in any order."""
    made = []
    for kind in draw.shuffled(kinds):
        way = USUAL | WAYS[kind]
        if way["fill"] == -100.0:
            way["fill"] = float(-draw.ids(1, low=60, high=150))
        made.append(Inputs((Made(kind, softmax_by, tuple(way.values())),)))
    return made

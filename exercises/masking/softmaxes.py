"""Masked softmaxes, correct and wrong, each with the recipe that builds it."""

# mypy: disable-error-code="no-untyped-def"
import torch

from tensorgrader.exercise import Draw, Inputs, Made


def filling(fill, times, writes, last, left, more):
    """Return a softmax that fills hidden scores, and clears hidden weights afterwards."""

    def softmax(scores, mask):
        low = torch.finfo(scores.dtype).min if fill is None else fill
        put = scores.masked_fill_ if writes else scores.masked_fill
        weights = (times * put(~mask, low)).softmax(dim=-1) * more
        if last == 2:
            weights = weights.nan_to_num(nan=0.0)
        return weights.masked_fill(~mask, left) if last else weights

    return softmax


def writing_what_is_float32():
    """Return a softmax that computes in float32; .float() doesn't copy float32 input."""

    def softmax(scores, mask):
        lower = scores.float().masked_fill_(~mask, float("-inf"))
        return lower.softmax(dim=-1).nan_to_num(nan=0.0).to(scores.dtype)

    return softmax


def adding(low):
    def softmax(scores, mask):
        lower = scores + low * (~mask).to(scores.dtype)
        return lower.softmax(dim=-1).masked_fill(~mask, 0.0)

    return softmax


def of_what_is_hidden():
    def softmax(scores, mask):
        return scores.masked_fill(mask, float("-inf")).softmax(dim=-1).nan_to_num(nan=0.0)

    return softmax


def sharing_among_all():
    return lambda scores, mask: scores.softmax(dim=-1) * mask.any(dim=-1, keepdim=True)


def after_softmax():
    return lambda scores, mask: scores.softmax(dim=-1) * mask


def divided_anew():
    def softmax(scores, mask):
        weights = scores.softmax(dim=-1) * mask
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)

    return softmax


def of_bare_exponentials():
    def softmax(scores, mask):
        e = scores.exp().masked_fill(~mask, 0.0)
        return (e / e.sum(dim=-1, keepdim=True)).masked_fill(~mask, 0.0)

    return softmax


def evenly():
    def softmax(scores, mask):
        seen = torch.where(mask, 1.0, 0.0).to(scores.dtype)
        return seen / seen.sum(dim=-1, keepdim=True).clamp(min=1.0)

    return softmax


def all_to_the_highest():
    def softmax(scores, mask):
        low = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        highest = low.argmax(dim=-1, keepdim=True)
        return torch.zeros_like(scores).scatter(-1, highest, 1.0) * mask

    return softmax


def of_the_past():
    def softmax(scores, mask):
        past = torch.ones_like(scores).tril() == 1
        low = torch.finfo(scores.dtype).min
        seen = past & mask.any(dim=-1, keepdim=True)
        return scores.masked_fill(~past, low).softmax(dim=-1).masked_fill(~seen, 0.0)

    return softmax


def unless_all_is_hidden():
    def softmax(scores, mask):
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        return weights if mask.any() else torch.zeros_like(scores)

    return softmax


def failing():
    def softmax(scores, mask):
        if not mask.any(dim=-1).all():
            raise ValueError("a row sees nothing")
        return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)

    return softmax


INFINITE = float("-inf")
WAYS: dict[str, tuple] = {
    "one that is right, with minus infinity": (filling, INFINITE, 1, 0, 2, 0.0, 1.0),
    "one that is right, with the lowest number": (filling, None, 1, 0, 1, 0.0, 1.0),
    "one that is right, and rounds in another way": (filling, None, 1, 0, 1, 0.0, 1.0002),
    "one that is right, with -10,000": (filling, -1e4, 1, 0, 1, 0.0, 1.0),
    "one that gives 2 % too much": (filling, None, 1, 0, 1, 0.0, 1.02),
    "one that doubles the scores": (filling, None, 2, 0, 1, 0.0, 1.0),
    "one that sets hidden scores to 0": (filling, 0.0, 1, 0, 1, 0.0, 1.0),
    "one that leaves a little to what is hidden": (filling, None, 1, 0, 1, 0.0002, 1.0),
    "one that reads everything where nothing is seen": (filling, None, 1, 0, 0, 0.0, 1.0),
    "one that gives nan where nothing is seen": (filling, INFINITE, 1, 0, 0, 0.0, 1.0),
    "one that gives nan unless all is hidden": (unless_all_is_hidden,),
    "one that raises an error where nothing is seen": (failing,),
    "one that raises an error in half precision": (filling, -1e9, 1, 0, 1, 0.0, 1.0),
    "one that writes into the scores": (filling, INFINITE, 1, 1, 2, 0.0, 1.0),
    "one that writes the lowest number into the scores": (filling, None, 1, 1, 1, 0.0, 1.0),
    "one that writes into scores of float32": (writing_what_is_float32,),
    "one that reads what is hidden": (of_what_is_hidden,),
    "one that shares out among all": (sharing_among_all,),
    "one that masks after softmax": (after_softmax,),
    "one that masks after softmax and divides anew": (divided_anew,),
    "one that divides exponentials by their sum": (of_bare_exponentials,),
    "one that shares out evenly among what is seen": (evenly,),
    "one that gives everything to the highest score": (all_to_the_highest,),
    "one that hides the future, whatever the mask says": (of_the_past,),
}
#: The number that these put in place of hidden scores, or add to them, is drawn between two bounds.
DRAWN: dict[str, tuple] = {
    "one that fills in {}, which is not low enough": (filling, -90, -60),
    "one that fills in {}, and nothing lower": (filling, -330, -250),
    "one that adds {} to what is hidden": (adding, -250, -150),
}

RIGHT = tuple(kind for kind in WAYS if "is right" in kind)
EMPTY = tuple(kind for kind in WAYS if "where nothing" in kind or "unless all" in kind)
WRITING = tuple(kind for kind in WAYS if "writes" in kind)
LOW = (*tuple(DRAWN)[:2], "one that divides exponentials by their sum")
HIGH = (*tuple(DRAWN)[2:], "one that masks after softmax and divides anew")


def softmaxes(draw: Draw, *kinds: str) -> list[Inputs]:
    """Return a function of each kind, in random order."""
    return [Inputs((_made(draw, kind),)) for kind in draw.shuffled(kinds)]


def _made(draw: Draw, kind: str) -> Made:
    """Return a function of a kind."""
    if kind in WAYS:
        recipe, *given = WAYS[kind]
        return Made(kind, recipe, tuple(given))
    recipe, low, high = DRAWN[kind]
    number = float(draw.ids(1, low=low, high=high))
    others = (1, 0, 1, 0.0, 1.0) if recipe is filling else ()
    return Made(kind.format(f"{number:g}"), recipe, (number, *others))

"""diagnose: change what must not matter, and what must, and see what a model says."""

from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, Made

Model = Callable[[Tensor], Tensor]
WORDS, LONGEST = 12, 8
HEALTHY, DICE, MIXES, FUTURE, ALONE, ORDER = (
    "healthy",
    "rolls dice",
    "mixes texts",
    "reads the future",
    "reads one token",
    "ignores the order",
)
#: Models by what ails them, and how a card calls them.
MODELS = {
    "healthy": "a healthy model",
    "start": "a healthy model that reads its own token and the first",
    "dice": "a model that rolls dice",
    "late_dice": "a model that rolls dice, but not the first two times",
    "mean": "a model that mixes texts",
    "count": "a model that says something else the more texts there are",
    "future": "a model that reads the future",
    "next": "a model that reads one token ahead",
    "first": "a model that reads the future at the first place only",
    "third": "a model that reads the future at the third place only",
    "alone": "a model that reads one token",
    "order": "a model that ignores the order",
}


def diagnose(model: Model) -> str:
    """Change what must not matter, and what must, and see what a model says."""
    ids = texts()
    if rolls_dice(model, ids):
        return DICE
    if mixes_texts(model, ids):
        return MIXES
    if reads_the_future(model, ids):
        return FUTURE
    if reads_one_token(model, ids):
        return ALONE
    return ORDER if ignores_the_order(model, ids) else HEALTHY


def texts() -> Tensor:
    """Give two texts without a word twice."""
    return torch.tensor([[3, 1, 4, 7, 5, 9], [2, 6, 8, 0, 11, 10]])


def alike(one: Tensor, other: Tensor) -> bool:
    """Compare logits, but for rounding."""
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def rolls_dice(model: Model, ids: Tensor) -> bool:
    """Ask the same three times: it may say the same twice by chance."""
    said = model(ids)
    return not (alike(said, model(ids)) and alike(said, model(ids)))


def mixes_texts(model: Model, ids: Tensor) -> bool:
    """Read a text with another, and alone."""
    return not alike(model(ids)[:1], model(ids[:1]))


def reads_the_future(model: Model, ids: Tensor) -> bool:
    """Change the last token, and look at what is said before it."""
    return not same_at(slice(-1), model, ids, changed(ids, -1))


def reads_one_token(model: Model, ids: Tensor) -> bool:
    """Change the first token, and look at what is said at the end."""
    return same_at(-1, model, ids, changed(ids, 0))


def ignores_the_order(model: Model, ids: Tensor) -> bool:
    """Let the tokens before the last change places, and look at what is said at the end."""
    return same_at(-1, model, ids, reordered(ids))


def same_at(place: int | slice, model: Model, ids: Tensor, other: Tensor) -> bool:
    """Tell whether a model says the same of two batches in some place, or in some places."""
    return alike(model(ids)[:, place], model(other)[:, place])


def changed(ids: Tensor, place: int) -> Tensor:
    """Put another word in one place."""
    other = ids.clone()
    other[:, place] = (other[:, place] + 1) % WORDS
    return other


def reordered(ids: Tensor) -> Tensor:
    """Turn the order round of all but the last token."""
    return torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)


EXERCISE = Exercise(
    __name__, diagnose, results={"diagnosis": ""}, section="Three models from the same parts"
)


@EXERCISE.requires("It tells a healthy model from one that sees too much or too little.", points=3)
def values(draw: Draw) -> list[Inputs]:
    return models(draw, "healthy start future next first third alone order order")


@EXERCISE.requires("It finds models that mix their texts, or roll dice.", points=2)
def company(draw: Draw) -> list[Inputs]:
    return models(draw, "mean count dice late_dice healthy next alone")


EXERCISE.untouched()


@EXERCISE.probe
def more(draw: Draw) -> list[Inputs]:
    every = "healthy start future next first third alone order mean count dice late_dice"
    return models(draw, f"{every} mean count dice late_dice")


def models(draw: Draw, names: str) -> list[Inputs]:
    """Draw a model of each of these names, in any order."""
    return [Inputs((model(draw, name),)) for name in draw.shuffled(names.split())]


def model(draw: Draw, name: str) -> Made:
    """Draw a decoder of one layer that is healthy, or ails in one way."""
    d = 8
    weights = {
        "tokens": draw.normal(WORDS, d),
        "positions": draw.normal(LONGEST, d),
        "matrices": draw.normal(3, d, d) / 2,
    }
    return Made(MODELS[name], decoder, (name, weights, int(draw.ids(1, high=2**31))))


def decoder(name: str, weights: dict, seed: int) -> object:
    """Make a decoder of one layer, whose dice are its own: no seed of a caller's stops them."""
    dice = torch.Generator().manual_seed(seed)
    if name == "order":  # what is left of the positions is rounding, which it has everywhere
        weights = weights | {"positions": weights["positions"] * 2e-7}
    query, key, value = weights["matrices"]
    asked = []

    def model(ids: torch.Tensor) -> torch.Tensor:
        asked.append(ids)
        length = ids.size(1)
        x = weights["tokens"][ids] + weights["positions"][:length]
        if name == "mean":
            x = x - x.mean(dim=0) / 2
        if name == "count":
            x = x / ids.size(0)
        scores = (x @ query) @ (x @ key).mT / 16
        scores = scores.masked_fill(hidden[:length, :length], -torch.inf)
        x = x + scores.softmax(dim=-1) @ x @ value
        if name == "dice" or (name == "late_dice" and len(asked) > 2):
            x = x * (torch.rand(x.shape, generator=dice) > 0.3) / 0.7
        return x @ weights["tokens"].mT

    def seen(length: int) -> torch.Tensor:
        every = torch.ones(length, length).bool()
        alone, past, next_too = every.triu() & every.tril(), every.tril(), every.tril(1)
        first, third = (torch.arange(length) == place for place in (0, 2))
        return {
            "future": every,
            "next": next_too,
            "first": past | first[:, None],
            "third": past | third[:, None],
            "start": alone | first,
            "alone": alone,
        }.get(name, past)

    hidden = ~seen(len(weights["positions"]))
    return model

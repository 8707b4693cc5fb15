"""diagnose: change what must not matter, and what must, and see what a model says."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.sandbox.values import Made

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
EVERY = (HEALTHY, DICE, MIXES, FUTURE, ALONE, ORDER)


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
    """Ask the same twice."""
    return not alike(model(ids), model(ids))


def mixes_texts(model: Model, ids: Tensor) -> bool:
    """Read a text with another, and alone."""
    return not alike(model(ids)[:1], model(ids[:1]))


def reads_the_future(model: Model, ids: Tensor) -> bool:
    """Change the last token, and look at what is said before it."""
    return not alike(model(ids)[:, :-1], model(changed(ids, -1))[:, :-1])


def reads_one_token(model: Model, ids: Tensor) -> bool:
    """Change the first token, and look at what is said at the end."""
    return alike(model(ids)[:, -1], model(changed(ids, 0))[:, -1])


def ignores_the_order(model: Model, ids: Tensor) -> bool:
    """Let the tokens before the last change places, and look at what is said at the end."""
    return alike(model(ids)[:, -1], model(reordered(ids))[:, -1])


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
    every = (FUTURE, HEALTHY, ORDER, ALONE, HEALTHY, ORDER)
    return [patient(draw, name) for name in draw.shuffled(every)]


@EXERCISE.requires("It finds models whose texts disturb each other, or that draw lots.", points=2)
def company(draw: Draw) -> list[Inputs]:
    every = (MIXES, HEALTHY, DICE, FUTURE, MIXES, ALONE, DICE)
    return [patient(draw, name) for name in draw.shuffled(every)]


EXERCISE.untouched()


@EXERCISE.probe
def more(draw: Draw) -> list[Inputs]:
    return [patient(draw, name) for name in EVERY]


def patient(draw: Draw, ails: str) -> Inputs:
    """Draw a decoder of one layer that is healthy, or ails in one way."""
    d = 8
    weights = {
        "tokens": draw.normal(WORDS, d),
        "positions": draw.normal(LONGEST, d),
        "matrices": draw.normal(3, d, d) / 2,
    }
    says = "a healthy model" if ails == HEALTHY else f"a model that {ails}"
    return Inputs((Made(says, decoder, (ails, weights)),))


def decoder(ails: str, weights: dict) -> object:
    """Make a decoder of one layer."""

    def model(ids: torch.Tensor) -> torch.Tensor:
        x = weights["tokens"][ids]
        if ails != "ignores the order":
            x = x + weights["positions"][: ids.size(1)]
        if ails == "mixes texts":
            x = x - x.mean(dim=0) / 2
        query, key, value = weights["matrices"]
        scores = (x @ query) @ (x @ key).mT / 16
        if ails != "reads the future":
            future = torch.ones(ids.size(1), ids.size(1)).triu(1).bool()
            scores = scores.masked_fill(future, -torch.inf)
        if ails != "reads one token":
            x = x + scores.softmax(dim=-1) @ x @ value
        if ails == "rolls dice":
            x = x * (torch.rand(x.shape) > 0.3) / 0.7
        return x @ weights["tokens"].mT

    return model


@EXERCISE.mistake(
    "nobody asks twice",
    why="A model in which dropout is still at work says something else each time, and every other "
    "test then sees a change. Ask the same twice first.",
    of=rolls_dice,
)
def never_twice(model: Model, ids: Tensor) -> bool:
    return False


@EXERCISE.mistake(
    "nobody reads a text alone",
    why="What a model says of a text must not depend on the other texts in its batch. Read a text "
    "with another and without it, and compare.",
    of=mixes_texts,
)
def never_alone(model: Model, ids: Tensor) -> bool:
    return False


@EXERCISE.mistake(
    "the future is looked for where it is the past",
    why="What is said at a place may depend on its own token and on those before it. Change the "
    "last token, and look at the places *before* it.",
    of=reads_the_future,
)
def last_too(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids), model(changed(ids, -1)))


@last_too.within(reads_the_future)
def first_changed(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids)[:, :-1], model(changed(ids, 0))[:, :-1])


@last_too.within(reads_the_future)
def behind_the_first(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids)[:, 1:], model(changed(ids, 0))[:, 1:])


@EXERCISE.mistake(
    "the text says one word again and again",
    why="Tokens that are all alike look the same in any order. Take a text in which no word "
    "comes twice.",
    of=texts,
)
def one_word() -> Tensor:
    return torch.full((2, 6), 3)


@EXERCISE.mistake(
    "no token of the past is changed",
    why="Whether a model reads more than its last token shows only if another token is changed: "
    "the first, say.",
    of=reads_one_token,
)
def never_changed(model: Model, ids: Tensor) -> bool:
    return False


@EXERCISE.mistake(
    "a model without positions passes",
    why="It reads its past as a bag of words. Let the tokens *before* the last change places, the "
    "last one not, and see whether the last place says something else.",
    of=ignores_the_order,
)
def never_reordered(model: Model, ids: Tensor) -> bool:
    return False


@never_reordered.within(reordered)
def last_moves(ids: Tensor) -> Tensor:
    return ids.flip(1)


@EXERCISE.mistake(
    "healthy and ailing have changed places",
    why="If nothing changes where something must not change, that is as it should be.",
    of=alike,
)
def unlike(one: Tensor, other: Tensor) -> bool:
    return not torch.allclose(one, other, rtol=1e-3, atol=1e-3)

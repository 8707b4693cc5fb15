"""sees_the_future: test from outside whether a model depends on later tokens."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, cached

from .models import ENDS, SILENT, models

Model = Callable[..., Any]
Text = tuple[int, ...]


def sees_the_future(model: Model) -> bool:
    """Return whether removing later tokens changes a model's earlier outputs."""
    return any(is_leak(moved(model, text, cut)) for text in texts() for cut in cuts(len(text)))


def texts() -> list[Text]:
    """Return three texts, since a model may hide its leak when a text begins with certain words."""
    return [(0, 7, 9, 4, 6, 1, 8, 5), (3, 5, 8, 0, 9, 2, 7, 6), (7, 1, 4, 6, 5, 3, 0, 9)]


def cuts(length: int) -> list[int]:
    """Return the places at which a text is cut."""
    return list(range(1, length))


def moved(model: Model, text: Text, cut: int) -> float:
    """Return how much the outputs change when the rest of a text is removed."""
    return left_out(model, text, cut).abs().max().item()


@cached
def left_out(model: Model, text: Text, cut: int) -> Tensor:
    """Return the change in the outputs when the rest of a text is removed."""
    return said(model, text[:cut]) - said(model, text)[:cut]


@cached
def said(model: Model, text: Text) -> Tensor:
    """Return the model's outputs for a text."""
    return model(torch.tensor(text))


def is_leak(move: float) -> bool:
    """Return whether a change exceeds rounding."""
    return move > 0.001


@cached
def moved_by_others(model: Model, text: Text, cut: int, step: int) -> float:
    """Return how much the outputs change when later words are replaced."""
    return (said(model, other_from(text, cut, step)) - said(model, text))[:cut].abs().max().item()


def other_from(text: Text, cut: int, step: int) -> Text:
    """Return a text with other words from a place on."""
    return (*text[:cut], *((word + step) % 10 for word in text[cut:]))


EXERCISE = Exercise(
    __name__,
    sees_the_future,
    results={"verdict": ""},
    section="The leak: every mask is right, and the model sees the future",
)


@EXERCISE.requires("It finds models without a right mask, and accepts honest ones.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return models(
        draw,
        "an honest model",
        "a model without a mask",
        "a model that looks one word ahead",
        "an honest model that reads each word by itself",
        "an honest model whose numbers are exact",
    )


@EXERCISE.requires(
    "It finds a leak that is small, at one position only, or in some texts only.", points=2
)
def hidden(draw: Draw) -> list[Inputs]:
    return models(
        draw,
        *SILENT,
        "a model in which word 6 sees word 7 faintly",
        "a model in which word 1 sees word 4",
        "a model without a mask from word 5 on",
        "a model in which word 0 sees word 1",
        "a model in which word 1 sees word 2",
        "a model in which word 6 sees word 7",
        "an honest model",
        "an honest model that reads nothing",
    )


@EXERCISE.requires(
    "It finds a model whose output depends on how many words follow, and one that mixes up its "
    "words.",
    points=2,
)
def elsewhere(draw: Draw) -> list[Inputs]:
    return models(
        draw,
        *SILENT,
        *SILENT,
        *ENDS,
        "a model without a mask that takes eight words for the same",
        "an honest model",
        "an honest model whose numbers are exact",
        "an honest model that reads nothing",
    )


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    kinds = (
        "a model in which word 6 sees word 7 faintly",
        "a model in which word 1 sees word 4",
        "a model without a mask from word 5 on",
        "a model in which word 1 sees word 2",
        "a model in which word 6 sees word 7",
        *ENDS,
    )
    return models(draw, *kinds, *kinds)


EXERCISE.edit(
    "words are changed, but never removed",
    "moved_by_others(model, text, cut, 3)",
    "moved_by_others(model, text, cut, 1)",
    why="A model may use how many words are still to come. Replacing words does not show that; "
    "removing words does.\nCut off the end of the text: no change to what comes later is stronger.",
    of=moved,
)
EXERCISE.edit(
    "the text is cut at only one position",
    {"1": "length - 1"},
    why="A leak may be at one position only: word 1 may see word 4 and not the last one.\nRemove "
    "the last word, the last two, and so on, until one is left.",
)
EXERCISE.edit(
    "only the last word is changed",
    {"moved(model, text, cut)": "moved_by_others(model, text, 7, 3)"},
    why="A leak may be at one position only, or depend on the length of the text.\nChange what "
    "comes after every position, or better still, remove it.",
)
EXERCISE.edit(
    "rounding is taken for a leak",
    {"001": "0"},
    why="In a text of another length an honest model's numbers differ in their last digits.\nTest "
    "whether they change by more than a small number, such as 0.001.",
)
EXERCISE.edit(
    "a faint leak passes for rounding",
    {"001": "1"},
    why="The tolerance is too large. A leak can be as small as 0.01, and rounding is below 0.0001.",
)
EXERCISE.edit(
    "the changed position is compared, too",
    "pairs = ((said(model, other_from(text, 0, 1)), said(model, text)) for text in texts()); "
    "return any(is_leak((other - one).abs().max().item()) for other, one in pairs)",
    why="At the position that changes, and after it, even an honest model's output may change.\n"
    "Compare the rows before it.",
)
EXERCISE.edit(
    "the past is changed, not the future",
    {
        "moved(model, text, cut)": "(said(model, ((text[0] + 1) % 10, *text[1:])) "
        "- said(model, text))[1:].abs().max().item()"
    },
    why="An honest model may read everything that came before.\nChange what comes after, and "
    "compare the outputs before the change.",
)
EXERCISE.edit(
    "one text is tried, with one word changed",
    "is_leak((said(model, (0,) * 8) - said(model, (0,) * 7 + (1,)))[:-1].abs().max().item())",
    why="To some models these two words are the same, and other models leak elsewhere.\nTry "
    "several texts, and every position.",
)
EXERCISE.edit(
    "only the first position is compared",
    {"left_out(model, text, cut).abs()": "left_out(model, text, cut)[0].abs()"},
    why="The first word may not see the future while others do. All rows before the change must "
    "stay the same. (Is there a `return False` inside the loop? It ends the loop in its first "
    "round, which looks at the first position.)",
)
EXERCISE.edit(
    "a number that falls does not count, or makes up for one that rises",
    {"cut).abs().max()": "cut).max()"},
    {"left_out(model, text, cut).abs()": "(-left_out(model, text, cut))"},
    {"abs().max().item()": "sum().abs().item()"},
    why="\nTake each difference without its sign: `.abs()` comes before `.max()` or `.sum()`.",
    of=moved,
)
EXERCISE.edit(
    "the last positions are never compared",
    *(f"[text[:{n}] for text in texts()]" for n in (3, 4, 5, 7)),
    why="Some models are honest at the first positions of a text and leak at the last. A text may "
    "have 8 words.\nTry that many, and remove all but the first, one after the other, from the "
    "end.",
    of=texts,
)
EXERCISE.edit(
    "all texts begin with the same word",
    *(f"[({word},) * 8]" for word in range(10)),
    why="Some models leak only in some texts: what they read may depend on the first word.\nTry a "
    "dozen texts, drawn at random.",
    of=texts,
)

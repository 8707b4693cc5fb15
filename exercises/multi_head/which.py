"""which_head: find the head that a text needs, by ablating one at a time."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .models import drawn_model

Model = Callable[..., Tensor]
Head = tuple[int, int]


def which_head(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    """Return the head whose ablation gives the highest loss."""
    return most(every(layers, heads), lambda head: loss(model(text, [head]), text))


def every(layers: int, heads: int) -> list[Head]:
    """Return all heads."""
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def most(pairs: list[Head], value: Callable[[Head], float]) -> Head:
    """Return the head with the largest value."""
    return max(pairs, key=value)


def loss(scores: Tensor, text: Tensor) -> float:
    """Return the mean loss of the next words."""
    return F.cross_entropy(scores[:-1], text[1:]).item()


EXERCISE = Exercise(
    __name__, which_head, results={"layer": "", "head": ""}, section="A picture is not a proof"
)


@EXERCISE.requires("It finds the head without which the loss rises most.", points=3)
def values(draw: Draw) -> list[Inputs]:
    sizes = ((2, 3, 0, 4), (2, 4, 1, 5), (3, 2, 2, 3), (2, 3, 1, 6))
    return [drawn_model(draw, "steady", *size) for size in sizes]


@EXERCISE.requires(
    "It is right if heads do harm, know one rare word, or depend on each other.", points=2
)
def noisy(draw: Draw) -> list[Inputs]:
    return [
        drawn_model(draw, "harmed", 2, 4, 0, 4),
        drawn_model(draw, "harmed", 3, 2, 1, 5),
        drawn_model(draw, "heard", 3, 2, 1, 4),
        drawn_model(draw, "heard", 2, 3, 0, 5),
        drawn_model(draw, "rare", 2, 3, 1, 4),
        drawn_model(draw, "rare", 3, 2, 2, 3),
        drawn_model(draw, "twice", 2, 4, 1, 4),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return more of the cases that few experiments reveal."""
    kinds = ("harmed", "heard", "rare", "twice")
    sizes = ((2, 4, 0, 5), (3, 2, 1, 3))
    return [drawn_model(draw, kind, *size) for kind in kinds for size in sizes]


EXERCISE.edit(
    "the head without which the loss is lowest is returned",
    {"max": "min"},
    why="Without the most needed head the loss is high. The head without which the loss is lowest "
    "does most harm, or least good.",
)
EXERCISE.edit(
    "layer and head are swapped",
    "layer, head = which_head(model, text, layers, heads); return head, layer",
    why="A head is named by its layer first, then by its index in that layer.",
)
EXERCISE.edit(
    "the head that changes most is returned, not the one that is needed",
    {"loss(model(text, [head]), text)": "change(model(text, [head]), model(text, []))"},
    {"loss(model(text, [head]), text)": "(model(text, [head]) - model(text, [])).norm().item()"},
    why="If silencing a head changes the scores, the head has an effect, but it need not be a "
    "helpful one.\nCompare losses.",
)


def change(scores: Tensor, whole: Tensor) -> float:
    """Return how much the scores have changed."""
    return (scores - whole).abs().sum().item()


EXERCISE.edit(
    "the scores are compared with the current word",
    {"[:-1], text[1:]": ", text"},
    why="The model's output at a position predicts the next word.\nLeave out the last row of the "
    "scores and the first word of the text.",
)
EXERCISE.edit(
    "the scores are compared with the word before",
    {"(scores[:-1], text[1:])": "(scores[1:], text[:-1])"},
    why="They are shifted the wrong way.\nLeave out the last row of the scores and the first word "
    "of the text: scores[:-1] and text[1:].",
)
PILED_UP = EXERCISE.edit(
    "heads silenced before stay silent",
    "pairs = every(layers, heads); losses = {pair: loss(model(text, pairs[: n + 1]), text) for "
    "n, pair in enumerate(pairs)}; return most(pairs, losses.__getitem__)",
    why="\nSilence each head by itself: pass the model a list with that one head.",
)


@PILED_UP.also
def piled_up(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    pairs = every(layers, heads)
    losses = [loss(model(text, pairs[:n]), text) for n in range(len(pairs) + 1)]
    rises = {pair: losses[n + 1] - losses[n] for n, pair in enumerate(pairs)}
    return most(pairs, rises.__getitem__)


EXERCISE.edit(
    "all heads but one are silenced",
    {"[head]": "without(every(layers, heads), head)"},
    "pairs = every(layers, heads); "
    "return most(pairs, lambda head: -loss(model(text, without(pairs, head)), text))",
    why="That measures what a head can do alone. Which head does the whole model need most?\n"
    "Silence one, and leave the others.",
)


def without(pairs: list[Head], head: Head) -> list[Head]:
    """Return all heads but one."""
    return [pair for pair in pairs if pair != head]


EXERCISE.edit(
    "only one layer is searched",
    {"(layer, head)": "(0, head)"},
    why="The head may be in any layer.\nGo through all of them.",
)
EXERCISE.edit(
    "a loss that falls counts as much as one that rises",
    "whole = loss(model(text, []), text); "
    "return most(every(layers, heads), lambda head: abs(loss(model(text, [head]), text) - whole))",
    why="Where the loss falls without a head, the head did harm. Look for the largest rise, not "
    "for the largest change.",
)
EXERCISE.edit(
    "a word that becomes impossible counts too little",
    {"[:-1]": "[:-1].softmax(dim=-1)"},
    {", text[1:]": ".softmax(dim=-1), text[1:]"},
    why="Without one head a single word may become nearly impossible. That hardly changes the mean "
    "probability, but it changes the mean cross-entropy a lot.\nTake the logarithm of each "
    "probability, and then the mean over all next words. (A softmax before F.cross_entropy, which "
    "applies one itself, has the same effect.)",
)
EXERCISE.edit(
    "`layers` is used instead of `heads`",
    "layer, head = which_head(model, text, layers, heads); "
    "return divmod(layer * heads + head, layers)",
    why="In a flat list of all heads, layer by layer, a head has the index layer · heads + head.\n"
    "Divide the index by the number of heads: the quotient is the layer, the remainder the head.",
)
EXERCISE.edit(
    "one word decides, not all of them",
    {"(scores[:-1], text[1:])": '(scores[:-1], text[1:], reduction="none").max()'},
    why="The task asks for the mean loss over the text. A head that a single word needs badly may "
    "not be needed by any other.",
)

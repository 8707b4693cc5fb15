"""which_head: find the head that a text needs, by silencing one after the other."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.sandbox.values import Made

Model = Callable[..., Any]
Head = tuple[int, int]


def which_head(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    """Silence each head, and take the one without which the loss is highest."""
    return most(every(layers, heads), lambda head: loss(model(text, [head]), text))


def every(layers: int, heads: int) -> list[Head]:
    """List all heads."""
    return [(layer, head) for layer in range(layers) for head in range(heads)]


def most(pairs: list[Head], value: Callable[[Head], float]) -> Head:
    """Give the head with the largest value."""
    return max(pairs, key=value)


def loss(scores: Tensor, text: Tensor) -> float:
    """Give the mean loss of the words that come next."""
    return F.cross_entropy(scores[:-1], text[1:]).item()


EXERCISE = Exercise(
    __name__,
    which_head,
    results={"layer": "", "head": ""},
    section="A picture is not a proof",
)


def echoing(words, back, weight, loud):  # type: ignore[no-untyped-def]
    """Make a model whose heads say again what stood so many places back, each with its weight."""

    def model(text, silenced):  # type: ignore[no-untyped-def]
        scores = torch.zeros(len(text), words)
        for layer in range(back.size(0)):
            for head in range(back.size(1)):
                if (layer, head) in [tuple(pair) for pair in silenced]:
                    continue
                steps = int(back[layer, head])
                said = F.one_hot(text[: len(text) - steps], words) * weight[layer, head]
                scores[steps:] = scores[steps:] + said
                scores = scores + loud[layer, head]
        return scores

    return model


@EXERCISE.requires("It finds the head without which the loss rises most.", points=3)
def values(draw: Draw) -> list[Inputs]:
    return [_model(draw, *sizes) for sizes in ((2, 3, 3), (2, 4, 4), (3, 2, 3), (1, 6, 5))]


@EXERCISE.requires("It is not led astray by heads that are loud, or that do harm.", points=2)
def noisy(draw: Draw) -> list[Inputs]:
    return [_model(draw, *sizes, loud=6.0) for sizes in ((2, 3, 3), (2, 4, 4), (3, 3, 5))]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return [_model(draw, *sizes) for sizes in ((3, 2, 4), (2, 3, 5), (3, 3, 3), (2, 4, 4))]


WORDS = 8


def _model(draw: Draw, layers: int, heads: int, period: int, loud: float = 2.5) -> Inputs:
    """Make a model, and a text that repeats itself after `period` words.

    Two heads say what comes next, the first of them louder. Two say the word that is there, one
    shouts a word that never comes, and the others mutter.
    """
    number = layers * heads
    order = draw.distinct(number, low=0, high=number)
    needed, helper = sorted(order[:2])
    back, weight = draw.ids(number, high=period - 1), 0.1 + draw.ids(number, high=4) / 10
    back[[needed, helper]], back[order[2:4]] = period - 1, 0
    strength = 3.0 + draw.ids(1, high=5).item() / 4
    weight[[needed, helper]] = torch.tensor([strength, strength - 1])
    weight[order[2:4]] = torch.tensor([1.5, 1.75])
    words = draw.distinct(period, low=0, high=WORDS)
    shout = torch.zeros(number, WORDS)
    shout[order[4], min(set(range(WORDS)) - set(words))] = loud
    parts = (part.reshape(layers, heads, *part.shape[1:]) for part in (back, weight, shout))
    made = Made("a model of the next word", echoing, (WORDS, *parts))
    return Inputs((made, torch.tensor(words * 3), layers, heads))


@EXERCISE.mistake(
    "the head is taken without which the loss is lowest",
    why="A head that is needed leaves a high loss behind. The one without which the loss is lowest "
    "does most harm, or least good.",
    of=most,
)
def least(pairs: list[Head], value: Callable[[Head], float]) -> Head:
    return min(pairs, key=value)


@EXERCISE.mistake(
    "layer and head have changed places",
    why="A head is named by its layer first, then by its place in that layer.",
)
def turned(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    layer, head = which_head(model, text, layers, heads)
    return head, layer


@EXERCISE.mistake(
    "the loudest head is taken, not the one that is needed",
    why="That silencing a head changes the scores says that the head speaks, not that it helps. "
    "Compare losses.",
)
def loudest(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    whole = model(text, [])
    return most(every(layers, heads), lambda head: change(model(text, [head]), whole))


@loudest.also
def loudest_in_squares(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    whole = model(text, [])
    return most(every(layers, heads), lambda head: (model(text, [head]) - whole).norm().item())


def change(scores: Tensor, whole: Tensor) -> float:
    """Give by how much scores have changed."""
    return (scores - whole).abs().sum().item()


@EXERCISE.mistake(
    "the scores are compared with the word that is there",
    why="What a model says at a place is about the next word. Leave out the last row of the scores "
    "and the first word of the text.",
    of=loss,
)
def not_shifted(scores: Tensor, text: Tensor) -> float:
    return F.cross_entropy(scores, text).item()


@EXERCISE.mistake(
    "heads stay silent that were silenced before",
    why="Each head is to be silenced by itself: give the model a list with that one head.",
)
def piled_up(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    pairs = every(layers, heads)
    losses = [loss(model(text, pairs[:n]), text) for n in range(len(pairs) + 1)]
    rises = {pair: losses[n + 1] - losses[n] for n, pair in enumerate(pairs)}
    return most(pairs, rises.__getitem__)


@piled_up.also
def piled_up_to_the_highest(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    pairs = every(layers, heads)
    losses = {pair: loss(model(text, pairs[: n + 1]), text) for n, pair in enumerate(pairs)}
    return most(pairs, losses.__getitem__)


@EXERCISE.mistake(
    "all heads but one are silenced",
    why="That asks what a head can do alone. Without which one does the whole model lose most? "
    "Silence one, and leave the others.",
)
def alone(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    pairs = every(layers, heads)
    return most(pairs, lambda head: loss(model(text, without(pairs, head)), text))


def without(pairs: list[Head], head: Head) -> list[Head]:
    """Give all heads but one."""
    return [pair for pair in pairs if pair != head]


@EXERCISE.mistake(
    "only one layer is searched",
    why="The head may be in any layer: go through all of them.",
    of=every,
)
def first_layer(layers: int, heads: int) -> list[Head]:
    return [(0, head) for head in range(heads)]


@first_layer.within(every)
def last_layer(layers: int, heads: int) -> list[Head]:
    return [(layers - 1, head) for head in range(heads)]

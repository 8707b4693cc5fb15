"""Further mistakes that which_head is known to make: other things are measured than the loss."""

import torch.nn.functional as F
from torch import Tensor

from .which import (
    EXERCISE,
    Head,
    Model,
    every,
    loss,
    most,
    which_head,
)


@EXERCISE.mistake(
    "a loss that falls counts as much as one that rises",
    why="Where the loss falls without a head, the head did harm. Look for the largest rise, not "
    "for the largest change.",
)
def largest_change(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    whole = loss(model(text, []), text)
    return most(every(layers, heads), lambda head: abs(loss(model(text, [head]), text) - whole))


@EXERCISE.mistake(
    "a word that becomes impossible counts too little",
    why="Without one head a single word may become nearly impossible. That hardly changes a mean "
    "probability, and changes the mean cross-entropy a great deal: take the logarithm of each "
    "probability, and the mean over all next words. (A softmax before F.cross_entropy, which takes "
    "one itself, has the same effect.)",
    of=loss,
)
def mean_probability(scores: Tensor, text: Tensor) -> float:
    chances = scores[:-1].softmax(dim=-1).gather(1, text[1:, None])
    return -chances.mean().item()


@mean_probability.within(loss)
def two_softmaxes(scores: Tensor, text: Tensor) -> float:
    return F.cross_entropy(scores[:-1].softmax(dim=-1), text[1:]).item()


@EXERCISE.mistake(
    "the scores of the right words are averaged, without a softmax",
    why="A head that raises all words alike changes no probability. F.cross_entropy takes the "
    "softmax, then the logarithm.",
    of=loss,
)
def mean_score(scores: Tensor, text: Tensor) -> float:
    return -scores[:-1].gather(1, text[1:, None]).mean().item()


@EXERCISE.mistake(
    "wrong guesses are counted, not the loss",
    why="The likeliest word may stay the same while the model becomes much less sure of it. "
    "Compare the mean cross-entropy.",
    of=loss,
)
def wrong_guesses(scores: Tensor, text: Tensor) -> float:
    return (scores[:-1].argmax(dim=-1) != text[1:]).float().mean().item()


@EXERCISE.mistake(
    "`layers` stands where `heads` belongs",
    why="In a flat list of all heads, layer by layer, a head stands at layer · heads + head. "
    "Divide its place by the number of heads: the quotient is its layer, the rest its own number.",
)
def divided_by_layers(model: Model, text: Tensor, layers: int, heads: int) -> Head:
    layer, head = which_head(model, text, layers, heads)
    return divmod(layer * heads + head, layers)


@EXERCISE.mistake(
    "one word decides, not all of them",
    why="What is asked for is the mean loss over the text. A head that a single word misses badly "
    "may be missed by no other.",
    of=loss,
)
def worst_word(scores: Tensor, text: Tensor) -> float:
    return F.cross_entropy(scores[:-1], text[1:], reduction="none").max().item()

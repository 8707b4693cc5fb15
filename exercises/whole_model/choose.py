"""choose: the probabilities from which the next token is drawn."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def choose(logits: Tensor, temperature: float, top_p: float) -> Tensor:
    """Compute the probabilities from which the next token is drawn."""
    p = tempered(logits, temperature)
    return renormalised(p * nucleus(p, top_p))


def tempered(logits: Tensor, temperature: float) -> Tensor:
    """Return the probabilities at a temperature."""
    return (logits / temperature).softmax(dim=-1)


def nucleus(p: Tensor, top_p: float) -> Tensor:
    """Return which tokens stay: those before which the sum is less than top_p."""
    return before(p) < top_p


def before(p: Tensor) -> Tensor:
    """Return for each token the probability of those that are likelier."""
    likelier = p.unsqueeze(-2) > p.unsqueeze(-1)
    return (likelier * p.unsqueeze(-2)).sum(dim=-1)


def renormalised(p: Tensor) -> Tensor:
    """Divide by the sum."""
    return p / p.sum(dim=-1, keepdim=True)


EXERCISE = Exercise(
    __name__,
    choose,
    results={"probabilities": "texts, vocabulary"},
    section="book/training_and_writing#Choosing a token",
)


@EXERCISE.requires(
    "Only the smallest set of the likeliest tokens that reaches top_p at this temperature stays, "
    "and the probabilities sum to one.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return probabilities to compute by hand, then others, at higher and lower temperatures."""
    by_hand = torch.tensor([[0.5, 0.3, 0.15, 0.05]]).log()
    cases = ((2, 5, 1.0, 0.75), (3, 6, 0.5, 0.6), (2, 7, 2.0, 0.85), (2, 5, 0.8, 0.7))
    return [
        Inputs((by_hand, 1.0, 0.6)),
        *(Inputs((_apart(draw, b, v), temperature, p)) for b, v, temperature, p in cases),
    ]


@EXERCISE.requires("However small top_p is, the likeliest token stays; with 1.0 all do.", points=1)
def ends(draw: Draw) -> list[Inputs]:
    """Return a top_p that the most probable token alone exceeds, and one that needs all tokens."""
    cases = ((1, 4, 0.05), (3, 5, 0.1), (2, 4, 1.0), (3, 6, 1.0))
    return [Inputs((_apart(draw, b, v), 1.5, p)) for b, v, p in cases]


EXERCISE.untouched()


def _apart(draw: Draw, texts: int, vocabulary: int) -> Tensor:
    """Draw logits no two of which are alike, so that their order is sure at any rounding."""
    rows = [
        torch.tensor(draw.distinct(vocabulary, low=0, high=3 * vocabulary)) for _ in range(texts)
    ]
    return torch.stack(rows) / 4 - 1


EXERCISE.edit(
    "the token that reaches top_p is left out",
    {"< top_p": "+ p <= top_p"},
    {"before(p) < top_p": "(before(p) + p <= top_p) | (before(p) == 0)"},
    why="With 0.5, 0.3, … and a top_p of 0.6, the first token alone does not reach it. The "
    "second, which brings the sum to 0.8, is kept too.",
    of=nucleus,
)
EXERCISE.edit(
    "the temperature is not used",
    {"/ temperature": "/ 1"},
    why="\nDivide the logits by the temperature before the softmax.",
    of=tempered,
)
EXERCISE.edit(
    "the logits are multiplied by the temperature",
    {"logits / temperature": "logits * temperature"},
    why="A high temperature makes all tokens more alike.\nDivide by it.",
    of=tempered,
)
EXERCISE.edit(
    "the temperature divides the probabilities",
    {"(logits / temperature).softmax(dim=-1)": "logits.softmax(dim=-1) / temperature"},
    why="After the softmax, a division changes all probabilities alike.\nDivide the logits.",
    of=tempered,
)
EXERCISE.edit(
    "the kept probabilities do not sum to one",
    {"p / p.sum(dim=-1, keepdim=True)": "p"},
    why="\nDivide by the sum of what stays, so that they are probabilities again.",
    of=renormalised,
)
EXERCISE.edit(
    "top_p is not used",
    {"< top_p": "!= top_p"},
    why="Tokens beyond those that together reach top_p get the probability 0.",
    of=nucleus,
)
EXERCISE.edit(
    "top_p is taken for a threshold",
    {"(p)": "((p >= top_p) | (p == p.amax(dim=-1, keepdim=True)))"},
    why="\nCompare top_p with the sum of the likelier tokens' probabilities, not with each token's "
    "own.",
    of=nucleus,
)
EXERCISE.edit(
    "the sums are taken in the order of the vocabulary",
    {"(likelier * p.unsqueeze(-2)).sum(dim=-1)": "p.cumsum(dim=-1) - p"},
    why="\nBegin with the likeliest token: sort, take running sums, and put the result back into "
    "the vocabulary's order.",
    of=before,
)
EXERCISE.edit(
    "the order is not undone after sorting",
    {"top_p))": "top_p)).sort(dim=-1, descending=True).values"},
    why="The probabilities belong to the vocabulary's order. `order` of sort says where each came "
    "from.\nScatter them back.",
)

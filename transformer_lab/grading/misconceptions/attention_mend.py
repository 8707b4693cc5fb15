# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Ways not to mend the two faulty functions of the attention exercise."""

import math

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

SCALE = "book/attention#Why divide by √d_k?"
SOFTMAX = "book/attention#Weights are a softmax of scores"
WRONG = "book/attention#What goes wrong"


def scaled(q: Tensor, k: Tensor) -> Tensor:
    """Give the scores, scaled rightly."""
    return q @ k.mT / math.sqrt(k.size(-1))


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Add up the weights by rows, and by columns: "
    "which of them should make 1?",
    section=WRONG,
)
def axis_as_given(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=-2) @ v


@mistake(
    "the rows are divided by their sums afterwards",
    why="Each row adds up to 1 now, but a query's weights still depend on who else asks. Softmax "
    "itself has to go along the row.",
    section=WRONG,
)
def axis_divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = scaled(q, k).softmax(dim=-2)
    return weights / weights.sum(dim=-1, keepdim=True) @ v


@mistake(
    "the axis is counted from the front",
    why="That axis is the keys' with so many axes, and another with more or fewer. Counted from "
    "the back it is the same for all: the last.",
    section=WRONG,
)
def axis_one(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=1) @ v


@axis_one.also
def axis_two(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=min(2, q.dim() - 1)) @ v


@axis_one.also
def axis_nought(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=0) @ v


@mistake(
    "the whole table shares one unit",
    why="All rows together add up to 1 now. Every query has a unit of its own to give: softmax "
    "goes along the last axis, for each row alone.",
    section=SOFTMAX,
)
def axis_all(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = scaled(q, k)
    return scores.flatten(-2).softmax(dim=-1).view_as(scores) @ v


@mistake(
    "the softmax is gone",
    why="Scores are no weights: they may be negative, and add up to anything. Softmax was right, "
    "its axis was not.",
    section=SOFTMAX,
)
def axis_gone(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k) @ v


AXIS_MISTAKES = (
    axis_as_given,
    axis_divided,
    axis_one,
    axis_two,
    axis_nought,
    axis_all,
    axis_gone,
)


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. How many products does one score add up, and "
    "whose width is that?",
    section=WRONG,
)
def width_as_given(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (x @ W_q @ (x @ W_k).mT / math.sqrt(x.size(-1))).softmax(dim=-1)


@mistake(
    "the scores are not divided any more",
    why="Now the weights are too sharp, where they were too flat. There has to be a division, by "
    "the root of another width.",
    section=SCALE,
)
def width_undivided(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (x @ W_q @ (x @ W_k).mT).softmax(dim=-1)


@mistake(
    "it divides by d_k, not by its square root",
    why="The width is the right one. But the typical size of a sum of d_k products is the *square "
    "root* of d_k.",
    section=SCALE,
)
def width_squared(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (x @ W_q @ (x @ W_k).mT / W_k.size(-1)).softmax(dim=-1)


@mistake(
    "it divides by the root of the number of words",
    why="How many keys there are does not make a score larger. How many products it adds up does: "
    "the width of a key.",
    section=SCALE,
)
def width_of_words(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (x @ W_q @ (x @ W_k).mT / math.sqrt(x.size(-2))).softmax(dim=-1)


@mistake(
    "the weights are divided, not the scores",
    why="After softmax a row adds up to 1, and dividing it spoils that. The division stands before "
    "softmax.",
    section=SCALE,
)
def width_late(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    return (x @ W_q @ (x @ W_k).mT).softmax(dim=-1) / math.sqrt(W_k.size(-1))


WIDTH_MISTAKES = (
    width_as_given,
    width_undivided,
    width_squared,
    width_of_words,
    width_late,
)

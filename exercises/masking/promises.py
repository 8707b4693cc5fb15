"""keeps_promises: a test that catches wrong masked softmaxes and passes correct ones."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import right
from .softmaxes import EMPTY, HIGH, LOW, RIGHT, WRITING, softmaxes

Softmax = Callable[..., Any]


def keeps_promises(softmax: Softmax) -> bool:
    """Return whether a function passes on all tables and masks."""
    return all(is_kept_on(softmax, scores, mask) for scores in tables() for mask in masks())


def is_kept_on(softmax: Softmax, scores: Tensor, mask: Tensor) -> bool:
    """Return whether a function passes on one table."""
    given = scores.clone()
    try:
        weights = softmax(given, mask)
    except Exception:
        return failed(softmax, given, mask)
    return is_kept(given, scores) and is_right(weights, scores, mask)


def tables() -> list[Tensor]:
    """Return scores of all kinds, in both precisions."""
    return [*near(), *far(), *halves()]


def masks() -> list[Tensor]:
    """Return masks of both kinds."""
    return [*partly(), *empty()]


def near() -> list[Tensor]:
    """Return scores near 0."""
    return [torch.tensor([[0.5, 2.0, -1.0], [1.0, 0.0, 3.0]])]


def far() -> list[Tensor]:
    """Return hidden scores far above the visible ones, and visible ones far below 0."""
    return [torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])]


def halves() -> list[Tensor]:
    """Return all of these in half precision."""
    return [scores.half() for scores in (*near(), *far())]


def partly() -> list[Tensor]:
    """Return a mask whose rows each see something, but not everything."""
    return [torch.tensor([[True, True, False], [True, False, True]])]


def empty() -> list[Tensor]:
    """Return a mask with a row that sees nothing."""
    return [torch.tensor([[True, False, True], [False, False, False]])]


def failed(softmax: Softmax, scores: Tensor, mask: Tensor) -> bool:
    """Return the verdict on a function that raises an error."""
    return False


def is_kept(given: Tensor, scores: Tensor) -> bool:
    """Return whether the scores were left unchanged."""
    return torch.equal(given, scores)


def is_right(weights: Tensor, scores: Tensor, mask: Tensor) -> bool:
    """Return whether visible weights are nearly right, and hidden ones exactly."""
    return is_near(weights, right(scores, mask)) and not bool(weights[~mask].any())


def is_near(weights: Tensor, wanted: Tensor) -> bool:
    """Return whether weights are equal up to rounding."""
    return weights.shape == wanted.shape and torch.allclose(weights, wanted, atol=1e-3)


EXERCISE = Exercise(__name__, keeps_promises, results={"verdict": ""}, section="What goes wrong")


@EXERCISE.requires(
    "It accepts right functions, and rejects those that distribute the weights wrongly.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    return softmaxes(
        draw,
        *RIGHT[:2],
        "one that reads what is hidden",
        "one that masks after softmax",
        "one that sets hidden scores to 0",
        "one that leaves a little to what is hidden",
        "one that shares out among all",
        "one that shares out evenly among what is seen",
        "one that gives everything to the highest score",
        "one that doubles the scores",
        "one that gives 2 % too much",
        "one that hides the future, whatever the mask says",
    )


@EXERCISE.requires("It rejects functions that fail in a row that sees nothing.", points=1)
def nothing(draw: Draw) -> list[Inputs]:
    return softmaxes(draw, *EMPTY, *RIGHT)


@EXERCISE.requires("It rejects functions that fail in half precision, or far from 0.", points=2)
def extremes(draw: Draw) -> list[Inputs]:
    half = "one that raises an error in half precision"
    return softmaxes(draw, *LOW, *HIGH, half, *RIGHT)


@EXERCISE.requires("It rejects functions that modify the scores.", points=1)
def written(draw: Draw) -> list[Inputs]:
    return softmaxes(draw, *WRITING, *RIGHT, "one that masks after softmax and divides anew")


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    twice = (
        *EMPTY,
        *LOW,
        *HIGH,
        *WRITING,
        "one that raises an error in half precision",
        "one that leaves a little to what is hidden",
        "one that shares out among all",
        "one that gives 2 % too much",
        "one that doubles the scores",
        "one that hides the future, whatever the mask says",
        *RIGHT[2:],
    )
    return softmaxes(draw, *twice, *twice, *RIGHT[2:])


EXERCISE.edit(
    "no row that sees nothing is tried",
    {"torch": "~torch"},
    why="Some functions give nan there, and some read everything.\nTry a mask in which one row has "
    "no True and another has some.",
    section="A row that sees nothing",
    of=empty,
)
EXERCISE.edit(
    "half precision is never tried",
    {".half()": ""},
    why="What is right in float32 may raise an error in float16, whose lowest number is about "
    "-65504.\nTry scores.half(), too.",
    section="Minus infinity, minus a billion, and nothing",
)
EXERCISE.edit(
    "no scores far from 0 are tried",
    {"[[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]]": "0.0"},
    why="Near 0, a hidden score of -100 is low enough, and softmax before the mask does no harm.\n"
    "Try a hidden score far above the others, and visible scores that are very low.",
)
EXERCISE.edit(
    "changed scores are not noticed",
    {"torch": "~torch"},
    why="\nCopy the scores before the call, and compare them afterwards. The caller may still need "
    "them.",
    of=is_kept,
)
EXERCISE.edit(
    "only the sums of the rows are compared",
    "rows, seen = weights.float().sum(dim=-1), mask.any(dim=-1).float(); "
    "return torch.allclose(rows, seen, atol=1e-2)",
    why="Rows may sum to 1 for many wrong reasons, for example if there is no mask at all.\n"
    "Compare the weights themselves.",
    of=is_right,
)
EXERCISE.edit(
    "only the hidden weights are compared",
    {"is_near": "~is_near"},
    why="Zeros in the right entries are only half of it.\nThe other weights have to be a softmax "
    "over the visible scores, and sum to 1.",
)
EXERCISE.edit(
    "what is hidden may keep a little",
    {"not bool(weights[~mask].any())": "bool"},
    why="Hidden weights must be exactly 0. A comparison with a tolerance lets a small one pass.\n"
    "Test whether any of them differs from 0.",
)
EXERCISE.edit(
    "rounding is taken for a mistake",
    {", atol=1e-3": ""},
    why="Two right functions may differ in the last digit, in half precision most of all.\nCompare "
    "with torch.allclose and a small atol.",
)
EXERCISE.edit(
    "no row is tried in which all visible scores are low",
    {"2000": "200"},
    why="A function that fills hidden scores with -300 is right as long as a visible score is "
    "higher.\nTry a row in which all visible scores are near -2000.",
)
EXERCISE.edit(
    "no hidden score is tried that lies far above the others",
    {"[[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]]": "-2000.0"},
    why="Softmax before the mask, and a constant added to hidden scores, do no harm as long as "
    "these are low.\nTry a hidden score of 900 beside visible scores near 0 and near -2000.",
)


@EXERCISE.mistake(
    "only causal masks are tried",
    why="A function that hides the future and ignores its mask passes.\nTry masks of other shapes.",
)
def causal(softmax: Softmax) -> bool:
    scores = [
        torch.tensor([[-2000.0, 900.0, 900.0], [-2000.0, -1999.0, 900.0], [2.0, 1.0, 0.0]]),
        torch.tensor([[0.5, 1.0, 2.0], [2.0, 1.0, 9.0], [2.0, 1.0, 0.0]]),
    ]
    triangle = torch.ones(3, 3).tril() == 1
    emptied = triangle & torch.tensor([[True], [False], [True]])
    every = [*scores, *(table.half() for table in scores)]
    return all(is_kept_on(softmax, table, mask) for table in every for mask in (triangle, emptied))


EXERCISE.edit(
    "a row that sees nothing is tried only in an empty mask",
    {"[[True, False, True], [False, False, False]]": "torch.zeros(2, 3, dtype=torch.bool)"},
    why="A function may test whether the whole mask is empty, and fail if only one row is.\nTry a "
    "mask in which one row has no True and others have some.",
)
EXERCISE.edit(
    "nan passes for right",
    {"torch.allclose(weights, wanted, atol=1e-3)": "not (weights - wanted).abs().max() > 1e-3"},
    {
        "is_near(weights, right(scores, mask))": "not (weights - right(scores, mask)).abs().max() "
        "> 1e-3",
        "weights[~mask].any()": "(weights[~mask] > 0).any()",
    },
    why="Any comparison with nan is False, so `difference.max() > 0.001` does not notice it.\nAsk "
    "the other way round: `not difference.max() < 0.001`, or use torch.allclose.",
)
EXERCISE.edit(
    "what each key gets is never compared",
    "sums, seen = weights.float().sum(dim=-1), mask.any(dim=-1).float(); "
    "return torch.allclose(sums, seen, atol=1e-3) and not bool(weights[~mask].any())",
    why="Hidden weights of 0 and rows that sum to 1 are not enough. Equal shares have both, and "
    "are wrong.\nCompare the weights with a softmax over the visible scores.",
    of=is_right,
)
EXERCISE.edit(
    "every function is rejected, even the right ones",
    {"== wanted": "< wanted"},
    why="Either the comparison is too strict: differences below 0.001 are rounding, in float16 "
    "too, and a row that sees nothing sums to 0. Or your `except` hides an error of your own.\n"
    "Call your test on your own `masked_softmax` without the `try`, to see it.",
)
EXERCISE.edit(
    "only one input is tried",
    "(scores,), (mask,) = near(), partly(); "
    "return is_right(softmax(scores.clone(), mask), scores, mask)",
    why="Each kind of mistake needs its own input: a row that sees nothing, half precision, "
    "scores far apart. (Is there a `return` inside your loop? It ends the loop in its first "
    "round.)",
)
EXERCISE.edit(
    "scores outside the promised range are tried",
    {"0.0, 1.0, 900": "-30_000.0, -29_999.0, 0"},
    why="All scores are between -2000 and 1000. A function that fills with -10,000 is right there, "
    "and wrong with a score of -30,000.\nTest only the range that the task promises.",
)

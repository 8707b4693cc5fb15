"""read: give what each query reads."""

from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.attention.attention import attention
from transformer_lab.grading.exercises.attention.parts import triple
from transformer_lab.grading.exercises.attention.scale import scale
from transformer_lab.grading.exercises.attention.scores import scores
from transformer_lab.grading.exercises.ready_mades import ATTENTION


def read(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Give what each query reads."""
    return attention(q, k, v)[0]


EXERCISE = Exercise(
    __name__,
    read,
    results={"output": "queries, d_v"},
    section="Weights are a softmax of scores",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Each query shares out its own attention, alone or in company.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give queries, keys and values of unequal lengths, alone, in batches and with heads."""
    sizes = ((), (), (2,), (3,), (2, 3), (3, 2), (2, 2))
    lengths = ((3, 3), (2, 4), (3, 4), (4, 3), (3, 5), (4, 2), (3, 4))
    return [
        Inputs((draw.normal(*lead, t, 2), draw.normal(*lead, s, 2), draw.normal(*lead, s, 3)))
        for lead, (t, s) in zip(sizes, lengths, strict=True)
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes, and so keys of other widths."""
    squares = [Inputs(triple(draw, n, n, n, n)) for n in (3, 4, 5)]
    return [*squares, *(Inputs(triple(draw, 3, 3, 3, 3, 3)) for _ in range(3))]


def scaled(q: Tensor, k: Tensor) -> Tensor:
    """Give the scores, scaled rightly."""
    return scale(scores(q, k), k.size(-1))


@EXERCISE.mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Add up the weights by rows, and by columns: "
    "which of them should make 1?",
    section="What goes wrong",
)
def as_given(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=-2) @ v


@EXERCISE.mistake(
    "the rows are divided by their sums afterwards",
    why="Each row adds up to 1 now, but a query's weights still depend on who else asks. Softmax "
    "itself has to go along the row.",
    section="What goes wrong",
)
def divided(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = scaled(q, k).softmax(dim=-2)
    return weights / weights.sum(dim=-1, keepdim=True) @ v


@EXERCISE.mistake(
    "the axis is counted from the front",
    why="That axis is the keys' with so many axes, and another with more or fewer. Counted from "
    "the back it is the same for all: the last.",
    section="What goes wrong",
)
def one(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=1) @ v


@one.also
def two(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=min(2, q.dim() - 1)) @ v


@one.also
def nought(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k).softmax(dim=0) @ v


@EXERCISE.mistake(
    "the whole table shares one unit",
    why="All rows together add up to 1 now. Every query has a unit of its own to give: softmax "
    "goes along the last axis, for each row alone.",
)
def everything(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    table = scaled(q, k)
    return table.flatten(-2).softmax(dim=-1).view_as(table) @ v


@EXERCISE.mistake(
    "the softmax is gone",
    why="Scores are no weights: they may be negative, and add up to anything. Softmax was right, "
    "its axis was not.",
)
def gone(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled(q, k) @ v

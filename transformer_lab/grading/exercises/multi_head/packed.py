"""packed_projection: multiply once, and cut into three."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.multi_head.parts import GENERAL
from transformer_lab.grading.exercises.ready_mades import ATTENTION


def packed_projection(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    """Multiply once, and cut into three."""
    return (x @ W).chunk(3, dim=-1)


EXERCISE = Exercise(
    __name__,
    packed_projection,
    results={"queries": "tokens, width", "keys": "tokens, width", "values": "tokens, width"},
    section="One projection for all heads",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Queries, keys and values are the three thirds of x W.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give one word to do by hand, then sentences."""
    x = torch.tensor([[1.0, 2.0]])
    W = torch.tensor([[1.0, 0.0, 2.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 2.0, 1.0, -1.0]])
    sizes = ((3, 4, 4), (2, 3, 3), (5, 4, 4))
    drawn = [Inputs((draw.normal(t, d), draw.normal(d, 3 * m))) for t, d, m in sizes]
    return [Inputs((x, W)), *drawn]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, vectors narrower than the word, float64, and zeros and ones in float16."""
    return [
        Inputs((draw.normal(2, 3, 4), draw.normal(4, 12))),
        Inputs((draw.normal(2, 2, 6, 5), draw.normal(5, 6))),
        Inputs((draw.normal(2, 4, 3, dtype=torch.float64), draw.normal(3, 9, dtype=torch.float64))),
        Inputs((draw.ids(1, 1, 3, high=2).half(), draw.ids(3, 6, high=2).half())),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give square matrices."""
    return [Inputs((draw.normal(2, t, d), draw.normal(d, d))) for t, d in ((4, 3), (3, 6), (5, 9))]


@EXERCISE.mistake(
    "queries, keys and values are dealt out in turn",
    why="It takes every third column. The matrices lie side by side: first all columns of W_Q, "
    "then all of W_K, then all of W_V.",
)
def dealt(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).unflatten(-1, (-1, 3)).unbind(-1)


@EXERCISE.mistake(
    "the matrix is transposed",
    why="nn.Linear stores its matrix transposed, one row for each output. This W is that of the "
    "formula x W: one row for each number of a word.",
    section="Packed equals separate",
)
def transposed(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W.T).chunk(3, dim=-1)


@EXERCISE.mistake(
    "the three come in another order",
    why="The numbers are right, and they have the wrong names. The first third of the columns is "
    "W_Q, the second W_K, the last W_V.",
)
def keys_first(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    q, k, v = (x @ W).chunk(3, dim=-1)
    return k, q, v


@keys_first.also
def values_first(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3, dim=-1)[::-1]


@keys_first.also
def values_second(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    q, k, v = (x @ W).chunk(3, dim=-1)
    return q, v, k


@EXERCISE.mistake(
    "the words are cut into three, not their numbers",
    why="A third of the words became queries, a third keys. Every word has a query, a key and a "
    "value: cut the last axis, dim=-1.",
)
def words(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).tensor_split(3, dim=-2)


@words.also
def words_in_chunks(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3, dim=-2)


@words.also
def first_axis(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3)


@EXERCISE.mistake(
    "all three are the same third",
    why="Then every word asks by what it is found by, and gives it too. The second third of the "
    "columns makes the keys, the last the values.",
)
def same(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return ((x @ W).chunk(3, dim=-1)[0],) * 3


@EXERCISE.mistake(
    "the product is not cut",
    why="One product makes the queries, keys and values of all heads, side by side. Three things "
    "are to be returned: cut the last axis into thirds.",
)
def whole(x: Tensor, W: Tensor) -> Tensor:
    return x @ W

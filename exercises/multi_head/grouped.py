"""grouped_query: share each key and value head among a group of query heads."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..attention.parts import triple
from ..ready_made import ATTENTION
from .parts import attention


def grouped_query(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Return attention in which groups of query heads share keys and values."""
    return attention(q, lend(k, q), lend(v, q))


def lend(x: Tensor, q: Tensor) -> Tensor:
    """Repeat keys or values for each query head of their group."""
    return x.repeat_interleave(q.size(-3) // x.size(-3), dim=-3)


EXERCISE = Exercise(
    __name__,
    grouped_query,
    results={"output": "heads, queries, d_v", "weights": "heads, queries, keys"},
    section="book/real_models#Sharing keys and values",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Neighbouring heads of queries share one head of keys and of values.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return several key and value heads, and more query heads."""
    by_hand = (
        torch.tensor([[[[1.0]], [[1.0]], [[-1.0]], [[-1.0]]]]),
        torch.tensor([[[[0.0], [1.0]], [[1.0], [3.0]]]]),
        torch.tensor([[[[10.0], [0.0]], [[0.0], [20.0]]]]),
    )
    sizes = ((2, 4, 2, 3, 5), (2, 6, 2, 4, 3), (3, 6, 3, 2, 4), (1, 12, 3, 2, 2))
    return [Inputs(by_hand), *(Inputs(_grouped(draw, *size)) for size in sizes)]


@EXERCISE.requires(
    "It works with one head of keys for all queries or one for each, and without a batch.", points=1
)
def extremes(draw: Draw) -> list[Inputs]:
    """Return one key and value head for all, and one for each; no batch, float64."""
    many = [_grouped(draw, 2, 4, 1, 3, 5), _grouped(draw, 3, 3, 1, 2, 4)]
    each = [_grouped(draw, 2, 4, 4, 3, 2), _grouped(draw, 2, 3, 3, 2, 5, dtype=torch.float64)]
    alone = [_grouped(draw, 1, 6, 1, 3, 4), _grouped(draw, 1, 6, 2, 4, 5)]
    no_batch = [tuple(part[0] for part in case) for case in alone]
    return [Inputs(case) for case in (*many, *each, *no_batch)]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many queries as keys and features, and a key head for each query head."""
    widths = (4, 5, 3)
    groups = [tuple(draw.normal(2, h, n, n) for h in (4, 2, 2)) for n in widths]
    return [Inputs(case) for case in (*groups, *(triple(draw, n, n, n, n, 2, n) for n in widths))]


@EXERCISE.probe
def other_axes(draw: Draw) -> list[Inputs]:
    """Return no batch, and two axes before the heads."""
    grouped = [_grouped(draw, 2, *size) for size in ((4, 2, 3, 3), (6, 3, 2, 4), (6, 2, 4, 4))]
    alone = [tuple(part[0] for part in case) for case in grouped]
    return [Inputs(case) for case in (*alone, *(tuple(p[:, None] for p in c) for c in grouped))]


def _grouped(
    draw: Draw,
    batch: int,
    heads: int,
    kv_heads: int,
    queries: int,
    keys: int,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries of some heads, and keys and values of fewer."""
    q = draw.normal(batch, heads, queries, 3, dtype=dtype)
    k = draw.normal(batch, kv_heads, keys, 3, dtype=dtype)
    return q, k, draw.normal(batch, kv_heads, keys, 2, dtype=dtype)


def tile(x: Tensor, q: Tensor) -> Tensor:
    """Repeat all key or value heads, one set after the other."""
    ones = (1,) * (x.dim() - 3)
    return x.repeat(*ones, q.size(-3) // x.size(-3), 1, 1)


EXERCISE.edit(
    "the heads are repeated in turn, not in groups",
    {"x.repeat_interleave(q.size(-3) // x.size(-3), dim=-3)": "tile(x, q)"},
    why="It repeats 0 1 0 1, but the task asks for 0 0 1 1: neighbouring query heads share. "
    "Weights of existing models fit only that.\nrepeat_interleave repeats each head, repeat the "
    "whole row of heads.",
    section="What goes wrong",
)
EXERCISE.edit(
    "a query head's number is divided by the number of key heads",
    "x[..., torch.arange(q.size(-3)) // x.size(-3), :, :]",
    {"q.size(-3) // x": "x"},
    why="Query head h belongs to group h // (size of a group), and that size is H / G. Divided by "
    "G, it gets another group's keys, or none.",
    of=lend,
)
EXERCISE.edit(
    "keys and values are repeated in different orders",
    {"v, q": "tile(v, q), q"},
    why="One of the two is repeated as 0 0 1 1 and the other as 0 1 0 1, so a head compares with "
    "one group's keys and reads another group's values.\nDo the same to both.",
)
EXERCISE.edit(
    "all query heads read the first head of keys and values",
    {"k,": "k[..., :1, :, :],", "v,": "v[..., :1, :, :],"},
    why="That is multi-query attention, with a single head of keys. Here there are several heads "
    "of keys, one for each group.",
)
EXERCISE.edit(
    "the queries of a group are averaged",
    {", lend(k, q), lend(v, q)": ".unflatten(-3, (k.size(-3), -1)).mean(dim=-3), k, v"},
    "grouped_query(lend(q.unflatten(-3, (k.size(-3), -1)).mean(dim=-3), q), k, v)",
    why="Several query heads are the point: each asks for something else. Repeat the keys and "
    "values for them, and leave the queries alone.",
)
EXERCISE.edit(
    "the weights are left in their groups",
    "output, weights = grouped_query(q, k, v); "
    "return output, weights.unflatten(-3, (k.size(-3), -1))",
    why="The output has one axis for all heads, and so should the weights.\nMerge the axes of "
    "groups and their heads in both.",
)

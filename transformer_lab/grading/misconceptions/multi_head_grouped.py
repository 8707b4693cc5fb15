# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to share keys and values between heads."""

from torch import Tensor

from transformer_lab.grading.checks.multi_head_given import attention
from transformer_lab.grading.misconceptions import mistake

GROUPED = "book/multi_head#Sharing keys and values"
WRONG = "book/multi_head#What goes wrong"


def lend(x: Tensor, q: Tensor) -> Tensor:
    """Give each query head the keys or values of its group."""
    return x.repeat_interleave(q.size(-3) // x.size(-3), dim=-3)


def tile(x: Tensor, q: Tensor) -> Tensor:
    """Repeat all heads of keys or values, one set after the other."""
    ones = (1,) * (x.dim() - 3)
    return x.repeat(*ones, q.size(-3) // x.size(-3), 1, 1)


@mistake(
    "the heads are lent in turn (repeat), not in groups",
    why="It lends 0 1 0 1, and what is asked for is 0 0 1 1: neighbouring query heads share. With "
    "weights from elsewhere, only that fits. repeat_interleave repeats each head, repeat the "
    "whole row of them.",
    section=WRONG,
)
def grouped_tiled(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, tile(k, q), tile(v, q))


@mistake(
    "keys and values are lent in different orders",
    why="One of the two goes 0 0 1 1 and the other 0 1 0 1, so a head finds words by one group's "
    "keys and reads another group's values. Do the same to both.",
    section=GROUPED,
)
def grouped_values_tiled(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, lend(k, q), tile(v, q))


@grouped_values_tiled.also
def grouped_keys_tiled(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, tile(k, q), lend(v, q))


@mistake(
    "all query heads read the first head of keys and values",
    why="That is multi-query attention, with a single head of keys. Here there are several: each "
    "belongs to a group of its own.",
    section=GROUPED,
)
def grouped_first(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k[..., :1, :, :], v[..., :1, :, :])


@mistake(
    "only some of the query heads ask",
    why="There come out as many heads as there are keys, and the other queries are never asked. "
    "The queries stay as they are; it is keys and values that are lent more than once.",
    section=GROUPED,
)
def grouped_first_queries(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q[..., : k.size(-3), :, :], k, v)


@grouped_first_queries.also
def grouped_every_so_many(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q[..., :: q.size(-3) // k.size(-3), :, :], k, v)


@mistake(
    "the queries of a group are averaged",
    why="Many heads of queries are the point: each asks for something else. Lend the keys and "
    "values to them, and leave the queries alone.",
    section=GROUPED,
)
def grouped_averaged(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q.unflatten(-3, (k.size(-3), -1)).mean(dim=-3), k, v)


@mistake(
    "the keys of all groups are averaged",
    why="An average of keys is found by nobody. Each group keeps its own head of keys and values, "
    "and lends it to its query heads.",
    section=GROUPED,
)
def grouped_mean_keys(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k.mean(dim=-3, keepdim=True), v.mean(dim=-3, keepdim=True))


@mistake(
    "the words are repeated, not the heads",
    why="Each key stands there several times now, and the row of weights is that much longer. The "
    "axis of the heads is the third from the back: dim=-3.",
    section=GROUPED,
)
def grouped_words(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    group = q.size(-3) // k.size(-3)
    return attention(q, k.repeat_interleave(group, dim=-2), v.repeat_interleave(group, dim=-2))


GROUPED_MISTAKES = (
    grouped_tiled,
    grouped_values_tiled,
    grouped_keys_tiled,
    grouped_first,
    grouped_first_queries,
    grouped_every_so_many,
    grouped_averaged,
    grouped_mean_keys,
    grouped_words,
)

"""padding_mask: no query attends to padding."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import (
    padding_probes,
    padding_values,
)


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """Return the mask that hides padding from every query."""
    return for_queries(is_real(ids, pad))


def is_real(ids: Tensor, pad: int) -> Tensor:
    """Return which ids are tokens."""
    return ids != pad


def for_queries(real: Tensor) -> Tensor:
    """Add an axis for the queries, which share one row per sentence."""
    return real.unsqueeze(-2)


EXERCISE = Exercise(__name__, padding_mask, results={"mask": "1, keys"}, section="Padding")


@EXERCISE.requires("One row for each sentence, True where there is a real token.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


@EXERCISE.mistake(
    "the mask is inverted",
    why="True is where there is padding: that is torch.nn's convention (True = blocked). Here "
    "True means: may attend.",
    section="True means keep. Or block.",
)
def inverted(ids: Tensor, pad: int) -> Tensor:
    return ~padding_mask(ids, pad)


@EXERCISE.mistake(
    "the mask lacks its axis for the queries",
    why="As (B, S) it is broadcast as (T, S): each query gets the padding of another sentence, or "
    "there is an error. One row is enough for all queries of a sentence: (B, 1, S).",
    section="What goes wrong",
    of=for_queries,
)
def without_axis(real: Tensor) -> Tensor:
    return real


@EXERCISE.mistake(
    "rows are hidden, not columns",
    why="With the new axis at the end, the padding does not ask, but every word may read it. The "
    "keys have to be hidden: put the axis before the last.",
    section="What goes wrong",
    of=for_queries,
)
def rows_not_columns(real: Tensor) -> Tensor:
    return real.unsqueeze(-1)


@EXERCISE.mistake(
    "rows are hidden too",
    why="If the rows of padding are hidden as well, those queries have nothing to read at all. "
    "Hide columns only: one row for all queries, (B, 1, S).",
    of=for_queries,
)
def rows_too(real: Tensor) -> Tensor:
    return real.unsqueeze(-1) & real.unsqueeze(-2)


@EXERCISE.mistake(
    "there is a row for every query",
    why="It hides the right columns, but once for each query. One row is enough for all queries "
    "of a sentence: (B, 1, S).",
    of=for_queries,
)
def a_row_each(real: Tensor) -> Tensor:
    return real.unsqueeze(-2).expand(-1, real.size(-1), -1)


@EXERCISE.mistake(
    "there is an axis for the heads as well",
    why="The mask has one row for all queries, (B, 1, S). The axis for the heads comes later.",
    of=for_queries,
)
def with_heads(real: Tensor) -> Tensor:
    return real[:, None, None, :]


@EXERCISE.mistake(
    "padding is taken to be 0",
    why="The tokenizer decides which id means padding, and you get it as `pad`. 0 may be a word.",
    of=is_real,
)
def compares_with_zero(ids: Tensor, pad: int) -> Tensor:
    return ids != 0


@EXERCISE.mistake(
    "ids are compared by size",
    why="Ids are names, not amounts: a word may have a smaller or a larger id than the padding. "
    "Ask whether they differ (!=).",
    of=is_real,
)
def compares_by_size(ids: Tensor, pad: int) -> Tensor:
    return ids > pad


@compares_by_size.within(is_real)
def compares_by_size_from_above(ids: Tensor, pad: int) -> Tensor:
    return ids < pad


@EXERCISE.mistake(
    "everything after the first padding is hidden",
    why="Padding may be at the front or in between, with words after it. Compare each position by "
    "itself.",
    section="Padding",
    of=is_real,
)
def behind_padding(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).long().cumprod(dim=-1).bool()


@EXERCISE.mistake(
    "padding is counted and taken to be at the end",
    why="The number of real tokens gives a length, but padding may be at the front or in between. "
    "Compare each position by itself.",
    section="Padding",
    of=is_real,
)
def counted(ids: Tensor, pad: int) -> Tensor:
    lengths = (ids != pad).sum(dim=-1)
    return torch.arange(ids.size(-1)) < lengths[:, None]

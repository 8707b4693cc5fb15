"""padding_mask: hide padding from every query."""

import torch
from torch import Tensor

from transformer_lab import masking
from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.masking.parts import (
    padding_probes,
    padding_values,
)


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """Hide padding from every query."""
    return masking.padding_mask(ids != pad)


EXERCISE = Exercise(__name__, padding_mask, results={"mask": "1, keys"}, section="Padding")


@EXERCISE.requires("One row for each sentence, True where there is a real token.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


@EXERCISE.mistake(
    "the mask is turned round",
    why="It is True where there is padding: that is torch.nn's convention (True = blocked). Here "
    "True means: may attend.",
    section="True means keep. Or block.",
)
def inverted(ids: Tensor, pad: int) -> Tensor:
    return (ids == pad).unsqueeze(-2)


@EXERCISE.mistake(
    "the mask lacks its axis for the queries",
    why="Given as (B, S), it is broadcast as (T, S): each query gets the padding of another "
    "sentence, or an error. One row serves all queries of a sentence: (B, 1, S).",
    section="What goes wrong",
)
def without_axis(ids: Tensor, pad: int) -> Tensor:
    return ids != pad


@EXERCISE.mistake(
    "rows are hidden, not columns",
    why="With the new axis at the end, the padding asks nothing, and every word may read it. It is "
    "the keys that are to be hidden: the axis goes before the last.",
    section="What goes wrong",
)
def rows_not_columns(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-1)


@EXERCISE.mistake(
    "rows are hidden too",
    why="Hiding the rows of padding as well gives those queries nothing to read at all. The mask "
    "asked for hides columns: one row for all queries, (B, 1, S).",
)
def rows_too(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)


@EXERCISE.mistake(
    "padding is taken to be 0",
    why="Which id means padding is up to the tokenizer, and is given as `pad`. 0 may be a word.",
)
def compares_with_zero(ids: Tensor, pad: int) -> Tensor:
    return (ids != 0).unsqueeze(-2)


@EXERCISE.mistake(
    "ids are compared by size",
    why="Ids are names, not amounts: words can have smaller and larger ids than the padding. Ask "
    "whether they differ, !=.",
)
def compares_by_size(ids: Tensor, pad: int) -> Tensor:
    return (ids > pad).unsqueeze(-2)


@EXERCISE.mistake(
    "padding is counted and taken to be at the end",
    why="Counting real tokens gives a length, but padding may stand at the front or in between. "
    "Look at each place by itself.",
    section="Padding in a decoder: right or left?",
)
def counted(ids: Tensor, pad: int) -> Tensor:
    lengths = (ids != pad).sum(dim=-1)
    return (torch.arange(ids.size(-1)) < lengths[:, None]).unsqueeze(-2)

"""combined_mask: the causal mask and the padding mask together."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .causal import causal_mask
from .padding import padding_mask
from .parts import (
    padding_probes,
    padding_values,
    triangle,
)


def combined_mask(ids: Tensor, pad: int) -> Tensor:
    """Return the causal mask combined with the padding mask."""
    return causal_mask(ids.size(-1)) & padding_mask(ids, pad)


EXERCISE = Exercise(__name__, combined_mask, results={"mask": "queries, keys"}, section="Padding")


@EXERCISE.requires("A token may attend to what is neither future nor padding.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


@EXERCISE.mistake(
    "one mask or the other is enough",
    why="| lets a token look where either mask allows it, so the causal mask opens what the "
    "padding mask has closed. A token may look only where both masks allow it: &.",
)
def either(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.size(-1)) | padding_mask(ids, pad)


@EXERCISE.mistake(
    "the padding is not hidden",
    why="Only the future is hidden. Padding at the front or in between lies in the past of some "
    "tokens, and they read it.",
    section="Padding",
)
def causal_only(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)).expand(len(ids), -1, -1)


@causal_only.also
def causal_only_once_for_all(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1))


@EXERCISE.mistake(
    "the future is not hidden",
    why="Only the padding is hidden. A decoder needs both masks at once.",
)
def padding_only(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2)


@padding_only.also
def padding_only_for_each_query(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2).expand(-1, ids.size(-1), -1)


@EXERCISE.mistake(
    "padding hides rows, not columns",
    why="Here padding does not ask, but it is read. Put the axis for the queries before the last: "
    "(B, 1, S).",
    section="What goes wrong",
)
def combined_rows(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1)


@EXERCISE.mistake(
    "padding hides rows too",
    why="If the rows of padding are hidden, those queries have nothing to read. That is not "
    "needed, because nobody reads their answers. Hide columns only.",
)
def combined_rows_too(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)


@EXERCISE.mistake(
    "the mask is inverted",
    why="True is where a token may not look. In this book True means: may attend.",
    section="True means keep. Or block.",
)
def combined_inverted(ids: Tensor, pad: int) -> Tensor:
    return ~combined_mask(ids, pad)


@EXERCISE.mistake(
    "one sentence's padding is used for all",
    why="Each sentence is padded in its own way: make a table for each, (B, S, S).",
)
def first_for_all(ids: Tensor, pad: int) -> Tensor:
    return combined_mask(ids[:1], pad).expand(len(ids), -1, -1)


@first_for_all.also
def first_for_all_once(ids: Tensor, pad: int) -> Tensor:
    return combined_mask(ids[:1], pad)[0]


@EXERCISE.mistake(
    "the past is hidden, not the future",
    why="The triangle is the wrong way round: each token sees what comes after it. Rows are "
    "queries, and may look to the left.",
    section="The causal mask",
)
def past_hidden(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.size(-1)).mT & padding_mask(ids, pad)


@EXERCISE.mistake(
    "padding sees itself",
    why="The diagonal is open again, for padding too, so a hidden column has one True left. A row "
    "may have no True at all: the softmax deals with that.",
    section="A row that sees nothing",
)
def always_itself(ids: Tensor, pad: int) -> Tensor:
    return combined_mask(ids, pad) | torch.eye(ids.size(-1)).bool()


@always_itself.also
def itself_where_nothing_is_left(ids: Tensor, pad: int) -> Tensor:
    mask = combined_mask(ids, pad)
    return mask | torch.eye(ids.size(-1)).bool() & ~mask.any(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "rows that see nothing are opened",
    why="A row of padding at the front may have no True at all. If you open it, it reads padding "
    "and the future. Leave it: the softmax deals with empty rows.",
    section="A row that sees nothing",
)
def opened(ids: Tensor, pad: int) -> Tensor:
    mask = combined_mask(ids, pad)
    return mask | ~mask.any(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the number of texts is taken for their length",
    why="len(ids) is the size of the first axis, the batch. Tokens are along the last axis: "
    "ids.size(-1).",
)
def as_long_as_many(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(len(ids)) & padding_mask(ids, pad)

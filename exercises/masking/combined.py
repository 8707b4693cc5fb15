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


@EXERCISE.requires(
    "A token may attend where neither the future nor padding is in the way.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


@EXERCISE.mistake(
    "one mask or the other is enough",
    why="| lets a token look where either mask allows it, so the causal mask opens what the "
    "padding mask has closed. A token may look where the one *and* the other allow it.",
)
def either(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.size(-1)) | padding_mask(ids, pad)


@EXERCISE.mistake(
    "the padding is not hidden",
    why="Only the future is. Padding at the front or in between lies in the past of some tokens, "
    "and they read it.",
    section="Padding",
)
def causal_only(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)).expand(len(ids), -1, -1)


@causal_only.also
def causal_only_once_for_all(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1))


@EXERCISE.mistake(
    "the future is not hidden",
    why="Only the padding is. A decoder needs both masks at once.",
)
def padding_only(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2)


@padding_only.also
def padding_only_for_each_query(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2).expand(-1, ids.size(-1), -1)


@EXERCISE.mistake(
    "padding hides rows, not columns",
    why="The padding asks nothing, but is read. The axis for the queries goes before the last: "
    "(B, 1, S).",
    section="What goes wrong",
)
def combined_rows(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1)


@EXERCISE.mistake(
    "padding hides rows too",
    why="Hiding the rows of padding leaves those queries nothing to read, which is not needed: "
    "nobody reads their answers. Only columns are asked for here.",
)
def combined_rows_too(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)


@EXERCISE.mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
    section="True means keep. Or block.",
)
def combined_inverted(ids: Tensor, pad: int) -> Tensor:
    return ~combined_mask(ids, pad)


@EXERCISE.mistake(
    "one sentence's padding serves for all",
    why="Each sentence is padded in its own way: there is a table for each, (B, S, S).",
)
def first_for_all(ids: Tensor, pad: int) -> Tensor:
    return combined_mask(ids[:1], pad).expand(len(ids), -1, -1)


@first_for_all.also
def first_for_all_once(ids: Tensor, pad: int) -> Tensor:
    return combined_mask(ids[:1], pad)[0]


@EXERCISE.mistake(
    "the past is hidden, not the future",
    why="The triangle lies the other way round: each token sees what comes after it. Rows ask, and "
    "may look to the left.",
    section="The causal mask",
)
def past_hidden(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(ids.size(-1)).mT & padding_mask(ids, pad)


@EXERCISE.mistake(
    "padding sees itself",
    why="The diagonal is open again, for padding too, so that a column that is hidden has one True "
    "left. A row may be without any: what to do then is for the softmax to know.",
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
    why="A row of padding at the front may be without any True. Opened, it reads padding and the "
    "future. What to do with an empty row is for the softmax to know.",
    section="A row that sees nothing",
)
def opened(ids: Tensor, pad: int) -> Tensor:
    mask = combined_mask(ids, pad)
    return mask | ~mask.any(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the number of texts is taken for their length",
    why="len(ids) is the size of the first axis, the batch. Tokens lie along the last: "
    "ids.size(-1).",
)
def as_long_as_many(ids: Tensor, pad: int) -> Tensor:
    return causal_mask(len(ids)) & padding_mask(ids, pad)

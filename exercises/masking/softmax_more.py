"""masked_softmax goes on: rarer mistakes."""

import torch
from torch import Tensor

from ..attention.softmax import softmax
from .parts import filled, right
from .softmax import EXERCISE, masked_softmax


@EXERCISE.mistake(
    "a row with nothing to read gives nan",
    why="When all scores of a row are minus infinity, softmax divides 0 by 0. Nothing to read "
    "means weights of zero.",
    section="A row that sees nothing",
)
def nan_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -torch.inf)


@EXERCISE.mistake(
    "a row with nothing to read reads everything",
    why="When all scores of a row are equally low, softmax gives each the same share. Nothing to "
    "read means weights of zero: set what is hidden to 0 after softmax.",
    section="A row that sees nothing",
)
def even_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)


@even_rows.also
def even_rows_but_not_in_half(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -1e9).softmax(dim=-1)


@even_rows.also
def rows_unmasked(scores: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax(scores, mask | ~mask.any(dim=-1, keepdim=True))


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row has to sum to one. Here the columns "
    "do: take the last axis, dim=-1.",
    section="book/attention#What goes wrong",
)
def over_queries(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=-2)


@EXERCISE.mistake(
    "the axis is counted from the front",
    why="dim=1 is the keys' axis of a matrix, and another one as soon as batch and heads stand "
    "before it. Counted from the back it is the same for all: dim=-1.",
    section="book/attention#What goes wrong",
)
def axis_one(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=min(1, scores.dim() - 1))


@axis_one.also
def axis_nought(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=0)


@EXERCISE.mistake(
    "the mask is not used",
    why="Every key gets its share, whatever the mask says. Hidden scores go down to minus infinity "
    "before softmax.",
    section="What goes wrong",
)
def unmasked(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores)


@EXERCISE.mistake(
    "the mask is multiplied with minus infinity",
    why="0 times infinity is nan, so what may be seen turns into nan. Choose instead of "
    "multiplying: masked_fill or torch.where.",
    section="A row that sees nothing",
)
def times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores + (~mask).to(scores.dtype) * -torch.inf)


@times_infinity.also
def times_infinity_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores + (~mask).to(scores.dtype) * -torch.inf).nan_to_num()


@EXERCISE.mistake(
    "the lowest number is added to what is hidden, not put in its place",
    why="A hidden score may be so high that, with the lowest number added, it still lies above one "
    "that is seen: in float16, 60000 becomes -5504. Fill it in: masked_fill or torch.where.",
    section="Minus infinity, minus a billion, and nothing",
)
def lowest_added(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return softmax(torch.where(mask, scores, scores + lowest).clamp(min=lowest)) * mask


@EXERCISE.mistake(
    "low scores are clipped, and their differences are lost",
    why="-20000 and -20400 both become -10000, and get the same weight. Leave what may be seen as "
    "it is.",
)
def clipped(scores: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax(scores.clamp(min=-1e4), mask)


@EXERCISE.mistake(
    "hidden scores get plus infinity",
    why="The largest score wins, so what is hidden gets everything, or nan. Hidden scores get "
    "*minus* infinity.",
)
def plus_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, torch.inf)


@plus_infinity.also
def highest_number(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, torch.finfo(scores.dtype).max)


@nan_rows.also
def nan_rows_unless_all_are_empty(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -torch.inf) if mask.any() else torch.zeros_like(scores)


@EXERCISE.mistake(
    "empty columns are looked for, not empty rows",
    why="A query that sees nothing is a row without True: any(dim=-1). A column without True is a "
    "key that nobody sees.",
    section="A row that sees nothing",
)
def empty_columns(scores: Tensor, mask: Tensor) -> Tensor:
    weights = softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min))
    return weights * mask.any(dim=-2, keepdim=True)


@EXERCISE.mistake(
    "the mask is turned round in one of two places",
    why="It acts twice, before softmax and after it, and both times on what is hidden: ~mask.",
    section="True means keep. Or block.",
)
def turned_round_before(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return softmax(scores.masked_fill(mask, lowest)).masked_fill(~mask, 0.0)


@turned_round_before.also
def turned_round_behind(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return softmax(scores.masked_fill(~mask, lowest)).masked_fill(mask, 0.0)

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to tell real tokens from padding, and to hide the padding."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.masking_triangles import triangle

PADDING = "book/masking#Padding"
TRUE = 'book/masking#True means "may attend"'
WRONG = "book/masking#What goes wrong"


@mistake(
    "the border is one place too far",
    why="Positions count from 0: a sentence of 3 tokens has the positions 0, 1 and 2. Position 3 "
    "is padding already, so compare with <, not with <=.",
    section=PADDING,
)
def border_too_far(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) <= lengths[:, None]


@mistake(
    "the border is one place too early",
    why="The last token of each sentence is taken for padding. Positions count from 0, so the last "
    "of 3 tokens stands at position 2.",
    section=PADDING,
)
def border_too_early(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) < lengths[:, None] - 1


@mistake(
    "it marks the padding, not the tokens",
    why="True is asked for where there is a real token. Here it stands where there is none.",
    section=TRUE,
)
def marks_padding(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) >= lengths[:, None]


@mistake(
    "the padding is at the front",
    why="The last places are taken for tokens. These sentences are filled up at the end.",
    section=PADDING,
)
def padded_in_front(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size) >= size - lengths[:, None]


@mistake(
    "rows and columns have changed places",
    why="Each sentence is a row, each position a column. The lengths need an axis behind them, "
    "lengths[:, None], so that they go down the rows.",
    section=PADDING,
)
def positions_as_rows(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size)[:, None] < lengths


@mistake(
    "it holds numbers, not True and False",
    why="What is added or multiplied later is decided later. A mask is boolean: a comparison gives "
    "one by itself.",
    section=TRUE,
)
def numbers(lengths: Tensor, size: int) -> Tensor:
    return (torch.arange(size) < lengths[:, None]).long()


@numbers.also
def numbers_with_a_point(lengths: Tensor, size: int) -> Tensor:
    return (torch.arange(size) < lengths[:, None]).float()


REAL_MISTAKES = (
    border_too_far,
    border_too_early,
    marks_padding,
    padded_in_front,
    positions_as_rows,
    numbers,
    numbers_with_a_point,
)


@mistake(
    "the mask is turned round",
    why="It is True where there is padding: that is torch.nn's convention (True = blocked). Here "
    "True means: may attend.",
    section="book/masking#True means keep. Or block.",
)
def inverted(ids: Tensor, pad: int) -> Tensor:
    return (ids == pad).unsqueeze(-2)


@mistake(
    "the mask lacks its axis for the queries",
    why="Given as (B, S), it is broadcast as (T, S): each query gets the padding of another "
    "sentence, or an error. One row serves all queries of a sentence: (B, 1, S).",
    section=WRONG,
)
def without_axis(ids: Tensor, pad: int) -> Tensor:
    return ids != pad


@mistake(
    "rows are hidden, not columns",
    why="With the new axis at the end, the padding asks nothing, and every word may read it. It is "
    "the keys that are to be hidden: the axis goes before the last.",
    section=WRONG,
)
def rows_not_columns(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-1)


@mistake(
    "rows are hidden too",
    why="Hiding the rows of padding as well gives those queries nothing to read at all. The mask "
    "asked for hides columns: one row for all queries, (B, 1, S).",
    section=PADDING,
)
def rows_too(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)


@mistake(
    "padding is taken to be 0",
    why="Which id means padding is up to the tokenizer, and is given as `pad`. 0 may be a word.",
    section=PADDING,
)
def compares_with_zero(ids: Tensor, pad: int) -> Tensor:
    return (ids != 0).unsqueeze(-2)


@mistake(
    "ids are compared by size",
    why="Ids are names, not amounts: words can have smaller and larger ids than the padding. Ask "
    "whether they differ, !=.",
    section=PADDING,
)
def compares_by_size(ids: Tensor, pad: int) -> Tensor:
    return (ids > pad).unsqueeze(-2)


@mistake(
    "padding is counted and taken to be at the end",
    why="Counting real tokens gives a length, but padding may stand at the front or in between. "
    "Look at each place by itself.",
    section="book/masking#Padding in a decoder: right or left?",
)
def counted(ids: Tensor, pad: int) -> Tensor:
    lengths = (ids != pad).sum(dim=-1)
    return (torch.arange(ids.size(-1)) < lengths[:, None]).unsqueeze(-2)


PADDING_MISTAKES = (
    inverted,
    without_axis,
    rows_not_columns,
    rows_too,
    compares_with_zero,
    compares_by_size,
    counted,
)


@mistake(
    "one mask or the other is enough",
    why="| lets a token look where either mask allows it, so the causal mask opens what the "
    "padding mask has closed. A token may look where the one *and* the other allow it: &.",
    section=PADDING,
)
def either(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) | (ids != pad).unsqueeze(-2)


@mistake(
    "the padding is not hidden",
    why="Only the future is. Padding at the front or in between lies in the past of some tokens, "
    "and they read it.",
    section="book/masking#Padding in a decoder: right or left?",
)
def causal_only(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)).expand(len(ids), -1, -1)


@causal_only.also
def causal_only_once_for_all(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1))


@mistake(
    "the future is not hidden",
    why="Only the padding is. A decoder needs both masks: combine them with &.",
    section=PADDING,
)
def padding_only(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2)


@padding_only.also
def padding_only_for_each_query(ids: Tensor, pad: int) -> Tensor:
    return (ids != pad).unsqueeze(-2).expand(-1, ids.size(-1), -1)


@mistake(
    "padding hides rows, not columns",
    why="The padding asks nothing, but is read. The axis for the queries goes before the last: "
    "(B, 1, S).",
    section=WRONG,
)
def combined_rows(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1)


@mistake(
    "padding hides rows too",
    why="Hiding the rows of padding leaves those queries nothing to read, which is not needed: "
    "nobody reads their answers. Only columns are asked for here.",
    section=PADDING,
)
def combined_rows_too(ids: Tensor, pad: int) -> Tensor:
    return triangle(ids.size(-1)) & (ids != pad).unsqueeze(-1) & (ids != pad).unsqueeze(-2)


@mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
    section=TRUE,
)
def combined_inverted(ids: Tensor, pad: int) -> Tensor:
    return ~(triangle(ids.size(-1)) & (ids != pad).unsqueeze(-2))


COMBINED_MISTAKES = (
    either,
    causal_only,
    causal_only_once_for_all,
    padding_only,
    padding_only_for_each_query,
    combined_rows,
    combined_rows_too,
    combined_inverted,
)

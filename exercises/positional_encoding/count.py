"""count_positions: number the tokens, skipping padding."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs
from transformer_lab.positional_encoding import token_positions


def count_positions(real: Tensor) -> Tensor:
    """Return the position of each token, skipping padding."""
    return token_positions(real)


EXERCISE = Exercise(
    __name__, count_positions, results={"positions": "tokens"}, section="What goes wrong"
)


@EXERCISE.requires("Padding on the left changes no position: a sentence begins at 0.", points=2)
def left(draw: Draw) -> list[Inputs]:
    """Return sentences padded on the left up to the longest, and a long text."""
    by_hand = torch.tensor([[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    pads = [draw.ids(b, 1, low=1, high=t) for b, t in ((3, 5), (2, 4), (4, 6))]
    pads.append(draw.ids(2, 1, low=1, high=9))
    drawn = [torch.arange(t) >= pad for t, pad in zip((5, 4, 6, 300), pads, strict=True)]
    return [Inputs((by_hand,)), *(Inputs((real,)) for real in drawn)]


@EXERCISE.requires("Neither does padding anywhere else, with any axes in front.", points=1)
def anywhere(draw: Draw) -> list[Inputs]:
    """Return padding on the right, in between and everywhere, in one sentence or in batches."""
    right = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]]).bool()
    between = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 0, 1, 0]]).bool()
    return [
        Inputs((right,)),
        Inputs((between,)),
        Inputs((torch.tensor([0, 1, 1, 0, 1]).bool(),)),
        Inputs((draw.ids(2, 3, 6, high=2).bool(),)),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def long(draw: Draw) -> list[Inputs]:
    """Return texts that overflow an 8-bit count."""
    lengths = draw.ids(2, low=140, high=400).tolist()
    return [Inputs((torch.ones(2, n, dtype=torch.bool),)) for n in lengths]


EXERCISE.edit(
    "positions are counted from the left edge",
    {"token_positions(real)": "torch.arange(real.size(-1)).expand(real.shape)"},
    why="Padding is counted too, so a sentence's positions depend on how long the others in the "
    "batch are.\nCount only the real tokens.",
)
EXERCISE.edit(
    "the first token has number 1",
    {"token_positions(real)": "real.cumsum(dim=-1)"},
    why="A running count of real tokens includes the token itself. The position is the number of "
    "tokens before it.\nOne less, so the first has 0.",
)
EXERCISE.edit(
    "padding on the left gets -1",
    {"token_positions(real)": "real.cumsum(dim=-1) - 1"},
    why="Before the first real token the count is 0, and one less is -1. A table of vectors has no "
    "row -1, or worse, uses its last row.\nClamp it to 0.",
)
EXERCISE.edit(
    "all padding is set to 0",
    {"(real)": "(real) * real"},
    why="The real tokens have the right positions.\nBut padding should get the position of the "
    "last real token before it, and 0 only if there is none.",
)
EXERCISE.edit(
    "each row is moved by all of its padding",
    "padding = (~real).sum(dim=-1, keepdim=True); "
    "return (torch.arange(real.size(-1)) - padding).clamp(min=0)",
    why="Subtracting the row's number of padding tokens is right only if all of them are on the "
    "left. Padding on the right, or in between, does not move the tokens before it.",
)
EXERCISE.edit(
    "it counts along the batch",
    {"token_positions(real)": "(real.cumsum(dim=0) - 1).clamp(min=0)"},
    why="cumsum(dim=0) counts down the sentences.\nThe tokens of one sentence lie along the last "
    "axis, dim=-1.",
)
EXERCISE.edit(
    "padding is counted in place of tokens",
    "count_positions(~real)",
    why="real is True where there is a token. Inverted, it counts the padding.",
)
EXERCISE.edit(
    "padding gets the number of the next token, not of the one before",
    {"token_positions(real)": "real.long().cumsum(dim=-1) - real.long()"},
    why="The number of tokens before a position is right for tokens. But padding should get the "
    "position of the last real token before it.\nInclude the position itself in the count, and "
    "subtract 1.",
)
EXERCISE.edit(
    "padding in between is counted",
    "first = real.long().argmax(dim=-1, keepdim=True); "
    "return (torch.arange(real.size(-1)) - first).clamp(min=0)",
    why="Counting all positions from the first real token on is right only if no padding follows. "
    "Padding between two tokens moves no token.\nCount only the real ones.",
)
EXERCISE.edit(
    "all padding gets 1",
    {"token_positions(real)": "torch.where(real, count_positions(real), 1)"},
    why="Some libraries give padding a position that is never read. Here it gets the position of "
    "the last real token before it, and 0 if there is none.",
)
EXERCISE.edit(
    "it counts in 8 bits",
    {"token_positions(real)": "(real.cumsum(dim=-1, dtype=torch.int8) - 1).clamp(min=0).long()"},
    why="int8 ends at 127, and the next number is -128.\ncumsum counts in 64 bits unless you pass "
    "a dtype.",
)

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


@EXERCISE.requires("Padding on the left moves nobody: a sentence begins at 0.", points=2)
def left(draw: Draw) -> list[Inputs]:
    """Return sentences padded on the left up to the longest, and a long text."""
    by_hand = torch.tensor([[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    pads = [draw.ids(b, 1, low=1, high=t) for b, t in ((3, 5), (2, 4), (4, 6))]
    pads.append(draw.ids(2, 1, low=1, high=9))
    drawn = [torch.arange(t) >= pad for t, pad in zip((5, 4, 6, 300), pads, strict=True)]
    return [Inputs((by_hand,)), *(Inputs((real,)) for real in drawn)]


@EXERCISE.requires("Padding anywhere else does not either, with any axes in front.", points=1)
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


@EXERCISE.mistake(
    "positions are counted from the left edge",
    why="Padding counts along, so a sentence's numbers depend on how long its companions are. "
    "Count the real tokens only.",
)
def from_edge(real: Tensor) -> Tensor:
    return torch.arange(real.size(-1)).expand(real.shape).clone()


@from_edge.also
def from_edge_with_zeros(real: Tensor) -> Tensor:
    return torch.arange(real.size(-1)).expand(real.shape) * real


@EXERCISE.mistake(
    "the first token has number 1",
    why="A running count of real tokens includes the token itself. What is asked is how many "
    "stand before it: one less, and the first has 0.",
)
def from_one(real: Tensor) -> Tensor:
    return real.cumsum(dim=-1)


@EXERCISE.mistake(
    "padding on the left gets -1",
    why="Before the first real token the count is 0, and one less is -1, which a table of vectors "
    "cannot be asked for, or, worse, takes for its last row. Clamp it to 0.",
)
def negative(real: Tensor) -> Tensor:
    return real.cumsum(dim=-1) - 1


@EXERCISE.mistake(
    "all padding is set to 0",
    why="The real tokens are numbered rightly. What was asked for padding is another thing: the "
    "number of the last real token before it, and 0 only where there is none.",
)
def zero_padding(real: Tensor) -> Tensor:
    return count_positions(real) * real


@EXERCISE.mistake(
    "each row is moved by all of its padding",
    why="Taking off the row's number of padding tokens is right if all of them stand on the left. "
    "Padding on the right, or in between, moves nobody who stands before it.",
)
def minus_padding(real: Tensor) -> Tensor:
    padding = (~real).sum(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - padding).clamp(min=0)


@EXERCISE.mistake(
    "it counts along the batch",
    why="cumsum(dim=0) counts down the sentences. The tokens of one sentence lie along the last "
    "axis, dim=-1.",
    section="What goes wrong",
)
def batch(real: Tensor) -> Tensor:
    return (real.cumsum(dim=0) - 1).clamp(min=0)


@EXERCISE.mistake(
    "padding is counted in place of tokens",
    why="real is True where a token stands. Turned round, it is the padding that moves the "
    "numbers on.",
)
def padding(real: Tensor) -> Tensor:
    return count_positions(~real)


@EXERCISE.mistake(
    "padding gets the number of the next token, not of the last",
    why="How many tokens stand before a place is right for tokens. What was asked for padding is "
    "the number of the last real token before it: count it in, and take 1 off.",
)
def tokens_before(real: Tensor) -> Tensor:
    return real.long().cumsum(dim=-1) - real.long()


@EXERCISE.mistake(
    "all padding gets -1",
    why="Padding was to have the number of the last real token before it, and 0 where there is "
    "none.",
)
def minus_one(real: Tensor) -> Tensor:
    return torch.where(real, count_positions(real), -1)


@EXERCISE.mistake(
    "it counts from the end",
    why="The first token has number 0, and numbers grow to the right.",
)
def from_the_end(real: Tensor) -> Tensor:
    return count_positions(real.flip(-1)).flip(-1)


@EXERCISE.mistake(
    "the counting goes on from sentence to sentence",
    why="Each sentence begins at 0: count along the last axis, dim=-1.",
)
def goes_on(real: Tensor) -> Tensor:
    return (real.flatten().cumsum(dim=0) - 1).clamp(min=0).view(real.shape)


@EXERCISE.mistake(
    "padding in between is counted",
    why="Counting from the first real token on is right while nothing is missing behind it. "
    "Padding between two tokens moves nobody: count the real ones.",
)
def from_the_first(real: Tensor) -> Tensor:
    first = real.long().argmax(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - first).clamp(min=0)


@EXERCISE.mistake(
    "all padding gets 1",
    why="Some libraries give padding a number that nobody reads. Asked for is the number of the "
    "last real token before it, and 0 where there is none.",
)
def one_for_padding(real: Tensor) -> Tensor:
    return torch.where(real, count_positions(real), 1)


@EXERCISE.mistake(
    "it counts in 8 bits",
    why="int8 ends at 127, and the number behind it is -128. cumsum counts in 64 bits unless it is "
    "told otherwise.",
)
def eight_bits(real: Tensor) -> Tensor:
    return (real.cumsum(dim=-1, dtype=torch.int8) - 1).clamp(min=0).long()

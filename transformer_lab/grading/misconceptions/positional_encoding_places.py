# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to count positions, and to add a learned vector for each."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

MOVED = "book/positional_encoding#The sentence that moved"
AXIS = "book/positional_encoding#The wrong axis"
ADD = "book/positional_encoding#Add something to each vector"
LEARNED = "book/positional_encoding#Or let the model learn them"


@mistake(
    "positions are counted from the left edge",
    why="Padding counts along, so a sentence's numbers depend on how long its companions are. "
    "Count the real tokens only.",
    section=MOVED,
)
def count_from_edge(real: Tensor) -> Tensor:
    return torch.arange(real.size(-1)).expand(real.shape).clone()


@count_from_edge.also
def count_from_edge_with_zeros(real: Tensor) -> Tensor:
    return torch.arange(real.size(-1)).expand(real.shape) * real


@mistake(
    "the first token has number 1",
    why="A running count of real tokens includes the token itself. What is asked is how many "
    "stand before it: one less, and the first has 0.",
    section=MOVED,
)
def count_from_one(real: Tensor) -> Tensor:
    return real.cumsum(dim=-1)


@mistake(
    "padding on the left gets -1",
    why="Before the first real token the count is 0, and one less is -1, which a table of vectors "
    "cannot be asked for, or, worse, takes for its last row. Clamp it to 0.",
    section=MOVED,
)
def count_negative(real: Tensor) -> Tensor:
    return real.cumsum(dim=-1) - 1


@mistake(
    "all padding is set to 0",
    why="The real tokens are numbered rightly. What was asked for padding is another thing: the "
    "number of the last real token before it, and 0 only where there is none.",
    section=MOVED,
)
def count_zero_padding(real: Tensor) -> Tensor:
    return (real.cumsum(dim=-1) - 1) * real


@mistake(
    "each row is moved by all of its padding",
    why="Taking off the row's number of padding tokens is right if all of them stand on the left. "
    "Padding on the right, or in between, moves nobody who stands before it.",
    section=MOVED,
)
def count_minus_padding(real: Tensor) -> Tensor:
    padding = (~real).sum(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - padding).clamp(min=0)


@mistake(
    "it counts along the batch",
    why="cumsum(dim=0) counts down the sentences. The tokens of one sentence lie along the last "
    "axis, dim=-1.",
    section=AXIS,
)
def count_batch(real: Tensor) -> Tensor:
    return (real.cumsum(dim=0) - 1).clamp(min=0)


@mistake(
    "padding is counted in place of tokens",
    why="real is True where a token stands. Turned round, it is the padding that moves the "
    "numbers on.",
    section=MOVED,
)
def count_padding(real: Tensor) -> Tensor:
    return ((~real).cumsum(dim=-1) - 1).clamp(min=0)


@mistake(
    "the vectors are added along the batch",
    why="All words of a sentence get the same vector, and each sentence another one: "
    "x.size(0) is the batch. Look each token's own position up: table[positions].",
    section=AXIS,
)
def place_along_batch(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(0), None]


@mistake(
    "the given positions are not looked at",
    why="It adds the first rows of the table in order. With padding on the left a token's "
    "position is not its place in the tensor: table[positions] looks up the right one.",
    section=MOVED,
)
def place_in_order(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(-2)]


@mistake(
    "it multiplies where it should add",
    why="A position is added to the word: x + p. Multiplied, a position whose vector has a 0 "
    "would wipe out a feature of every word that stands there.",
    section=ADD,
)
def place_multiplies(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x * table[positions]


@mistake(
    "the word is gone",
    why="It returns the positions' vectors alone. They are added to the words' vectors, x.",
    section=ADD,
)
def place_without_word(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return table[positions].expand(x.shape).clone()


@mistake(
    "positions are taken to begin at 1",
    why="Row 0 of the table belongs to position 0. Taking 1 off moves everybody, and position 0 "
    "gets the last row of the table without any error.",
    section=LEARNED,
)
def place_one_off(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[positions - 1]


@mistake(
    "it changes the caller's tensor",
    why="+= writes into the tensor you were given, and whoever called still has it. Make a new "
    "one: x + ...",
    section=ADD,
)
def place_in_place(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    x += table[positions]
    return x


COUNT_MISTAKES = (
    count_from_edge,
    count_from_edge_with_zeros,
    count_from_one,
    count_negative,
    count_zero_padding,
    count_minus_padding,
    count_batch,
    count_padding,
)
LEARNED_MISTAKES = (
    place_along_batch,
    place_in_order,
    place_multiplies,
    place_without_word,
    place_one_off,
    place_in_place,
)

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to read queries, keys and values from one product."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

PACKED = "book/multi_head#One projection for all heads"


@mistake(
    "queries, keys and values are dealt out in turn",
    why="It takes every third column. The matrices lie side by side: first all columns of W_Q, "
    "then all of W_K, then all of W_V.",
    section=PACKED,
)
def packed_dealt(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).unflatten(-1, (-1, 3)).unbind(-1)


@mistake(
    "the matrix is transposed",
    why="nn.Linear stores its matrix transposed, one row for each output. This W is that of the "
    "formula x W: one row for each number of a word.",
    section="book/multi_head#Packed equals separate",
)
def packed_transposed(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W.T).chunk(3, dim=-1)


@mistake(
    "the three come in another order",
    why="The numbers are right, and they have the wrong names. The first third of the columns is "
    "W_Q, the second W_K, the last W_V.",
    section=PACKED,
)
def packed_keys_first(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    q, k, v = (x @ W).chunk(3, dim=-1)
    return k, q, v


@packed_keys_first.also
def packed_values_first(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3, dim=-1)[::-1]


@packed_keys_first.also
def packed_values_second(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    q, k, v = (x @ W).chunk(3, dim=-1)
    return q, v, k


@mistake(
    "the words are cut into three, not their numbers",
    why="A third of the words became queries, a third keys. Every word has a query, a key and a "
    "value: cut the last axis, dim=-1.",
    section=PACKED,
)
def packed_words(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).tensor_split(3, dim=-2)


@packed_words.also
def packed_words_in_chunks(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3, dim=-2)


@packed_words.also
def packed_first_axis(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return (x @ W).chunk(3)


@mistake(
    "all three are the same third",
    why="Then every word asks by what it is found by, and gives it too. The second third of the "
    "columns makes the keys, the last the values.",
    section=PACKED,
)
def packed_same(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    return ((x @ W).chunk(3, dim=-1)[0],) * 3


@mistake(
    "the product is not cut",
    why="One product makes the queries, keys and values of all heads, side by side. Three things "
    "are to be returned: cut the last axis into thirds.",
    section=PACKED,
)
def packed_whole(x: Tensor, W: Tensor) -> Tensor:
    return x @ W


PACKED_MISTAKES = (
    packed_dealt,
    packed_transposed,
    packed_keys_first,
    packed_values_first,
    packed_values_second,
    packed_words,
    packed_words_in_chunks,
    packed_first_axis,
    packed_same,
    packed_whole,
)

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to mask between two texts, and to say how large everything is."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

TASKS = "book/masking#Which mask for which task?"
SHAPES = "book/masking#Every shape"

Shapes = tuple[tuple[int, ...], ...]


@mistake(
    "the two texts have changed places",
    why="Rows are the text that asks, columns the one that is asked: (B, T, S). Here the columns "
    "belong to the asking text.",
    section=TASKS,
)
def swapped(real: Tensor, memory_real: Tensor) -> Tensor:
    return memory_real.unsqueeze(-1) & real.unsqueeze(-2)


@mistake(
    "the padding of the text that is asked is not hidden",
    why="Only the rows of padding are closed. What must not be read are the columns: the padding "
    "of the other text.",
    section=TASKS,
)
def asked_open(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1).expand(-1, -1, memory_real.size(-1))


@asked_open.also
def asked_open_by_broadcasting(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1)


@mistake(
    "the padding of the text that asks may ask",
    why="Only the columns are hidden. Here padding is to ask nothing, so its rows are False "
    "throughout.",
    section=TASKS,
)
def asking_open(real: Tensor, memory_real: Tensor) -> Tensor:
    return memory_real.unsqueeze(-2).expand(-1, real.size(-1), -1)


@asking_open.also
def asking_open_by_broadcasting(real: Tensor, memory_real: Tensor) -> Tensor:
    return memory_real.unsqueeze(-2)


@mistake(
    "one real token is enough",
    why="With |, a real token may read the other text's padding. Both have to be real: &.",
    section=TASKS,
)
def either(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1) | memory_real.unsqueeze(-2)


@mistake(
    "the other text's future is hidden",
    why="There is no future in the other text: it is complete before the first word is written. "
    "Cross-attention has no causal mask.",
    section=TASKS,
)
def causal(real: Tensor, memory_real: Tensor) -> Tensor:
    open_ = real.unsqueeze(-1) & memory_real.unsqueeze(-2)
    return open_ & torch.ones_like(open_[0]).tril()


@mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
    section='book/masking#True means "may attend"',
)
def inverted(real: Tensor, memory_real: Tensor) -> Tensor:
    return ~(real.unsqueeze(-1) & memory_real.unsqueeze(-2))


@mistake(
    "padding may ask padding",
    why="Equal is not enough: False equals False too. Both have to be real: &.",
    section=TASKS,
)
def equal(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1) == memory_real.unsqueeze(-2)


CROSS_MISTAKES = (
    swapped,
    asked_open,
    asked_open_by_broadcasting,
    asking_open,
    asking_open_by_broadcasting,
    either,
    causal,
    inverted,
    equal,
)


@mistake(
    "the heads are forgotten",
    why="Every head has scores of its own, so they have an axis for the heads: (B, H, T, S).",
    section=SHAPES,
)
def no_heads(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, T, S), (T, T), (B, 1, S), (B, T, T)


@mistake(
    "the scores count keys before queries",
    why="Rows are queries, columns are keys: T, then S.",
    section=SHAPES,
)
def keys_first(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, S, T), (T, T), (B, 1, S), (B, T, T)


@mistake(
    "the padding mask lacks its axis for the queries",
    why="(B, S) is broadcast as (T, S): the sentences become queries. One row serves all queries "
    "of a sentence: (B, 1, S).",
    section="book/masking#What goes wrong",
)
def padding_flat(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, S), (B, T, T)


@mistake(
    "the padding mask hides rows",
    why="With the 1 at the end it says which queries are real. Keys are what it hides: (B, 1, S).",
    section="book/masking#What goes wrong",
)
def padding_rows(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, S, 1), (B, T, T)


@mistake(
    "every sentence has a causal mask of its own",
    why="What comes later is the same for all sentences: one table (T, T) serves the whole batch.",
    section=SHAPES,
)
def causal_per_sentence(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (B, T, T), (B, 1, S), (B, T, T)


@mistake(
    "both masks together are still one for all sentences",
    why="Padding is another in each sentence, so both together are too: (T, T) and (B, 1, T) "
    "broadcast to (B, T, T).",
    section=SHAPES,
)
def both_for_all(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, 1, S), (T, T)


SHAPES_MISTAKES = (
    no_heads,
    keys_first,
    padding_flat,
    padding_rows,
    causal_per_sentence,
    both_for_all,
)

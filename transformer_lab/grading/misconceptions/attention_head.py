# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write a head: who asks, who is asked, and through which matrix."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.attention import Pair, attend

CROSS = "book/attention#Self and cross: who asks, who is asked"
WORDS = "book/attention#Words that ask each other"
SCALE = "book/attention#Why divide by √d_k?"
SHAPE = "book/attention#Every shape"


def attended(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    """Attend rightly."""
    return attend(q @ k.mT / k.size(-1) ** 0.5, v, None)


@mistake(
    "the source asks, and x is asked",
    why="Whoever asks gets the answers. x asks, so the queries are made from x, and the keys and "
    "values from the source.",
    section=CROSS,
)
def head_asks_back(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(source @ W_q, x @ W_k, x @ W_v)


@mistake(
    "x asks itself, and the source is not read",
    why="That is self-attention. Keys and values are made from the source; in self-attention the "
    "caller gives x as the source.",
    section=CROSS,
)
def head_only_self(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_q, x @ W_k, x @ W_v)


@mistake(
    "the source asks itself, and x is not read",
    why="The queries are made from x. As it is, the answers are as many as the source's words.",
    section=CROSS,
)
def head_only_source(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(source @ W_q, source @ W_k, source @ W_v)


@mistake(
    "the values come from x",
    why="A key and its value belong to the same word. Both are made from the source.",
    section=CROSS,
)
def head_own_values(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_q, source @ W_k, x @ W_v)


@mistake(
    "the keys come from x",
    why="A key and its value belong to the same word. Both are made from the source.",
    section=CROSS,
)
def head_own_keys(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_q, x @ W_k, source @ W_v)


@mistake(
    "W_q and W_k have changed places",
    why="W_q says what to look for, W_k what to be found by. The queries go through W_q.",
    section=WORDS,
)
def head_swapped(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_k, source @ W_q, source @ W_v)


@mistake(
    "the matrices are not used",
    why="The words meet as they are, and the scores say how much alike they are. Each word shows "
    "three faces, through W_q, W_k and W_v.",
    section=WORDS,
)
def head_bare(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x, source, source)


@mistake(
    "the values go in as they are, without W_v",
    why="What a word gives is made from it too: the source, times W_v.",
    section=WORDS,
)
def head_bare_values(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_q, source @ W_k, source)


@mistake(
    "there is no scaling",
    why="Softmax gets the raw dot products. Divide by the square root of the keys' width; your "
    "`attention` does.",
    section=SCALE,
)
def head_unscaled(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attend(x @ W_q @ (source @ W_k).mT, source @ W_v, None)


@mistake(
    "the two results have changed places",
    why="It returns (weights, output). The promise is (output, weights): the output first.",
    section=SHAPE,
)
def head_weights_first(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> Pair:
    return attended(x @ W_q, source @ W_k, source @ W_v)[::-1]


HEAD_MISTAKES = (
    head_asks_back,
    head_only_self,
    head_only_source,
    head_own_values,
    head_own_keys,
    head_swapped,
    head_bare,
    head_bare_values,
    head_unscaled,
    head_weights_first,
)

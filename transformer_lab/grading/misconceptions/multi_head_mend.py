# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Ways not to mend the two faulty functions of the exercise on several heads."""

from torch import Tensor

from transformer_lab.grading.checks.multi_head_given import attention
from transformer_lab.grading.misconceptions import mistake

PACKED = "book/multi_head#One projection for all heads"
SHAPE = "book/multi_head#Every shape"
WRONG = "book/multi_head#What goes wrong"


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Number the words' entries from 0 and print what "
    "the first head holds: is it a slice of every word?",
    section=WRONG,
)
def layout_as_given(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    return attention(parts, parts, parts)[0].reshape(B, T, D)


@mistake(
    "the way in is mended, the way back is not",
    why="The heads are right, and then a reshape lays words of one head end to end: no answer gets "
    "back to its word. Whatever axes were moved on the way in have to be moved back.",
    section=WRONG,
)
def layout_in_only(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    return attention(parts, parts, parts)[0].reshape(B, T, D)


@mistake(
    "the way back is mended, the way in is not",
    why="Each head still holds a few whole words. Cut the last axis first, (B, T, heads, d_k), and "
    "then bring the heads to the front.",
    section=WRONG,
)
def layout_out_only(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    parts = x.reshape(B, heads, T, D // heads)
    return attention(parts, parts, parts)[0].transpose(1, 2).reshape(B, T, D)


@mistake(
    "the heads of one word attend to each other",
    why="The last axis is cut, but the heads stand behind the words, so attention takes them for "
    "words: no word hears from another. The last two axes have to be words by width.",
    section=PACKED,
)
def layout_heads_talk(x: Tensor, heads: int) -> Tensor:
    parts = x.unflatten(-1, (heads, -1))
    return attention(parts, parts, parts)[0].flatten(-2)


@mistake(
    "the heads are gone",
    why="Now every word hears from every word, by one head of full width. Keep the heads, each "
    "with its own slice of every word.",
    section="book/multi_head#Several heads, side by side",
)
def layout_one_head(x: Tensor, heads: int) -> Tensor:
    return attention(x, x, x)[0]


@mistake(
    "the numbers are dealt out to the heads in turn",
    why="Every word is in every head, which is the point. But head 0 should have the first slice "
    "of each word in one piece, not every so-many-th number: cut into (heads, d_k).",
    section=WRONG,
)
def layout_dealt(x: Tensor, heads: int) -> Tensor:
    parts = x.unflatten(-1, (-1, heads)).movedim(-1, 1)
    return attention(parts, parts, parts)[0].movedim(1, -1).flatten(-2)


LAYOUT_MISTAKES = (
    layout_as_given,
    layout_in_only,
    layout_out_only,
    layout_heads_talk,
    layout_one_head,
    layout_dealt,
)


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Write the shape of the scores below the shape of "
    "the mask, flush right: which axes meet?",
    section=WRONG,
)
def mask_as_given(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, real[:, None, :])


@mistake(
    "queries are hidden, not keys",
    why="The new axes stand behind the positions, so the padding asks nothing, and every word "
    "reads it. The keys are the last axis of the scores.",
    section=SHAPE,
)
def mask_rows(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, real[:, None, :, None])


@mistake(
    "sentences meet queries",
    why="A mask (B, S) meets the scores from the back: its sentences meet the queries. It needs "
    "two axes between the sentences and the keys, one for the heads and one for the queries.",
    section=SHAPE,
)
def mask_flat(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, real)


@mistake(
    "one sentence's padding serves for all",
    why="Each sentence is padded in its own way. The first axis of the mask stays the sentences.",
    section=SHAPE,
)
def mask_first(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, real[:1, None, None])


@mistake(
    "a key is hidden from all sentences if it is padding in one",
    why="That makes one mask of all, and sentences lose words. Keep a row for each sentence, and "
    "give it axes of length 1 for heads and queries.",
    section=SHAPE,
)
def mask_any(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, real.all(dim=0))


@mistake(
    "the mask is turned round",
    why="Only padding is read now. True means may attend, as it did before: the axes were wrong, "
    "not the signs.",
    section="book/masking#True means keep. Or block.",
)
def mask_inverted(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v, ~real[:, None, None, :])


@mistake(
    "nothing is hidden any more",
    why="It runs whatever the number of sentences, since the mask is gone, and every head reads "
    "padding. The mask lacked an axis, no more.",
    section=SHAPE,
)
def mask_gone(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    return attention(q, k, v)


MASK_MISTAKES = (
    mask_as_given,
    mask_rows,
    mask_flat,
    mask_first,
    mask_any,
    mask_inverted,
    mask_gone,
)

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to tell heads apart, and to put them together."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

PACKED = "book/multi_head#One projection for all heads"
WRONG = "book/multi_head#What goes wrong"
SIDE = "book/multi_head#Several heads, side by side"


@mistake(
    "it is reshaped straight to the shape, and no axis is moved",
    why="A reshape keeps the order of the numbers in memory, and there words come before heads: "
    "the first head gets the first words. Cut the last axis, then transpose.",
    section=WRONG,
)
def split_reshaped(x: Tensor, heads: int) -> Tensor:
    return x.reshape(*x.shape[:-2], heads, x.size(-2), x.size(-1) // heads)


@split_reshaped.also
def split_reshaped_with_three_axes(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    return x.reshape(B, heads, T, D // heads)


@mistake(
    "the heads stay behind the words",
    why="The last axis is cut, and that is half of it. Attention works on the last two axes, words "
    "by width, so the heads have to come in front of the words.",
    section=PACKED,
)
def split_not_moved(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).clone()


@split_not_moved.also
def split_not_moved_with_three_axes(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    return x.reshape(B, T, heads, D // heads)


@mistake(
    "the numbers are dealt out to the heads in turn",
    why="The last axis is cut into (d_k, heads), so head 0 gets every so-many-th number. Here each "
    "head has a slice in one piece: (heads, d_k), the heads first.",
    section=WRONG,
)
def split_dealt(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


@split_dealt.also
def split_dealt_with_three_axes(x: Tensor, heads: int) -> Tensor:
    B, T, D = x.shape
    return x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)


@mistake(
    "`heads` is taken for the width of a head",
    why="There are as many heads now as a head should have numbers, and the reverse. Cut the last "
    "axis into heads pieces, not into pieces of that width.",
    section=SIDE,
)
def split_width(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (-1, heads)).transpose(-2, -3)


@mistake(
    "words and numbers have changed places as well",
    why="The heads are in front, but each head's table stands on its side: (d_k, T) where (T, d_k) "
    "is wanted. Only one pair of axes changes places, words and heads.",
    section=PACKED,
)
def split_sideways(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).movedim(-3, -1)


@mistake(
    "the axes are counted from the front",
    why="transpose(1, 2) means words and heads only with exactly one batch axis. Counted from the "
    "back, -3 and -2, they are found whatever comes before.",
    section=PACKED,
)
def split_from_the_front(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


SPLIT_MISTAKES = (
    split_reshaped,
    split_reshaped_with_three_axes,
    split_not_moved,
    split_not_moved_with_three_axes,
    split_dealt,
    split_dealt_with_three_axes,
    split_width,
    split_sideways,
    split_from_the_front,
)


@mistake(
    "the heads are not moved back before they are joined",
    why="In memory, heads come before words here. Reshaped as it is, the first row gets the first "
    "words of head 0, not all heads of word 0. Transpose first, then join.",
    section=WRONG,
)
def merge_reshaped(x: Tensor) -> Tensor:
    return x.reshape(*x.shape[:-3], x.size(-2), x.size(-3) * x.size(-1))


@merge_reshaped.also
def merge_reshaped_with_four_axes(x: Tensor) -> Tensor:
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)


@mistake(
    "heads and words are joined, not heads and numbers",
    why="The sentence has grown longer, and each word is still as narrow as a head. Join the axis "
    "of the heads with that of their numbers: those two have to be neighbours, and the last.",
    section=PACKED,
)
def merge_longer(x: Tensor) -> Tensor:
    return x.flatten(-3, -2)


@merge_longer.also
def merge_longer_by_words(x: Tensor) -> Tensor:
    return x.transpose(-2, -3).flatten(-3, -2)


@mistake(
    "the heads are dealt in turn",
    why="A word's numbers come out as the first of every head, then the second of every head. Each "
    "head's numbers should stay together: heads before numbers when the two are joined.",
    section=WRONG,
)
def merge_dealt(x: Tensor) -> Tensor:
    return x.movedim(-3, -1).flatten(-2)


@mistake(
    "the heads are added up or averaged",
    why="The answers lie end to end, so that nothing is lost: an average cannot be taken apart "
    "again. Adding up is what the product with W_O does, later.",
    section="book/multi_head#One average is not enough",
)
def merge_averaged(x: Tensor) -> Tensor:
    return x.mean(dim=-3)


@merge_averaged.also
def merge_summed(x: Tensor) -> Tensor:
    return x.sum(dim=-3)


@mistake(
    "the axes are moved, but nothing is joined",
    why="The heads stand behind the words again, which is half of it. Now make one axis of the "
    "last two.",
    section=PACKED,
)
def merge_not_joined(x: Tensor) -> Tensor:
    return x.transpose(-2, -3).clone()


@mistake(
    "the axes are counted from the front",
    why="transpose(1, 2) means heads and words only with exactly one batch axis. Counted from the "
    "back, -3 and -2, they are found whatever comes before.",
    section=PACKED,
)
def merge_from_the_front(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(-2)


@merge_from_the_front.also
def merge_all_the_rest(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


MERGE_MISTAKES = (
    merge_reshaped,
    merge_reshaped_with_four_axes,
    merge_longer,
    merge_longer_by_words,
    merge_dealt,
    merge_averaged,
    merge_summed,
    merge_not_joined,
    merge_from_the_front,
    merge_all_the_rest,
)

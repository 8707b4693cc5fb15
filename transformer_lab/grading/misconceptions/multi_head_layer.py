# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to put multi-head attention together."""

import math

from torch import Tensor

from transformer_lab.grading.checks.multi_head_given import attention
from transformer_lab.grading.misconceptions import mistake

SIDE = "book/multi_head#Several heads, side by side"
OUTPUT = "book/multi_head#What $W_O$ is for"
WRONG = "book/multi_head#What goes wrong"
SHAPE = "book/multi_head#Every shape"


def projected(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    """Make queries, keys and values."""
    return (x @ W).chunk(3, dim=-1)


def split(x: Tensor, heads: int) -> Tensor:
    """Tell the heads apart."""
    return x.unflatten(-1, (heads, -1)).transpose(-2, -3)


def merge(x: Tensor) -> Tensor:
    """Put the heads together."""
    return x.transpose(-2, -3).flatten(-2)


def for_heads(mask: Tensor | None) -> Tensor | None:
    """Let a mask serve all heads."""
    return None if mask is None else mask.unsqueeze(-3)


def heard(x: Tensor, W: Tensor, heads: int, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Let each head attend."""
    q, k, v = (split(part, heads) for part in projected(x, W))
    return attention(q, k, v, for_heads(mask))


@mistake(
    "the heads are reshaped, not transposed",
    why="It runs, and each row of weights sums to one. But a reshape keeps the order in memory: "
    "each head holds a few whole words instead of a slice of every word.",
    section=WRONG,
)
def layer_reshaped(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    shape = (*x.shape[:-2], heads, x.size(-2), x.size(-1) // heads)
    q, k, v = (part.reshape(shape) for part in projected(x, W))
    mixed, weights = attention(q, k, v, for_heads(mask))
    return mixed.reshape(x.shape) @ W_o, weights


@layer_reshaped.also
def layer_reshaped_with_three_axes(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    B, T, D = x.shape
    q, k, v = (part.reshape(B, heads, T, D // heads) for part in projected(x, W))
    mixed, weights = attention(q, k, v, for_heads(mask))
    return mixed.reshape(B, T, D) @ W_o, weights


@mistake(
    "the heads are merged by a reshape alone",
    why="The weights are right and the output is not. After attention the heads stand in front of "
    "the words; a reshape then lays words of one head end to end. Transpose back first.",
    section=WRONG,
)
def layer_reshaped_out(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, mask)
    return mixed.reshape(x.shape) @ W_o, weights


@layer_reshaped_out.also
def layer_reshaped_out_with_three_axes(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    B, T, D = x.shape
    mixed, weights = heard(x, W, heads, mask)
    return mixed.reshape(B, T, D) @ W_o, weights


@mistake(
    "the last product, with W_O, is missing",
    why="The shapes fit without it, but then each head writes to its own columns for ever. The "
    "merged answers go through W_O.",
    section=OUTPUT,
)
def layer_no_output(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, mask)
    return merge(mixed), weights


@mistake(
    "W_O is transposed",
    why="nn.Linear keeps its matrix transposed. This W_O is that of the formula, C W_O: head i "
    "meets its own *rows* of it.",
    section=OUTPUT,
)
def layer_output_transposed(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, mask)
    return merge(mixed) @ W_o.T, weights


@mistake(
    "the scores are divided by the root of the whole width",
    why="What makes a score large is how many products it adds up, and within a head that is the "
    "width of the head, d_model / heads. Let `attention` see the heads' own queries and keys.",
    section=WRONG,
)
def layer_whole_width(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q, k, v = (split(part, heads) for part in projected(x, W))
    mixed, weights = attention(q / math.sqrt(heads), k, v, for_heads(mask))
    return merge(mixed) @ W_o, weights


@mistake(
    "the mask has no axis for the heads",
    why="A mask (B, T, S) meets scores (B, H, T, S) from the back, so its sentences meet the "
    "scores' heads. Where B = H, nothing complains. It needs an axis of length 1 before the last "
    "two: mask.unsqueeze(-3).",
    section=WRONG,
)
def layer_mask_as_it_is(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q, k, v = (split(part, heads) for part in projected(x, W))
    mixed, weights = attention(q, k, v, mask)
    return merge(mixed) @ W_o, weights


@mistake(
    "the mask is left out",
    why="Every word reads everything, whatever the mask says. Hand it on to `attention`.",
    section=SHAPE,
)
def layer_unmasked(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, None)
    return merge(mixed) @ W_o, weights


@mistake(
    "there is only one head",
    why="It attends with the whole width, so each word gets one row of weights, and one average. "
    "Split queries, keys and values between the heads first.",
    section=SIDE,
)
def layer_one_head(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    q, k, v = projected(x, W)
    mixed, weights = attention(q, k, v, mask)
    return mixed @ W_o, weights


@layer_one_head.also
def layer_split_in_one(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, 1, mask)
    return merge(mixed) @ W_o, weights


@mistake(
    "the weights are averaged over the heads",
    why="nn.MultiheadAttention does so unless told otherwise, and a sharp head vanishes in the "
    "average. Return the weights of every head.",
    section=WRONG,
)
def layer_averaged(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, mask)
    return merge(mixed) @ W_o, weights.mean(dim=-3)


@mistake(
    "the two results have changed places",
    why="The output comes first, then the weights.",
    section=SHAPE,
)
def layer_weights_first(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    mixed, weights = heard(x, W, heads, mask)
    return weights, merge(mixed) @ W_o


@mistake(
    "only the output is returned",
    why="Two things are asked for: the output, and the weights of every head to look at.",
    section=SHAPE,
)
def layer_output_only(
    x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Tensor | None = None
) -> Tensor:
    mixed, _ = heard(x, W, heads, mask)
    return merge(mixed) @ W_o


LAYER_MISTAKES = (
    layer_reshaped,
    layer_reshaped_with_three_axes,
    layer_reshaped_out,
    layer_reshaped_out_with_three_axes,
    layer_no_output,
    layer_output_transposed,
    layer_whole_width,
    layer_mask_as_it_is,
    layer_unmasked,
    layer_one_head,
    layer_split_in_one,
    layer_averaged,
    layer_weights_first,
    layer_output_only,
)

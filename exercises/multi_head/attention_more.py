"""multi_head goes on: mistakes in the columns and in what is given back."""

import torch
from torch import Tensor

from .attention import (
    EXERCISE,
    Mask,
    Pair,
    for_heads,
    heard,
    multi_head,
)
from .merge import merge_heads
from .packed import packed_projection
from .parts import attention


@EXERCISE.mistake(
    "the mask's axis for the heads is counted from the front",
    why="unsqueeze(1) puts it behind the first axis, and in a mask (T, S) that is the queries. "
    "Counted from the back, -3, it stands before queries and keys, whatever comes before.",
    section="What goes wrong",
    of=for_heads,
)
def mask_axis_one(mask: Mask, heads: int) -> Mask:
    return None if mask is None else mask.unsqueeze(1)


@EXERCISE.mistake(
    "the masks are repeated in another order than the heads",
    why="Each sentence's mask belongs to all of that sentence's heads, one after the other. "
    "repeat lays all masks down, and then all again: repeat_interleave, or better an axis of 1.",
    section="What goes wrong",
    of=for_heads,
)
def masks_tiled(mask: Mask, heads: int) -> Mask:
    if mask is None or mask.dim() < 3:
        return for_heads(mask, heads)
    return mask.repeat(heads, 1, 1).unflatten(0, (len(mask), heads))


@EXERCISE.mistake(
    "the mask is left out",
    why="Every word reads everything, whatever the mask says. Hand it on to `attention`.",
    of=for_heads,
)
def unmasked(mask: Mask, heads: int) -> Mask:
    return None


@EXERCISE.mistake(
    "there is only one head",
    why="It attends with the whole width, so each word gets one row of weights, and one average. "
    "Split queries, keys and values between the heads first.",
    section="Several heads, side by side",
)
def one_head(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    q, k, v = packed_projection(x, W)
    mixed, weights = attention(q, k, v, mask)
    return mixed @ W_o, weights


@one_head.also
def split_in_one(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    mixed, weights = heard(x, W, 1, mask)
    return merge_heads(mixed) @ W_o, weights


@one_head.also
def one_head_for_all(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    q, k, v = packed_projection(x, W)
    mixed, weights = attention(q, k, v, mask)
    return mixed @ W_o, torch.stack([weights] * heads, dim=-3)


@EXERCISE.mistake(
    "the weights are averaged over the heads",
    why="nn.MultiheadAttention does so unless told otherwise, and a sharp head vanishes in the "
    "average. Return the weights of every head.",
    section="What goes wrong",
)
def averaged(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    output, weights = multi_head(x, W, W_o, heads, mask)
    return output, weights.mean(dim=-3)


@EXERCISE.mistake(
    "the two results have changed places",
    why="The output comes first, then the weights.",
)
def weights_first(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    return multi_head(x, W, W_o, heads, mask)[::-1]


@EXERCISE.mistake(
    "only the output is returned",
    why="Two things are asked for: the output, and the weights of every head to look at.",
)
def output_only(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Tensor:
    return multi_head(x, W, W_o, heads, mask)[0]


@EXERCISE.mistake(
    "the columns are read head by head, not in thirds",
    why="W has all queries' columns first, then all keys', then all values'. Each head has a slice "
    "of each third. Cut into thirds, then into heads.",
    section="One projection for all heads",
)
def head_by_head(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    by_third = W.unflatten(-1, (heads, 3, -1)).transpose(-2, -3).flatten(-3)
    return multi_head(x, by_third, W_o, heads, mask)


@EXERCISE.mistake(
    "each head goes through W_O by itself",
    why="The answers are laid end to end first, and then go through W_O together: head i meets its "
    "own rows of it.",
    section="What $W_O$ is for",
)
def no_matrix(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    mixed, weights = heard(x, W, heads, mask)
    return merge_heads(mixed @ W_o[: mixed.size(-1), : mixed.size(-1)]), weights


@EXERCISE.mistake(
    "the weights are summed over the heads",
    why="Each head's row of weights adds up to 1, and is returned by itself: one table for every "
    "head.",
)
def summed(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    output, weights = multi_head(x, W, W_o, heads, mask)
    return output, weights.sum(dim=-3)


@EXERCISE.mistake(
    "only the first head's weights are returned",
    why="Every head looks elsewhere. Return the weights of all of them.",
)
def first_weights(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    output, weights = multi_head(x, W, W_o, heads, mask)
    return output, weights[..., 0, :, :]


@EXERCISE.mistake(
    "the input is added to the output",
    why="The residual connection is made outside, around every sublayer alike. Here it would "
    "happen twice.",
)
def residual(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    output, weights = multi_head(x, W, W_o, heads, mask)
    return x + output, weights


@EXERCISE.mistake(
    "queries and keys have changed places",
    why="The first third of the columns are the queries, the second the keys. Who asks stands in "
    "the rows of the weights.",
)
def keys_ask(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    q, k, v = W.chunk(3, dim=-1)
    return multi_head(x, torch.cat([k, q, v], dim=-1), W_o, heads, mask)


@EXERCISE.mistake(
    "keys and values have changed places",
    why="The second third of the columns are the keys, the last the values: keys are compared, "
    "values are mixed.",
)
def values_found(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    q, k, v = W.chunk(3, dim=-1)
    return multi_head(x, torch.cat([q, v, k], dim=-1), W_o, heads, mask)

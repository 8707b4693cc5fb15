"""multi_head: project, split, attend, merge, project."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .merge import merge_heads
from .packed import packed_projection
from .parts import attention
from .split import split_heads

Mask = Tensor | None
Pair = tuple[Tensor, Tensor]


def multi_head(x: Tensor, W: Tensor, W_o: Tensor, heads: int, mask: Mask = None) -> Pair:
    """Return the output and the weights of multi-head self-attention."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    mixed, weights = attention(q, k, v, for_heads(mask, heads))
    return merge_heads(mixed) @ W_o, weights


def for_heads(mask: Mask, heads: int) -> Mask:
    """Add an axis for the heads to a mask."""
    return None if mask is None else mask.unsqueeze(-3)


EXERCISE = Exercise(
    __name__,
    multi_head,
    results={"output": "tokens, d_model", "weights": "heads, queries, keys"},
    section="Every shape",
    forbidden=ATTENTION,
)


@EXERCISE.requires("It returns the output, and the weights of every head.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return batches of sentences, without a mask."""
    sizes = ((1, 3, 4, 2), (2, 3, 8, 4), (3, 4, 6, 2), (2, 5, 6, 3), (1, 1, 4, 2))
    return [Inputs(_layer(draw, *size)) for size in sizes]


@EXERCISE.requires("One mask for all sentences, or one for each, applies to all heads.", points=2)
def mask(draw: Draw) -> list[Inputs]:
    """Return masks for all sentences, for each sentence, for all queries, and without a batch."""
    masks = {(2, 4, 6, 2): (2, 1, 4), (3, 3, 6, 3): (3, 3, 3), (4, 3, 8, 4): (4, 1, 3)}
    one_each = [Inputs(_layer(draw, *size), draw.mask(*mask)) for size, mask in masks.items()]
    for_all = Inputs(_layer(draw, 3, 3, 6, 2), torch.ones(3, 3, dtype=torch.bool).tril())
    other_sizes = Inputs(_layer(draw, 3, 4, 4, 2), draw.mask(3, 4, 4))
    x, *rest = _layer(draw, 1, 4, 6, 3)
    return [for_all, *one_each, other_sizes, Inputs((x[0], *rest), draw.mask(4, 4))]


@EXERCISE.requires(
    "It works with one head or many, and with a sentence without a batch, and keeps the dtype.",
    points=1,
)
def general(draw: Draw) -> list[Inputs]:
    """Return no batch, one head, heads of width 1, float64, and non-negative float16."""
    x, *rest = _layer(draw, 1, 4, 6, 3)
    return [
        Inputs(_layer(draw, 2, 3, 4, 1)),
        Inputs(_layer(draw, 2, 4, 3, 3)),
        Inputs(_layer(draw, 2, 3, 6, 2, dtype=torch.float64), draw.mask(2, 3, 3)),
        Inputs((x[0], *rest)),
        Inputs((*(draw.ids(*size, high=2).half() for size in ((2, 3, 8), (8, 24), (8, 8))), 2)),
    ]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return masks that all sentences share, and as many words as heads."""
    sizes = ((2, 3, 6, 3), (3, 4, 8, 4), (2, 5, 10, 5), (2, 4, 8, 4))
    return [Inputs(_layer(draw, *size), draw.mask(size[1], size[1])) for size in sizes]


@EXERCISE.probe
def square(draw: Draw) -> list[Inputs]:
    """Return as many words as heads and features of a head, and scores that overflow."""
    equal = [_layer(draw, n, n, n * n, n) for n in (2, 3, 4)]
    large = [_layer(draw, *size) for size in ((2, 3, 4, 2), (1, 4, 6, 2), (2, 4, 6, 3))]
    return [Inputs(layer) for layer in equal] + [
        Inputs((x * torch.tensor([5.0, 20.0, 40.0]).repeat(2)[: x.size(1), None], *rest))
        for x, *rest in large
    ]


def _layer(
    draw: Draw, batch: int, length: int, width: int, heads: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Draw sentences, and a layer's matrices that keep softmax unsaturated."""
    x = draw.normal(batch, length, width, dtype=dtype)
    packed = draw.normal(width, 3 * width, dtype=dtype) / 2
    return x, packed, draw.normal(width, width, dtype=dtype), heads


def heard(x: Tensor, W: Tensor, heads: int, mask: Mask) -> Pair:
    """Return the output and the weights of each head."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    return attention(q, k, v, for_heads(mask, heads))


EXERCISE.edit(
    "the heads are merged by a reshape alone",
    "mixed, weights = heard(x, W, heads, mask); return mixed.reshape(x.shape) @ W_o, weights",
    why="The weights are right, but the output is not. After attention the heads come before the "
    "words, so a reshape joins words of one head.\nTranspose back first.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the last product, with W_O, is missing",
    "mixed, weights = heard(x, W, heads, mask); return merge_heads(mixed), weights",
    why="The shapes fit without it, but then each head only ever writes to its own columns.\nThe "
    "merged outputs go through W_O.",
    section="What $W_O$ is for",
)
EXERCISE.edit(
    "W_O is transposed",
    {"@ W_o": "@ W_o.T"},
    why="nn.Linear stores its matrix transposed.\nThis W_O is the one of the formula, C W_O: head "
    "i is multiplied by its own *rows* of it.",
    section="What $W_O$ is for",
)
EXERCISE.edit(
    "the scores are divided by the root of the whole width",
    {", k, v,": " / math.sqrt(heads), k, v,"},
    why="A score is large because it adds up many products. Within a head their number is the "
    "width of the head, d_model / heads.\nCall `attention` on the heads' own queries and keys.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the mask has no axis for the heads",
    {"-3": "0"},
    why="A mask (B, T, S) is aligned with scores (B, H, T, S) from the right, so its sentences are "
    "matched with heads.\nWhere B = H, there is not even an error. The mask needs an axis of "
    "length 1 before the last two.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the mask's axis for the heads is counted from the front",
    {"-3": "1"},
    why="unsqueeze(1) puts it after the first axis, which in a mask (T, S) is the queries.\n"
    "Counted from the back, -3, it is always right before queries and keys.",
    section="What goes wrong",
)


@EXERCISE.mistake(
    "the masks are repeated in another order than the heads",
    why="Each sentence's mask belongs to all heads of that sentence, one after the other. repeat "
    "repeats the whole list of masks.\nUse repeat_interleave, or better an axis of length 1.",
    section="What goes wrong",
    of=for_heads,
)
def masks_tiled(mask: Mask, heads: int) -> Mask:
    if mask is None or mask.dim() < 3:
        return for_heads(mask, heads)
    return mask.repeat(heads, 1, 1).unflatten(0, (len(mask), heads))


EXERCISE.edit(
    "the mask is left out",
    {"mask is None": "~(mask is None)"},
    why="Every word reads everything, whatever the mask says.\nPass it to `attention`.",
    of=for_heads,
)
EXERCISE.edit(
    "there is only one head",
    "q, k, v = packed_projection(x, W); mixed, weights = attention(q, k, v, mask); "
    "return mixed @ W_o, torch.stack([weights] * heads, dim=-3)",
    why="It attends with the whole width, so each word gets one row of weights, and one average.\n"
    "Split queries, keys and values into heads first.",
    section="Several heads, side by side",
)
EXERCISE.edit(
    "the weights are averaged over the heads",
    "output, weights = multi_head(x, W, W_o, heads, mask); return output, weights.mean(dim=-3)",
    why="nn.MultiheadAttention does so by default, and a sharp head vanishes in the average.\n"
    "Return the weights of every head.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the two results are swapped",
    {"merge_heads(mixed) @ W_o, weights": "(weights, merge_heads(mixed) @ W_o)"},
    why="The output comes first, then the weights.",
)
EXERCISE.edit(
    "the columns are read head by head, not in thirds",
    {"(x, W)": "(x, W.unflatten(-1, (heads, 3, -1)).transpose(-2, -3).flatten(-3))"},
    why="W has all columns of the queries first, then those of the keys, then those of the values, "
    "and each head has a slice of each third.\nCut into thirds first, then into heads.",
    section="One projection for all heads",
)
EXERCISE.edit(
    "the input is added to the output",
    "output, weights = multi_head(x, W, W_o, heads, mask); return x + output, weights",
    why="The residual connection is added outside, around every sublayer. Here it would be added "
    "twice.",
)
EXERCISE.edit(
    "queries and keys are swapped",
    {"attention(q, k, v, for_heads(mask, heads))": "attention(k, q, v, for_heads(mask, heads))"},
    why="The first third of the columns makes the queries, the second the keys.\nThe rows of the "
    "weights belong to the queries.",
)
EXERCISE.edit(
    "keys and values are swapped",
    "q, k, v = W.chunk(3, dim=-1); "
    "return multi_head(x, torch.cat([q, v, k], dim=-1), W_o, heads, mask)",
    why="The second third of the columns makes the keys, the last the values: keys are compared, "
    "values are mixed.",
)

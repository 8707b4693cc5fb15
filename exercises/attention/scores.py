"""scores: the dot product of every query with every key."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import FLAT, GENERAL, GRID, STACK, quarters


def scores(q: Tensor, k: Tensor) -> Tensor:
    """Return the dot product of every query with every key."""
    return q @ k.mT


EXERCISE = Exercise(
    __name__,
    scores,
    results={"scores": "queries, keys"},
    section="The whole thing in one line",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Row i, column j is the dot product of query i with key j.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return one pair to compute by hand, then pairs of unequal lengths."""
    q = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    k = torch.tensor([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    sizes = ((2, 3, 4), (3, 2, 5), (1, 1, 3), (4, 5, 2))
    return [Inputs((q, k)), *(Inputs((draw.normal(t, d), draw.normal(s, d))) for t, s, d in sizes)]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, float64 and half precision."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), torch.float64))
    drawn = [
        (draw.normal(*lead, 3, 4, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype))
        for lead, dtype in kinds
    ]
    return [*map(Inputs, drawn), Inputs((quarters(draw, 3, 4), quarters(draw, 5, 4)))]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares and cubes."""
    shapes = FLAT + STACK + GRID
    return [Inputs((draw.normal(*shape), draw.normal(*shape))) for shape in shapes]


EXERCISE.edit(
    "queries and keys are swapped",
    {"q @ k": "k @ q"},
    why="Rows belong to queries and columns to keys. Yours is transposed: row i holds the scores "
    "of key i with every query.",
)
EXERCISE.edit(
    "the scores are already scaled",
    "scores(q, k) / math.sqrt(k.size(-1))",
    why="Dividing by the square root of d_k is the next step, `scale`. Done here as well, it would "
    "happen twice.",
    section="Why divide by √d_k?",
)
EXERCISE.edit(
    "each query meets only the key at its own place",
    {"q @ k.mT": "(q * k).sum(dim=-1)"},
    "pairs = zip(q.unbind(-2), k.unbind(-2), strict=False); "
    "return torch.stack([(one * other).sum(dim=-1) for one, other in pairs], dim=-1)",
    why="q * k multiplies entry by entry, so query i never meets key j.\nEvery query has to be "
    "dotted with every key: that is a matrix product.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "the products are not summed",
    {"@ k.mT": "* k"},
    why="A dot product multiplies two vectors number by number and then adds up. q * k stops after "
    "the first half, and only pairs query i with key i.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "vectors are normalised first (cosine similarity)",
    {"q @ k.": "(q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True))."},
    why="Attention uses the plain dot product, in which longer vectors count for more. Dividing "
    "by the lengths gives the cosine, another measure.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "the products are averaged, not added up",
    {"mT": "mT / k.size(-1)"},
    why="A dot product is a sum. A mean divides it by the width, so wide keys count for less.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "it is a distance, not a dot product",
    {"q @ k.mT": "(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(dim=-1)"},
    {"q @ k.mT": "(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(dim=-1).sqrt()"},
    {"q @ k.mT": "-(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(dim=-1).sqrt()"},
    why="How far apart two vectors are is another measure: it is large for those that do not fit.\n"
    "Multiply number by number, and add up.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "the keys are reshaped, not transposed",
    {".mT": ".reshape(*k.shape[:-2], k.size(-1), k.size(-2))"},
    why="Both give a tensor of the right shape, but reshape only cuts the same sequence of numbers "
    "at other places, which mixes numbers of different keys.\nTo swap axes, use transpose.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the transpose names fixed axes from the front (0, 1)",
    {".mT": ".transpose(0, 1)"},
    why="With a batch in front, axes 0 and 1 are no longer length and width.\nCount from the back: "
    "-2 and -1 are right for any number of axes.",
)
EXERCISE.edit(
    "the transpose names fixed axes from the front (1, 2)",
    {"k.mT": "(k.T if k.dim() == 2 else k.transpose(1, 2))"},
    why="Axes 1 and 2 are length and width only with exactly one batch axis; with heads they are "
    "head and length.\nCount from the back: -2 and -1.",
)
EXERCISE.edit(
    "the transpose reverses all axes",
    {".mT": ".permute(*reversed(range(k.dim())))"},
    why="k.T reverses all axes, batch and heads too.\n.mT and transpose(-2, -1) swap only the last "
    "two.",
)

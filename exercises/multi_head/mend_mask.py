"""padded_heads: no head attends to padding."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import attention


def padded_heads(q: Tensor, k: Tensor, v: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
    """Return attention under a padding mask for all heads."""
    return attention(q, k, v, for_heads(real))


def for_heads(real: Tensor) -> Tensor:
    """Add axes for heads and queries to a padding mask."""
    return real[:, None, None, :]


EXERCISE = Exercise(
    __name__,
    padded_heads,
    results={"output": "heads, queries, d_v", "weights": "heads, queries, keys"},
    section="Every shape",
    forbidden=ATTENTION,
)


@EXERCISE.requires(
    "No head reads the padding of its sentence, however many sentences there are.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return as many padded sentences as heads, and other numbers of them; once float64."""
    sizes = ((2, 2, 3, 3), (3, 3, 4, 4), (4, 4, 3, 3), (2, 2, 2, 4), (3, 2, 4, 4), (2, 4, 3, 5))
    *numbers, real = _padded(draw, 2, 3, 3, 4)
    double = Inputs((*(part.double() for part in numbers), real))
    return [*(Inputs(_padded(draw, *size)) for size in sizes), double]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many queries as sentences."""
    return [Inputs(_padded(draw, n, heads, n, n)) for n, heads in ((3, 2), (4, 2), (3, 4))]


@EXERCISE.probe
def square(draw: Draw) -> list[Inputs]:
    """Return as many words as sentences, heads and features; then other widths."""
    equal = [_padded(draw, n, n, n, n, width=n) for n in (3, 4, 5)]
    return [Inputs(case) for case in (*equal, *(_padded(draw, 2, 2, 3, 4, n) for n in (2, 4, 6)))]


def _padded(
    draw: Draw, batch: int, heads: int, queries: int, keys: int, width: int = 3
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw queries, keys and values of several heads, and a different padding for each sentence."""
    q, k = draw.normal(batch, heads, queries, width), draw.normal(batch, heads, keys, width)
    v = draw.normal(batch, heads, keys, 2)
    real = torch.ones(batch, keys, dtype=torch.bool)
    for sentence in range(batch):
        real[sentence, (sentence + 1) % keys] = False
    return q, k, v, real


EXERCISE.edit(
    "the mistake is still in it",
    {"None, :": ":"},
    why="It computes the same as before your change. Write the shape of the scores below the "
    "shape of the mask, aligned on the right: which axes match?",
    section="What goes wrong",
)
EXERCISE.edit(
    "queries are hidden, not keys",
    {"None, :": ":, None"},
    why="The new axes come after the positions, so the padding does not ask, but every word reads "
    "it.\nThe keys are the last axis of the scores.",
)
EXERCISE.edit(
    "sentences meet queries",
    {"[:, None, None, :]": ""},
    why="A mask (B, S) is aligned with the scores from the right, so its sentences are matched "
    "with queries. It needs two axes between the sentences and the keys, one for the heads and "
    "one for the queries.",
)
EXERCISE.edit(
    "one sentence's padding is used for all",
    {":,": ":1,", ", :": ""},
    why="Each sentence is padded in its own way.\nKeep the sentences as the first axis of the "
    "mask.",
)
EXERCISE.edit(
    "a key is hidden from all sentences if it is padding in one",
    {"[:, None, None, :]": ".all(dim=0)"},
    why="That makes one mask for all sentences, and some lose words.\nKeep a row for each "
    "sentence, and give it axes of length 1 for heads and queries.",
)
EXERCISE.edit(
    "the mask is inverted",
    {"(real)": "(~real)"},
    why="Only padding is read now. True still means may attend: the axes were wrong, not True and "
    "False.",
    section="book/masking#True means keep. Or block.",
)
EXERCISE.edit(
    "the masks are repeated in another order than the heads",
    "batch, heads = q.shape[:2]; "
    "return attention(q, k, v, real.repeat(heads, 1).view(batch, heads, 1, -1))",
    why="Each sentence's mask belongs to all heads of that sentence. repeat repeats the whole list "
    "of masks.\nUse an axis of length 1, which broadcasts in the right order.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the padding's values are set to zero, but its weights still count",
    {", for_heads(real)": " * real[:, None, :, None]"},
    {", v, for_heads(real)": " * real[:, None, :, None], v * real[:, None, :, None]"},
    why="Padding is now read as zeros, but each row still gives it a share.\nHide it before "
    "softmax: pass a mask to `attention`.",
    section="book/masking#What goes wrong",
)
EXERCISE.edit(
    "the weights are masked, and the output is not",
    {"(q, k, v, for_heads(real))": "(q, k, v)[0], padded_heads(q, k, v, real)[1]"},
    why="The weights that are returned hide the padding, but the output was mixed without the "
    "mask.\nTake both from one call of `attention`.",
)
EXERCISE.edit(
    "padding is counted and taken to be at the end",
    "first = torch.arange(real.size(-1)) < real.sum(dim=-1, keepdim=True); "
    "return first[:, None, None, :]",
    why="The number of words does not say where they are: padding may be at the front or in "
    "between.\n`real` itself says which keys may be read.",
    of=for_heads,
)

"""design_head: write a head's matrices by hand; compared by what the head does to texts."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .head import head

Matrices = tuple[Tensor, Tensor, Tensor]
NAMES, MOST, SURE = ("W_q", "W_k", "W_v"), 2**16, 0.99


def design_head(wants: Tensor, facts: Tensor) -> Matrices:
    """Return matrices in which each word's query is the key of the word that it wants."""
    keys = torch.eye(len(wants), dtype=facts.dtype)
    return long(keys[wants]), keys, facts


def long(queries: Tensor) -> Tensor:
    """Return queries long enough for softmax to be one-hot, however wide the keys are."""
    return queries * 20 * math.sqrt(queries.size(-1))


def done(matrices: Matrices, wants: Tensor, facts: Tensor) -> tuple[Tensor, Tensor]:
    """Return what the head does to texts: which word each word reads, and the values it receives.

    A word that reads no single word with certainty counts as -1, and its values are nan. The values
    are rounded to integers.
    """
    _refuse(matrices, facts)
    weights, brought = zip(*(_asked(matrices, order) for order in _orders(len(wants))), strict=True)
    return torch.stack(weights), torch.stack(brought)


def _asked(matrices: Matrices, order: Tensor) -> tuple[Tensor, Tensor]:
    """Return which word each word of a text reads, and its values, in the order of the words."""
    text = torch.eye(len(order), dtype=torch.float64)[order]
    output, weights = head(text, text, *(matrix.double() for matrix in matrices))
    most, place = weights.nan_to_num(nan=0.0).max(dim=-1)
    read = torch.where(most >= SURE, order[place], -1)
    back = order.argsort()
    whole = output.round()
    near = torch.where((output - whole).abs() < 0.1, whole, output)
    brought = torch.where(read[:, None] < 0, math.nan, near)
    return read[back], brought[back].float()


def _orders(count: int) -> list[Tensor]:
    """Return the orders in which the words of a text are tried."""
    order = torch.arange(count)
    return [order, order.flip(0), order.roll(1)]


def _refuse(matrices: Matrices, facts: Tensor) -> None:
    """Raise ValueError unless the matrices form a head of the right sizes."""
    if not isinstance(matrices, tuple | list) or len(matrices) != len(NAMES):
        raise ValueError(f"It should return three matrices, ({', '.join(NAMES)}).")
    count, width = facts.shape
    for name, matrix in zip(NAMES, matrices, strict=True):
        if not isinstance(matrix, Tensor) or matrix.dim() != 2:
            raise ValueError(f"{name} should be a matrix: a tensor with two axes.")
        if not matrix.isfinite().all():
            raise ValueError(
                f"{name} holds infinity or nan. A word is 0 at most places, and 0 times infinity "
                "is nan: large numbers such as 100 do."
            )
        if matrix.size(0) != count or matrix.numel() > MOST:
            raise ValueError(
                f"{name} should have a row for each of the {count} words, but its shape is "
                f"{tuple(matrix.shape)}."
            )
    if matrices[0].size(1) != matrices[1].size(1):
        raise ValueError("Queries and keys should be equally wide: W_q and W_k differ in columns.")
    if matrices[2].size(1) != width:
        raise ValueError(f"W_v should have {width} columns, as facts has.")


EXERCISE = Exercise(
    __name__,
    design_head,
    results={
        "word that gets 0.99 of a word's attention in each text (-1: none does)": "texts, words",
        "fact that is brought back": "texts, words, numbers",
    },
    section="Words that ask each other",
    effect=done,
)


@EXERCISE.requires(
    "Every word reads the word that it wants, and its facts, with a weight of nearly 1.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    return [_wish(draw, *size) for size in ((3, 1), (4, 2), (5, 3), (6, 1))]


@EXERCISE.requires(
    "It works with two words and with forty, if all want the same word, and if a word wants "
    "itself.",
    points=2,
)
def general(draw: Draw) -> list[Inputs]:
    wants, facts = _wish(draw, 5, 2).args
    same = Inputs((torch.full_like(wants, int(wants[0])), facts))
    return [_wish(draw, 2, 1), _wish(draw, 40, 2), same, _own(draw, 4, 2)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    others = [_wish(draw, *size) for size in ((4, 4), (6, 6), (7, 2), (12, 1), (12, 12))]
    return [*others, _own(draw, 5, 5), _own(draw, 3, 1)]


def _wish(draw: Draw, count: int, width: int) -> Inputs:
    """Draw which word each word wants (a cycle through all but word 0) and the words' facts."""
    rest = torch.tensor(draw.distinct(count - 1, low=1, high=count))
    wants = torch.zeros(count, dtype=torch.long)
    wants[0] = rest[0]
    wants[rest] = rest.roll(-1)
    return Inputs((wants, draw.ids(count, width, high=10).float()))


def _own(draw: Draw, count: int, width: int) -> Inputs:
    """Draw the same, except that word 0 wants itself."""
    wants, facts = _wish(draw, count, width).args
    return Inputs((torch.cat([torch.zeros(1, dtype=torch.long), wants[1:]]), facts))


@EXERCISE.mistake(
    "the scores are too close together",
    why="It points at the right words, but softmax is not sure enough. After the division by √d_k, "
    "the wanted score has to be about 7 higher than the others, for 12 words.\nMake the queries or "
    "the keys longer, and take d_k into account: longer by a factor of √d_k.",
    section="Weights are a softmax of scores",
    of=long,
)
def short(queries: Tensor) -> Tensor:
    return queries


for times in (8, 10, 12, 14, 16, 20):  # enough for so many words, but not for one more
    short.within(long)(lambda queries, times=times: queries * times)


EXERCISE.edit(
    "each word reads the words that want it",
    {"[wants]": "[wants].transpose(-2, -1)"},
    {"[wants]": "[wants].transpose(-2, -1)"},
    why="Either the keys say what is wanted and the queries who a word is, or W_q is transposed.\n"
    "Row i of W_q is the query of word i: it looks for the key of word wants[i].",
    section="Query, key, value",
)
EXERCISE.edit(
    "W_v holds the facts that each word wants",
    "queries, keys, values = design_head(wants, facts); return queries, keys, values[wants]",
    why="Row i of W_v is what word i gives to the words that read it: its own facts. Attention "
    "brings these to the words that want them.",
    section="Query, key, value",
)
EXERCISE.edit(
    "the wanted word gets the lowest score",
    "queries, keys, values = design_head(wants, facts); return -queries, keys, values",
    why="Softmax gives most to the highest score: the wanted word has to score higher than the "
    "others.",
    section="Weights are a softmax of scores",
)
EXERCISE.edit(
    "every word reads itself",
    {"[wants]": ""},
    why="The query of a word is made like its own key.\nIt has to be like the key of the word that "
    "is wanted: wants[i].",
)
EXERCISE.edit(
    "words are distinguished by a single number",
    {"eye(len(wants), dtype=facts.dtype)": "arange(len(wants))[:, None]"},
    why="A dot product of single numbers is largest where both are large: every word would read "
    "the word with the largest number.\nGive each word a direction of its own.",
)
EXERCISE.edit(
    "no word may read itself",
    "queries, keys, values = design_head(wants, facts); return queries - 1000 * keys, keys, values",
    why="wants[i] may be i itself. Let that word read itself like any other.",
)
EXERCISE.edit(
    "each word reads itself as much as the one that it wants",
    "queries, keys, values = design_head(wants, facts); return queries + long(keys), keys, values",
    why="Two keys that fit equally well share the attention.\nThe query of a word should be the "
    "key of wants[i], and nothing else.",
)

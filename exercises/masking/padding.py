"""padding_mask: no query attends to padding."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import padding_probes, padding_values


def padding_mask(ids: Tensor, pad: int) -> Tensor:
    """Return the mask that hides padding from every query."""
    return for_queries(is_real(ids, pad))


def is_real(ids: Tensor, pad: int) -> Tensor:
    """Return which ids are tokens."""
    return ids != pad


def for_queries(real: Tensor) -> Tensor:
    """Add an axis for the queries, which share one row per sentence."""
    return real.unsqueeze(-2)


EXERCISE = Exercise(__name__, padding_mask, results={"mask": "1, keys"}, section="Padding")


@EXERCISE.requires("One row for each sentence, True where there is a real token.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return padding_values(draw)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return padding_probes(draw)


EXERCISE.edit(
    "the mask is inverted",
    {"is_real": "~is_real"},
    why="True is where there is padding: that is torch.nn's convention (True = blocked). Here "
    "True means: may attend.",
    section="True means keep. Or block.",
)
EXERCISE.edit(
    "the mask lacks its axis for the queries",
    {".unsqueeze(-2)": ""},
    why="As (B, S) it is broadcast as (T, S): each query gets the padding of another sentence, or "
    "there is an error. One row is enough for all queries of a sentence.\n(B, 1, S).",
    section="What goes wrong",
)
EXERCISE.edit(
    "rows are hidden, not columns",
    {"2": "1"},
    why="With the new axis at the end, the padding does not ask, but every word may read it. The "
    "keys have to be hidden.\nPut the axis before the last.",
    section="What goes wrong",
)
EXERCISE.edit(
    "rows are hidden too",
    {"(-2)": "(-1) & real.unsqueeze(-2)"},
    why="If the rows of padding are hidden as well, those queries have nothing to read at all.\n"
    "Hide columns only: one row for all queries, (B, 1, S).",
)
EXERCISE.edit(
    "there is a row for every query",
    {"(-2)": "(-2).expand(-1, real.size(-1), -1)"},
    why="It hides the right columns, but once for each query. One row is enough for all queries of "
    "a sentence.\n(B, 1, S).",
)
EXERCISE.edit(
    "padding is taken to be 0",
    {"= pad": "= 0"},
    why="The tokenizer decides which id means padding, and you get it as `pad`. 0 may be a word.",
)
EXERCISE.edit(
    "ids are compared by size",
    {"!= pad": "> pad"},
    why="Ids are names, not amounts: a word may have a smaller or a larger id than the padding.\n"
    "Ask whether they differ (!=).",
)
EXERCISE.edit(
    "everything after the first padding is hidden",
    {"ids != pad": "(ids != pad).long().cumprod(dim=-1).bool()"},
    why="Padding may be at the front or in between, with words after it.\nCompare each position by "
    "itself.",
)
EXERCISE.edit(
    "padding is counted and taken to be at the end",
    {"ids != pad": "torch.arange(ids.size(-1)) < (ids != pad).sum(dim=-1)[:, None]"},
    why="The number of real tokens gives a length, but padding may be at the front or in between.\n"
    "Compare each position by itself.",
)

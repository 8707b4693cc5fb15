"""causal_mask: each token attends to itself and to earlier ones."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import between
from .parts import triangle as triangle


def causal_mask(length: int, past: int = 0) -> Tensor:
    """Return the mask that lets each token attend to itself and to earlier ones."""
    return torch.ones(length, past + length, dtype=torch.bool).tril(past)


EXERCISE = Exercise(
    __name__,
    causal_mask,
    results={"mask": "queries, keys"},
    section="Does a model that writes need the mask?",
)


@EXERCISE.requires("Each token may attend to itself and earlier ones, by a boolean mask.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return lengths, one of them long."""
    return [Inputs((n,)) for n in (3, 1, 2, *between(draw, 4, 9, 2), *between(draw, 20, 400))]


@EXERCISE.requires(
    "After `past` tokens, each new one may see all of these, and the new ones up to itself.",
    points=1,
)
def past(draw: Draw) -> list[Inputs]:
    """Return lengths and numbers of earlier tokens, once beyond a fixed-size buffer."""
    drawn = zip(between(draw, 2, 6, 3), between(draw, 2, 9, 3), strict=True)
    longest = (2, *between(draw, 2_100, 2_400))
    return [Inputs(sizes) for sizes in ((2, 3), (1, 4), *drawn, longest)]


EXERCISE.edit(
    "the mask is inverted",
    {"torch.ones": "~torch.ones"},
    why="True is where a token may not look. In this book True means: may attend. The triangle of "
    "True is on and below the diagonal.",
    section="True means keep. Or block.",
)
EXERCISE.edit(
    "each token sees one token of the future",
    {"(past)": "(past + 1)"},
    why="The border is one column too far to the right: each token sees the very answer it must "
    "give. The diagonal itself is the last entry that is allowed.",
    section="What goes wrong",
)
EXERCISE.edit(
    "no token sees itself",
    {"(past)": "(past - 1)"},
    why="The diagonal is hidden too, so the first token has nothing to read. A token may always "
    "attend to itself.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the triangle is the wrong way up: only the future is seen",
    {"tril": "triu"},
    why="triu keeps what is on and above the diagonal, where the keys come later than the query. "
    "Rows are queries: row i may see the columns up to i.",
    section="The causal mask",
)
EXERCISE.edit(
    "the past is left out",
    "causal_mask(length)",
    why="With `past` tokens already read there are past + length keys, and the new tokens attend "
    "to all of them, so the table is wider than it is high.",
)
EXERCISE.edit(
    "with a past, the border is in the wrong place",
    "triangle(length, past, ahead=-1 if past else 0)",
    "triangle(length, past, ahead=past)",
    "triangle(length, past, ahead=length if past else 0)",
    why="The first new token is token number `past`.\nIts row may see the columns up to and "
    "including number `past`. Each later row sees one more.",
)
EXERCISE.edit(
    "the triangle is at the left, as if there were no past",
    {"(past)": "()"},
    why="The first new token is token number `past`, not number 0: it may see the whole past and "
    "itself.\nThe triangle belongs at the right end of the table.",
)
EXERCISE.edit(
    "the old tokens have rows too",
    "causal_mask(past + length)",
    why="Only the new tokens ask.\n`length` rows. The old ones asked when they were new, and their "
    "answers are kept already.",
)
EXERCISE.edit(
    "the past comes after the new tokens, not before them",
    "causal_mask(length, past).roll(length, dims=-1)",
    why="Columns are in the order of the text: first the tokens that have been read already, then "
    "the new ones.",
)
EXERCISE.edit(
    "the past is hidden",
    {"(past)": "(past) & (torch.arange(past + length) >= past)"},
    why="What has been read already comes before every new token, and each of them may look there.",
)
EXERCISE.edit(
    "nothing is hidden",
    {".tril(past)": ""},
    why="Every token sees the whole text here, the future too.\nTrue belongs on and below the "
    "diagonal.",
    section="The causal mask",
)
EXERCISE.edit(
    "queries and keys are swapped",
    {"(past)": "(past).transpose(-2, -1)"},
    why="Rows are the new tokens, which ask; columns are all tokens, which are read.",
    section="The causal mask",
)
EXERCISE.edit(
    "length is taken to include the past",
    {", past +": ",", "(past)": "()[past:]"},
    why="`length` counts only the new tokens: each of them has a row.\nBefore them come `past` "
    "others, so the table is past + length wide.",
)

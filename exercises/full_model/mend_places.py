"""embed_new: count positions from the beginning of the text."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def embed_new(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    """Return the embeddings of new tokens, counting positions from the beginning of the text."""
    return tokens[ids] + positions[past : past + ids.size(-1)]


EXERCISE = Exercise(
    __name__, embed_new, results={"vectors": "new tokens, features"}, section="What goes wrong"
)


@EXERCISE.requires("A token gets the position that it has in the whole text.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return new tokens after others, once after none, and once up to the end of the table."""
    cases = ((1, 1, 3), (2, 2, 4), (1, 3, 2), (3, 2, 5), (2, 3, 0), (2, 2, 7))
    return [
        Inputs((draw.ids(b, t, high=7), past, draw.normal(7, 4), draw.normal(9, 4)))
        for b, t, past in cases
    ]


EXERCISE.untouched()


EXERCISE.edit(
    "the mistake is still in it",
    {"past : past + ids": ": ids"},
    why="The first new token comes after `past` others. Which row of the table does it get?",
)
EXERCISE.edit(
    "all new tokens get the same position",
    {"ids.size(-1)": "1"},
    why="Several tokens may be new at once, for example a whole prompt.\nTheir positions are past, "
    "past + 1, and so on.",
)
EXERCISE.edit(
    "the positions are one too high",
    {": past +": "+ 1 :][:"},
    {"past : past + ids.size(-1)": "torch.arange(past + 1, past + 1 + ids.size(-1))"},
    {": past +": "+ (past > 0) :][:"},
    why="Positions count from 0.\n`past` tokens have the positions 0 to past - 1, and the next one "
    "has position past.",
)
EXERCISE.edit(
    "the positions are one too low",
    {"[past : past + ids.size(-1)]": "[past - 1 :][: ids.size(-1)]"},
    {"past : past": "max(past - 1, 0) : max(past - 1, 0)"},
    why="The last token that was read has position past - 1. The first new one comes after it.",
)
EXERCISE.edit(
    "the last rows of the table are added",
    {"past : past + ids.size(-1)": "-ids.size(-1) :"},
    why="The table is longer than any text. Only the number of tokens before counts.\n`past`.",
)
EXERCISE.edit(
    "the last positions of the past are used again",
    {"[past : past + ids.size(-1)]": "[max(past - ids.size(-1), 0) :][: ids.size(-1)]"},
    why="The tokens already read keep their positions. The new tokens come after them.\npast, past "
    "+ 1, and so on.",
)
EXERCISE.edit(
    "the texts are counted, not their tokens",
    {"ids.size(-1)": "len(ids), None"},
    why="ids has a row for each text.\nAll texts begin at position `past`, and along a row the "
    "positions grow.",
)
EXERCISE.edit(
    "only a single new token is put after the past",
    {"past : past": "(past if ids.size(-1) == 1 else 0) : (past if ids.size(-1) == 1 else 0)"},
    why="Several tokens may be new at once, for example a whole prompt, and others may have come "
    "before them as well.",
)
EXERCISE.edit(
    "the new tokens are counted backwards",
    {")]": ")].flip(0)"},
    why="The first of the new tokens has position `past`, the last one the highest.",
)
EXERCISE.edit(
    "the tokens' vectors are multiplied by the root of the width",
    {"tokens[": "(tokens * tokens.size(-1) ** 0.5)["},
    why="The model of 2017 does so before it adds positions. This one does not.\nAdd the vectors "
    "as they are.",
)

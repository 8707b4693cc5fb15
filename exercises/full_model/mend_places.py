"""embed_new: count positions from the beginning of the text."""

import torch
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
    why="Several tokens may be new at once, for example a whole prompt. Their positions are past, "
    "past + 1, and so on.",
)


@EXERCISE.mistake(
    "the positions are one too high",
    why="Positions count from 0: `past` tokens have the positions 0 to past - 1, and the next one "
    "has position past.",
)
def too_far(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past + 1 :][: ids.size(-1)]


@too_far.also
def too_far_looked_up(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[torch.arange(past + 1, past + 1 + ids.size(-1))]


@too_far.also
def too_far_behind_others(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past + (past > 0) :][: ids.size(-1)]


too_near = EXERCISE.edit(
    "the positions are one too low",
    {"[past : past + ids.size(-1)]": "[past - 1 :][: ids.size(-1)]"},
    why="The last token that was read has position past - 1. The first new one comes after it.",
)


@too_near.also
def too_near_unless_first(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return embed_new(ids, max(past - 1, 0), tokens, positions)


EXERCISE.edit(
    "no positions are added now",
    {"[ids] + positions[past : past + ids.size(-1)]": "[ids]"},
    why="The tokens' vectors are right, but the positions are missing. Add them, starting at "
    "another row.",
)

EXERCISE.edit(
    "the new tokens are counted as past",
    {"[past : past + ids.size(-1)]": "[past + ids.size(-1) :][: ids.size(-1)]"},
    why="The first new token has position `past`, however many new ones there are: past, past + "
    "1, and so on.",
)

EXERCISE.edit(
    "the last rows of the table are added",
    {"past : past + ids.size(-1)": "-ids.size(-1) :"},
    why="The table is longer than any text. Only the number of tokens before counts: `past`.",
)

EXERCISE.edit(
    "the ids are looked up in the position table",
    {"tokens[ids] + positions": "positions[ids] + tokens"},
    why="A token's vector comes from the table of tokens, its position's vector from that of "
    "positions.",
)

EXERCISE.edit(
    "the last positions of the past are used again",
    {"[past : past + ids.size(-1)]": "[max(past - ids.size(-1), 0) :][: ids.size(-1)]"},
    why="The tokens already read keep their positions. The new tokens come after them: past, past "
    "+ 1, and so on.",
)

EXERCISE.edit(
    "the texts are counted, not their tokens",
    {"ids.size(-1)": "len(ids), None"},
    why="ids has a row for each text. All texts begin at position `past`, and along a row the "
    "positions grow.",
)


@EXERCISE.mistake(
    "only a single new token is put after the past",
    why="Several tokens may be new at once, for example a whole prompt, and others may have come "
    "before them as well.",
)
def single_alone(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return embed_new(ids, past if ids.size(-1) == 1 else 0, tokens, positions)


@EXERCISE.mistake(
    "the new tokens are counted backwards",
    why="The first of the new tokens has position `past`, the last one the highest.",
)
def backwards(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past : past + ids.size(-1)].flip(0)


@EXERCISE.mistake(
    "the tokens' vectors are multiplied by the root of the width",
    why="The model of 2017 does so before it adds positions. This one does not: add the vectors "
    "as they are.",
)
def times_root(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return embed_new(ids, past, tokens * tokens.size(-1) ** 0.5, positions)

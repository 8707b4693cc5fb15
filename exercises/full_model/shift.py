"""shift_right: insert the start token and drop the last token."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def shift_right(targets: Tensor, start_id: int) -> Tensor:
    """Return the targets shifted right behind the start token."""
    return torch.cat([start(targets, start_id), targets[:, :-1]], dim=1)


def start(targets: Tensor, start_id: int) -> Tensor:
    """Return a column of start tokens."""
    return torch.full_like(targets[:, :1], start_id)


EXERCISE = Exercise(
    __name__,
    shift_right,
    results={"inputs": "texts, tokens"},
    section="book/from_text_to_loss#The loss",
)


@EXERCISE.requires(
    "The start stands first; behind it follow the targets, all but the last.", points=1
)
def values(draw: Draw) -> list[Inputs]:
    """Return two texts to shift by hand, then others with a start id that also occurs as a word."""
    by_hand = torch.tensor([[5, 6, 7], [8, 9, 4]])
    drawn = [draw.ids(*shape, low=3, high=60) for shape in ((1, 5), (3, 4))]
    drawn[1][1, 0] = 2
    return [Inputs((by_hand, 0)), *(Inputs((ids, 2)) for ids in drawn)]


@EXERCISE.requires("It holds for any length, even for one token.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return texts of one token, and longer ones."""
    shapes = ((2, 1), (1, 9), (4, 6))
    return [Inputs((draw.ids(*shape, low=3, high=60), 1)) for shape in shapes]


EXERCISE.untouched()


@EXERCISE.mistake(
    "nothing is shifted",
    why="At each place the decoder would read the very token that it must say there. It learns to "
    "copy, and nothing else. It may read what comes before.",
)
def not_shifted(targets: Tensor, start_id: int) -> Tensor:
    return targets.clone()


@EXERCISE.mistake(
    "the first token is overwritten, not pushed along",
    why="The start takes the first token's place, and the others stay where they are: from the "
    "second place on, the decoder reads what it must say. All tokens move by one.",
)
def overwrites(targets: Tensor, start_id: int) -> Tensor:
    inputs = targets.clone()
    inputs[:, 0] = start_id
    return inputs


@EXERCISE.mistake(
    "it is shifted to the left",
    why="Now each place reads the token *after* the one that it must say. To the right: each place "
    "reads the token before.",
)
def left(targets: Tensor, start_id: int) -> Tensor:
    return torch.cat([targets[:, 1:], start(targets, start_id)], dim=1)


@EXERCISE.mistake(
    "the last token is still there",
    why="The result is longer by one than the targets. Nothing has to be said after the last "
    "token, so it need not be read: leave it out.",
)
def longer(targets: Tensor, start_id: int) -> Tensor:
    return torch.cat([start(targets, start_id), targets], dim=1)


@EXERCISE.mistake(
    "the last token comes round to the front",
    why="roll moves in a circle. What comes round belongs to the end of the text, and the decoder "
    "would read it first: overwrite it with start_id.",
)
def rolls(targets: Tensor, start_id: int) -> Tensor:
    return targets.roll(1, dims=-1)


@EXERCISE.mistake(
    "the start is 0, whatever was asked for",
    why="Which id begins a text is up to the tokenizer, and is given as start_id.",
    of=start,
)
def zero(targets: Tensor, start_id: int) -> Tensor:
    return torch.zeros_like(targets[:, :1])


@EXERCISE.mistake(
    "the start is missing",
    why="At the first place nothing has been read but the start: it stands in front.",
)
def no_start(targets: Tensor, start_id: int) -> Tensor:
    return targets[:, :-1].clone()


@EXERCISE.mistake(
    "the texts are shifted, not their tokens",
    why="The first axis is the batch. Tokens lie along the last.",
)
def along_batch(targets: Tensor, start_id: int) -> Tensor:
    return torch.cat([torch.full_like(targets[:1], start_id), targets[:-1]])


@EXERCISE.mistake(
    "it is shifted by two places",
    why="Each place reads the token right before the one that it must say.",
)
def twice(targets: Tensor, start_id: int) -> Tensor:
    return shift_right(shift_right(targets, start_id), start_id)


@EXERCISE.mistake(
    "the first token stands twice, and there is no start",
    why="In front belongs the start symbol, the same for each text, not what the text begins with.",
    of=start,
)
def first_token_twice(targets: Tensor, start_id: int) -> Tensor:
    return targets[:, :1]


@EXERCISE.mistake(
    "the batch is shifted as one long row",
    why="Each text begins with the start symbol. Here a text begins with the last token of the "
    "text above it: shift along the last axis, each row by itself.",
)
def across_texts(targets: Tensor, start_id: int) -> Tensor:
    flat = shift_right(targets.reshape(1, -1), start_id)
    return flat.reshape(targets.shape)

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to shift what is read, and to say what must be written."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

LOSS = "book/full_model#The loss"
WRONG = "book/full_model#What goes wrong"

Pair = tuple[Tensor, Tensor]


def shifted(ids: Tensor, start_id: int) -> Tensor:
    """Shift to the right, rightly."""
    return torch.cat([torch.full_like(ids[:, :1], start_id), ids[:, :-1]], dim=1)


def ignoring(ids: Tensor, real: Tensor) -> Tensor:
    """Ignore padding, rightly."""
    return torch.where(real, ids, -100)


@mistake(
    "nothing is shifted",
    why="At each place the decoder would read the very token that it must say there. It learns to "
    "copy, and nothing else. It may read what comes before.",
    section=LOSS,
)
def shift_not(targets: Tensor, start_id: int) -> Tensor:
    return targets.clone()


@mistake(
    "the first token is overwritten, not pushed along",
    why="The start takes the first token's place, and the others stay where they are: from the "
    "second place on, the decoder reads what it must say. All tokens move by one.",
    section=LOSS,
)
def shift_overwrites(targets: Tensor, start_id: int) -> Tensor:
    inputs = targets.clone()
    inputs[:, 0] = start_id
    return inputs


@mistake(
    "it is shifted to the left",
    why="Now each place reads the token *after* the one that it must say. To the right: each place "
    "reads the token before.",
    section=LOSS,
)
def shift_left(targets: Tensor, start_id: int) -> Tensor:
    return torch.cat([targets[:, 1:], torch.full_like(targets[:, :1], start_id)], dim=1)


@mistake(
    "the last token is still there",
    why="The result is longer by one than the targets. Nothing has to be said after the last "
    "token, so it need not be read: leave it out.",
    section=LOSS,
)
def shift_longer(targets: Tensor, start_id: int) -> Tensor:
    return torch.cat([torch.full_like(targets[:, :1], start_id), targets], dim=1)


@mistake(
    "the last token comes round to the front",
    why="roll moves in a circle. What comes round belongs to the end of the text, and the decoder "
    "would read it first: overwrite it with start_id.",
    section=LOSS,
)
def shift_rolls(targets: Tensor, start_id: int) -> Tensor:
    return targets.roll(1, dims=-1)


@mistake(
    "inputs and targets have changed places",
    why="It returns (targets, inputs). First comes what is read, then what must be said.",
    section=LOSS,
)
def writing_swapped(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ignoring(ids, real), shifted(ids, start_id)


@mistake(
    "the inputs are not shifted",
    why="The decoder reads what it must say. The loss falls to next to nothing, and nothing has "
    "been learned.",
    section=WRONG,
)
def writing_not_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return ids.clone(), ignoring(ids, real)


@mistake(
    "the targets are shifted as well",
    why="If both are shifted, they stand side by side again, and the decoder reads what it must "
    "say. Only the inputs move.",
    section=LOSS,
)
def writing_both_shifted(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shifted(ids, start_id), shifted(ignoring(ids, real), start_id)


@mistake(
    "padding counts in the loss",
    why="The model would be trained to write padding, and the mean would be over places that do "
    "not matter. Where there is no token, the target is -100.",
    section=LOSS,
)
def writing_padding(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shifted(ids, start_id), ids.clone()


@mistake(
    "what is ignored has the target 0",
    why="0 is a token like any other: the model would be trained to write it there. The number "
    "that F.cross_entropy ignores is -100.",
    section=LOSS,
)
def writing_zero(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shifted(ids, start_id), ids * real


@mistake(
    "the tokens are ignored, and padding counts",
    why="`real` is True where there is a token. What is ignored is the rest: ~real.",
    section=LOSS,
)
def writing_turned(ids: Tensor, real: Tensor, start_id: int) -> Pair:
    return shifted(ids, start_id), ignoring(ids, ~real)


SHIFT_MISTAKES = (shift_not, shift_overwrites, shift_left, shift_longer, shift_rolls)
WRITING_MISTAKES = (
    writing_swapped,
    writing_not_shifted,
    writing_both_shifted,
    writing_padding,
    writing_zero,
    writing_turned,
)

"""shifted_loss goes on: what is averaged."""

from torch import Tensor

from .loss import (
    EXERCISE,
    average,
    shifted_loss,
    surprise,
)


@EXERCISE.mistake(
    "the mean is taken of the probabilities, and then the logarithm",
    why="The logarithm comes first, of each token's own probability: then one token that was "
    "thought impossible cannot hide behind the others.",
    of=average,
)
def mean_of_chances(surprises: Tensor, counted: Tensor) -> Tensor:
    return -((-surprises).exp() * counted).sum().div(counted.sum()).log()


@EXERCISE.mistake(
    "the last of a text is compared with the first of the next",
    why="Shift within each text, then lay the texts end to end. Shifted as one long row, a text is "
    "asked for the beginning of another.",
)
def across_texts(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    whole = logits.flatten(0, 1)[None], ids.flatten()[None], real.flatten()[None]
    return shifted_loss(*whole)


@EXERCISE.mistake(
    "it is divided by all tokens, the first ones too",
    why="The first token of a text is guessed by nobody: what counts is real[:, 1:], above and "
    "below the line of the mean.",
)
def first_counted(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return shifted_loss(logits, ids, real) * real[:, 1:].sum() / real.sum()


@EXERCISE.mistake(
    "a small number is added to each probability",
    why="So no logarithm is infinite, but an impossible token costs no more than 20, whatever the "
    "logits are, and little is learned from it. log_softmax needs no such help.",
    of=surprise,
)
def helped(logits: Tensor, ids: Tensor) -> Tensor:
    chances = logits.softmax(dim=-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)
    return -(chances + 1e-9).log()


@EXERCISE.mistake(
    "the axes are exchanged with reshape, which mixes up the logits",
    why="F.cross_entropy wants the classes in axis 1. reshape only cuts the same row of numbers "
    "anew, so logits of several places become one guess: transpose(1, 2), or flatten the places.",
    of=surprise,
)
def reshaped(logits: Tensor, ids: Tensor) -> Tensor:
    b, t, v = logits.shape
    chances = logits.reshape(b, v, t).log_softmax(dim=1)
    return -chances.gather(1, ids.unsqueeze(1)).squeeze(1)


@EXERCISE.mistake(
    "the token 0 is taken for padding",
    why="In the padding any number may stand, and 0 may be a token like any other. `real` says "
    "where there is one.",
)
def zeros_ignored(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(logits[:, :-1], ids[:, 1:]), ids[:, 1:] != 0)

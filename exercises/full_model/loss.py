"""shifted_loss: score the prediction of each next token, without padding."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import real_tokens

SURE = 200.0  # a logit whose exponential float32 cannot hold
WRONG = 150.0  # a logit by which float32 holds 0 for the others' probabilities


def shifted_loss(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    """Return the mean loss of predicting each next token, without padding."""
    return average(surprise(logits[:, :-1], ids[:, 1:]), real[:, 1:])


def surprise(logits: Tensor, ids: Tensor) -> Tensor:
    """Return -ln p of each token: (B, T)."""
    return -logits.log_softmax(dim=-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)


def average(surprises: Tensor, counted: Tensor) -> Tensor:
    """Return the mean over the counted places."""
    return (surprises * counted).sum() / counted.sum()


EXERCISE = Exercise(
    __name__, shifted_loss, results={"loss": ""}, section="book/from_text_to_loss#The loss"
)


@EXERCISE.requires("The loss is the mean of -ln p of each next token.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return probabilities of 1/2 and 1/4 to compute by hand, then texts without padding.

    One prediction of each text is certain, and one in the last text is certain and wrong.
    """
    chances = torch.tensor([[[0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]])
    by_hand = chances.log(), torch.tensor([[0, 1, 0]]), torch.ones(1, 3, dtype=torch.bool)
    drawn = [_scored(draw, real_tokens(lengths)) for lengths in ([5], [4, 4], [3, 3, 3])]
    for logits, ids, _ in drawn:
        logits[0, 0, ids[0, 1]] = SURE
    logits, ids, _ = drawn[-1]
    logits[1, 0, (ids[1, 1] + 1) % logits.size(-1)] = WRONG
    return [Inputs(case) for case in (by_hand, *drawn)]


@EXERCISE.requires(
    "Padding does not count, neither in the sum nor in the number that it is divided by.", points=2
)
def padding(draw: Draw) -> list[Inputs]:
    """Return texts of unequal length, padded on the right or left, and float64."""
    behind = [real_tokens(lengths) for lengths in ([2, 5], [6, 3, 4], [7, 2])]
    in_front = [real_tokens(lengths).flip(-1) for lengths in ([2, 4], [5, 3, 2], [3, 6])]
    drawn = [_scored(draw, real) for real in (*behind, *in_front)]
    return [
        Inputs(case) for case in (*drawn, _scored(draw, real_tokens([3, 5]), dtype=torch.float64))
    ]


EXERCISE.untouched()
EXERCISE.trains()


def _scored(
    draw: Draw, real: Tensor, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a model's logits, and the texts."""
    logits = draw.normal(*real.shape, 6, dtype=dtype) * 2
    return logits, draw.ids(*real.shape, high=6), real


EXERCISE.edit(
    "nothing is shifted",
    {"surprise(logits[:, :-1], ids[:, 1:])": "average(surprise(logits, ids), real)"},
    why="The logits at a position predict the *next* token.\nCompare position 0 with token 1, and "
    "so on.",
    section="What goes wrong",
)
EXERCISE.edit(
    "it is shifted the wrong way",
    {"(logits[:, :-1], ids[:, 1:]), real[:, 1:]": "(logits[:, 1:], ids[:, :-1]), real[:, :-1]"},
    why="It predicts at each position the token before it, which the model has read.\nLeave out "
    "the last logits and the first token, not the first logits and the last token.",
)
EXERCISE.edit(
    "padding is counted",
    {"surprises * counted": "surprises.mean() * counted"},
    why="Predicting padding says nothing about the model, and in a batch of texts of different "
    "lengths it may be most of the mean.",
)
EXERCISE.edit(
    "it is divided by the number of all positions",
    {"sum() / counted.sum": "mean"},
    why="Padding is left out of the sum, but not of the number that the sum is divided by. The "
    "more padding there is, the smaller the loss.",
)
EXERCISE.edit(
    "each text weighs the same",
    "((surprises * counted).sum(dim=1) / counted.sum(dim=1)).mean()",
    why="It takes the mean of each text, and then the mean of these, so a token of a short text "
    "counts for more than one of a long text.\nTake one mean over all tokens.",
    of=average,
)
EXERCISE.edit(
    "it asks whether the token that was read is real",
    {"real[:, 1:]": "real[:, :-1]"},
    {"real[:, 1:]": "real[:, :-1] & real[:, 1:]"},
    why="A *target* that is padding must not count. real belongs to ids.\nShift both in the same "
    "way.",
)
EXERCISE.edit(
    "the exponential overflows",
    "p = logits.exp() / logits.exp().sum(dim=-1, keepdim=True); p = p[:, :-1].gather(-1, "
    "ids[:, 1:].unsqueeze(-1)).squeeze(-1); return -p[real[:, 1:]].log().mean()",
    why="exp(100) is more than float32 can hold, and inf / inf is nan.\nlog_softmax and "
    "F.cross_entropy work with logits of any size, because they never compute the large "
    "exponential.",
)
EXERCISE.edit(
    "the softmax is taken twice",
    {"logits[": "F.softmax(logits, dim=-1)["},
    why="F.cross_entropy takes logits and applies softmax itself. A softmax of probabilities "
    "makes them all nearly equal, so the loss can never get small.",
    section="What goes wrong",
)
EXERCISE.edit(
    "it is the sum, not the mean",
    {"() / counted.sum()": "()"},
    why="A sum grows with the batch and with the length of its texts, and so would the training "
    "steps.\nDivide by the number of tokens that count.",
)
EXERCISE.edit(
    "the minus is missing",
    {"return (": "return -("},
    why="ln p is at most 0, and a loss should fall as p grows: -ln p.",
)
EXERCISE.edit(
    "the logarithm has base 2",
    "surprise(logits, ids) / 0.6931471805599453",
    why="ln is the natural logarithm.\ntorch.log, not torch.log2.",
    of=surprise,
)
EXERCISE.edit(
    "the mean is taken of the probabilities, and then the logarithm",
    "-((-surprises).exp() * counted).sum().div(counted.sum()).log()",
    why="\nTake the logarithm first, of each token's own probability: then one token considered "
    "impossible cannot be hidden by the others.",
    of=average,
)
EXERCISE.edit(
    "the end of a text predicts the start of the next",
    "whole = logits.flatten(0, 1)[None], ids.flatten()[None], real.flatten()[None]; "
    "return shifted_loss(*whole)",
    why="\nShift within each text, then concatenate the texts. Shifted as one long row, the end of "
    "one text has to predict the beginning of another.",
)
EXERCISE.edit(
    "the first tokens are counted in the divisor",
    {"real[:, 1:])": "real[:, 1:]) * real[:, 1:].sum() / real.sum()"},
    why="The first token of a text is not predicted.\nOnly real[:, 1:] counts, in the sum and in "
    "the number that it is divided by.",
)
EXERCISE.edit(
    "a small number is added to each probability",
    "chances = logits.softmax(dim=-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1); "
    "return -(chances + 1e-9).log()",
    why="With it no logarithm is infinite, but an impossible token costs at most about 20, "
    "whatever the logits are, and little is learned from it.\nlog_softmax needs no such help.",
    of=surprise,
)
EXERCISE.edit(
    "the axes are swapped with reshape, which mixes up the logits",
    "b, t, v = logits.shape; chances = logits.reshape(b, v, t).log_softmax(dim=1); "
    "return -chances.gather(1, ids.unsqueeze(1)).squeeze(1)",
    why="F.cross_entropy wants the classes in axis 1. reshape keeps the sequence of numbers, so it "
    "mixes the logits of several positions.\nUse transpose(1, 2), or flatten the positions.",
    of=surprise,
)
EXERCISE.edit(
    "token 0 is taken for padding",
    {"real[:, 1:]": "ids[:, 1:] != 0"},
    why="Padding may hold any id, and 0 may be a token like any other.\n`real` says where there is "
    "a token.",
)

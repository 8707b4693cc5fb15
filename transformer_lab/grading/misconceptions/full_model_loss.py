# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to take the loss of a model that writes."""

import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

LOSS = "book/full_model#The loss"
WRONG = "book/full_model#What goes wrong"


def surprise(logits: Tensor, ids: Tensor) -> Tensor:
    """Give -ln p of each token: (B, T)."""
    return -logits.log_softmax(dim=-1).gather(-1, ids.unsqueeze(-1)).squeeze(-1)


def average(surprises: Tensor, counted: Tensor) -> Tensor:
    """Take the mean over what counts."""
    return (surprises * counted).sum() / counted.sum()


@mistake(
    "nothing is shifted",
    why="The logits at a place are a guess at the *next* token. Compare place 0 with token 1, and "
    "so on: logits[:, :-1] with ids[:, 1:].",
    section=WRONG,
)
def loss_not_shifted(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(logits, ids), real)


@mistake(
    "it is shifted the wrong way",
    why="It asks each place for the token before it, which it has read. Leave out the last logits "
    "and the first token, not the first logits and the last token.",
    section=LOSS,
)
def loss_other_way(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(logits[:, 1:], ids[:, :-1]), real[:, :-1])


@mistake(
    "padding is counted",
    why="How well the model guesses what stands in the padding says nothing, and in a batch of "
    "unequal texts it is most of the mean.",
    section=LOSS,
)
def loss_padding(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return surprise(logits[:, :-1], ids[:, 1:]).mean()


@mistake(
    "it is divided by all places",
    why="Padding is left out of the sum, but not of the number that the sum is divided by. The "
    "more padding there is, the smaller the loss would be.",
    section=LOSS,
)
def loss_all_places(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return (surprise(logits[:, :-1], ids[:, 1:]) * real[:, 1:]).mean()


@mistake(
    "each text weighs the same",
    why="It takes the mean of each text, and then the mean of these: a token of a short text "
    "counts for more than one of a long text. Take one mean over all tokens.",
    section=LOSS,
)
def loss_mean_of_means(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    counted = real[:, 1:]
    total = (surprise(logits[:, :-1], ids[:, 1:]) * counted).sum(dim=1)
    return (total / counted.sum(dim=1)).mean()


@mistake(
    "it asks whether the token that was read is real",
    why="What must not count is a *target* that is padding. real goes with ids: shift both in the "
    "same way.",
    section=LOSS,
)
def loss_real_of_inputs(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(logits[:, :-1], ids[:, 1:]), real[:, :-1])


@loss_real_of_inputs.also
def loss_real_of_both(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(logits[:, :-1], ids[:, 1:]), real[:, :-1] & real[:, 1:])


@mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. log_softmax and "
    "F.cross_entropy take logits of any size: the logarithm undoes the exponential before it is "
    "taken.",
    section=LOSS,
)
def loss_overflows(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    p = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)
    p = p[:, :-1].gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
    return -p[real[:, 1:]].log().mean()


@mistake(
    "the softmax is taken twice",
    why="F.cross_entropy takes logits, and a softmax of them itself. A softmax of probabilities "
    "makes them all nearly equal: the loss can never get small.",
    section=WRONG,
)
def loss_softmax_twice(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return average(surprise(F.softmax(logits[:, :-1], dim=-1), ids[:, 1:]), real[:, 1:])


@mistake(
    "it is the sum, not the mean",
    why="A sum grows with the batch and with the length of its texts, and the steps of training "
    "would grow with it. Divide by the number of tokens that count.",
    section=LOSS,
)
def loss_sum(logits: Tensor, ids: Tensor, real: Tensor) -> Tensor:
    return (surprise(logits[:, :-1], ids[:, 1:]) * real[:, 1:]).sum()


LOSS_MISTAKES = (
    loss_not_shifted,
    loss_other_way,
    loss_padding,
    loss_all_places,
    loss_mean_of_means,
    loss_real_of_inputs,
    loss_real_of_both,
    loss_overflows,
    loss_softmax_twice,
    loss_sum,
)

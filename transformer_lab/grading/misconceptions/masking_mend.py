# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Ways not to mend the two faulty functions of the masking exercise."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.masking_softmax import filled

WRONG = "book/masking#What goes wrong"
PADDING = "book/masking#Padding"


def past(scores: Tensor) -> Tensor:
    """Let every token see itself and what came before."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Take three tokens and one row of the weights: "
    "which keys has that query read, and which should it have read?",
    section=WRONG,
)
def causal_as_given(scores: Tensor) -> Tensor:
    return filled(scores, past(scores), -1e9)


@mistake(
    "each token sees one token of the future",
    why="The border has moved one column too far: each token sees the very answer it must give. "
    "The last key that is allowed is the token itself.",
    section=WRONG,
)
def causal_one_ahead(scores: Tensor) -> Tensor:
    return filled(scores, torch.ones_like(past(scores)).triu(diagonal=2), -1e9)


@mistake(
    "nothing is hidden any more",
    why="The mask has gone, or fills nothing: every token sees the whole future. One thing was "
    "wrong with the mask, not the mask itself.",
    section=WRONG,
)
def causal_unmasked(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


@mistake(
    "no token sees itself",
    why="Now the diagonal is hidden as well, and the first token, with nothing to read, reads "
    "everything. A token may know itself.",
    section=WRONG,
)
def causal_not_itself(scores: Tensor) -> Tensor:
    return filled(scores, ~past(scores).tril(-1), -1e9)


@mistake(
    "the future is set to 0 before softmax",
    why="exp(0) is 1: a score of 0 still gets a share. Hidden scores have to be very negative.",
    section=WRONG,
)
def causal_zero(scores: Tensor) -> Tensor:
    return filled(scores, ~past(scores), 0.0)


@mistake(
    "the weights of the future are struck out after softmax",
    why="The rows no longer sum to one, and what is left still depends on the future, through the "
    "denominator. Hide scores, not weights.",
    section=WRONG,
)
def causal_afterwards(scores: Tensor) -> Tensor:
    return scores.softmax(dim=-1) * past(scores)


CAUSAL_MEND_MISTAKES = (
    causal_as_given,
    causal_one_ahead,
    causal_unmasked,
    causal_not_itself,
    causal_zero,
    causal_afterwards,
)


@mistake(
    "the mistake is still in it",
    why="It computes what it did when you got it. Add up one row of the weights of a sentence with "
    "padding: what should come out, and at which step is it lost?",
    section=WRONG,
)
def padded_as_given(scores: Tensor, real: Tensor) -> Tensor:
    return scores.softmax(dim=-1) * real[:, None, :]


@mistake(
    "hidden scores are set to 0",
    why="The mask now acts before softmax, but exp(0) is 1: padding keeps a share. Hidden scores "
    "have to be minus infinity, or very negative.",
    section=WRONG,
)
def padded_zero(scores: Tensor, real: Tensor) -> Tensor:
    return (scores * real[:, None, :]).softmax(dim=-1)


@mistake(
    "the mask is added as 0 and 1",
    why="Adding True adds 1 to a score, which only nudges it. An additive mask holds minus "
    "infinity where one may not attend.",
    section="book/masking#True means keep. Or block.",
)
def padded_added(scores: Tensor, real: Tensor) -> Tensor:
    return (scores + real[:, None, :]).softmax(dim=-1)


@mistake(
    "rows are hidden, not columns",
    why="The padding asks nothing now, and every word reads it. Hide the keys: the new axis goes "
    "before the last, real[:, None, :].",
    section=WRONG,
)
def padded_rows(scores: Tensor, real: Tensor) -> Tensor:
    return filled(scores, ~real[:, :, None], -1e9)


@mistake(
    "the mask is turned round",
    why="Now only padding is read. True stands for a real token: fill where it is False.",
    section="book/masking#True means keep. Or block.",
)
def padded_inverted(scores: Tensor, real: Tensor) -> Tensor:
    return filled(scores, real[:, None, :], -1e9)


@padded_inverted.also
def padded_inverted_with_infinity(scores: Tensor, real: Tensor) -> Tensor:
    return filled(scores, real[:, None, :], -torch.inf)


@mistake(
    "the weights are divided by a count, not by their sum",
    why="What is missing from a row is the weight that padding had, not a number of tokens. "
    "Divide by the row's own sum, or better, hide the scores.",
    section=WRONG,
)
def padded_counted(scores: Tensor, real: Tensor) -> Tensor:
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights * real.size(-1) / real.sum(dim=-1)[:, None, None]


@mistake(
    "nothing is hidden any more",
    why="The mask has gone: every word reads the padding. It came too late; it was not wrong.",
    section=PADDING,
)
def padded_unmasked(scores: Tensor, real: Tensor) -> Tensor:
    return scores.softmax(dim=-1)


PADDED_MEND_MISTAKES = (
    padded_as_given,
    padded_zero,
    padded_added,
    padded_rows,
    padded_inverted,
    padded_inverted_with_infinity,
    padded_counted,
    padded_unmasked,
)

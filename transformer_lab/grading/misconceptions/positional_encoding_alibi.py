# ruff: noqa: D103 -- the decorator says what is wrong
"""Known-wrong ways to write ALiBi's bias."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

ALIBI = "book/positional_encoding#Or let attention fade"
MOVED = "book/positional_encoding#The sentence that moved"


def slopes(heads: int) -> Tensor:
    """Give each head its slope."""
    return 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)


def behind(T: int, S: int) -> Tensor:
    """Give how far each key lies behind each query, when the queries are the last T of S."""
    return torch.arange(S - T, S)[:, None] - torch.arange(S)


def fade(slopes: Tensor, back: Tensor, hidden: Tensor) -> Tensor:
    """Take slope times distance off, and hide what is hidden."""
    return (-slopes[:, None, None] * back).masked_fill(hidden, -torch.inf)


@mistake(
    "the bias grows with the distance",
    why="What is far away is to fade, so the bias is negative: minus slope times distance. With a "
    "plus the farthest key wins.",
    section=ALIBI,
)
def alibi_grows(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(-slopes(heads), back, back < 0)


@mistake(
    "the slopes begin at 1",
    why="Heads are counted from 1 here: the first slope is 2 to the power of -8/H, not of 0. Eight "
    "heads have 1/2, 1/4, … 1/256.",
    section=ALIBI,
)
def alibi_from_one(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(2.0 ** (-8 * torch.arange(heads) / heads), back, back < 0)


@mistake(
    "the slopes are 1/2, 1/4, 1/8, … for any number of heads",
    why="That is so for eight heads. With H heads each slope is 2 to the power of -8/H times the "
    "one before, so that the last one is always 1/256.",
    section=ALIBI,
)
def alibi_eight_heads(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(2.0 ** -torch.arange(1, heads + 1), back, back < 0)


@mistake(
    "every head has the same slope",
    why="Some heads shall be short-sighted and some look far: each has a slope of its own, and "
    "the bias an axis for the heads.",
    section=ALIBI,
)
def alibi_one_slope(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(slopes(heads)[:1].expand(heads), back, back < 0)


@mistake(
    "the queries are counted from 0, whatever came before",
    why="With T queries and S keys the queries are the last T of S tokens: query i stands at "
    "position S - T + i. Counted from 0, each new word believes it is the first.",
    section=MOVED,
)
def alibi_no_start(heads: int, T: int, S: int) -> Tensor:
    back = torch.arange(T)[:, None] - torch.arange(S)
    return fade(slopes(heads), back, back < 0)


@mistake(
    "the future is not hidden",
    why="The attention is causal: a key that stands after the query gets minus infinity. Without "
    "it the formula even rewards the future, since its distance is negative.",
    section=ALIBI,
)
def alibi_open(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(slopes(heads), back, torch.zeros_like(back, dtype=torch.bool))


@alibi_open.also
def alibi_both_ways(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S).abs()
    return fade(slopes(heads), back, torch.zeros_like(back, dtype=torch.bool))


@alibi_open.also
def alibi_future_at_zero(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S).clamp(min=0)
    return fade(slopes(heads), back, torch.zeros_like(back, dtype=torch.bool))


@mistake(
    "the past is hidden, not the future",
    why="Minus infinity belongs where the key stands after the query, u > t. Yours stands where "
    "it lies before.",
    section=ALIBI,
)
def alibi_past_hidden(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(slopes(heads), back, back > 0)


@mistake(
    "a token is hidden from itself",
    why="The key at the query's own place has distance 0 and a bias of 0: only later keys are "
    "hidden. Otherwise the first token has nothing to look at.",
    section=ALIBI,
)
def alibi_not_itself(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(slopes(heads), back, back <= 0)


@mistake(
    "the heads are the last axis",
    why="Scores have the shape (B, H, T, S), and the bias is added to them: its heads come before "
    "queries and keys, (H, T, S).",
    section=ALIBI,
)
def alibi_heads_last(heads: int, T: int, S: int) -> Tensor:
    back = behind(T, S)
    return fade(slopes(heads), back, back < 0).permute(1, 2, 0)


ALIBI_MISTAKES = (
    alibi_grows,
    alibi_from_one,
    alibi_eight_heads,
    alibi_one_slope,
    alibi_no_start,
    alibi_open,
    alibi_both_ways,
    alibi_future_at_zero,
    alibi_past_hidden,
    alibi_not_itself,
    alibi_heads_last,
)

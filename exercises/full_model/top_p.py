"""top_p: keep a token if those before it sum to less than p."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import ranked_logits


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep a token if the probabilities of those before it sum to less than p."""
    chances = logits.softmax(dim=-1)
    likelier = chances.unsqueeze(-2) > chances.unsqueeze(-1)
    before = (likelier * chances.unsqueeze(-2)).sum(dim=-1)
    return logits.masked_fill(before >= p, -torch.inf)


EXERCISE = Exercise(
    __name__,
    top_p,
    results={"logits": "texts, vocabulary"},
    section="book/training_and_writing#Choosing a token",
)


@EXERCISE.requires(
    "The fewest likely tokens that together reach p stay; all others are -inf.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return probabilities of 0.15, 0.5, 0.05 and 0.3 to compute by hand, then unsorted ones.

    In the last case, one text's logits lie far above the other's.
    """
    by_hand = torch.tensor([[0.15, 0.5, 0.05, 0.3]]).log()
    cases = (
        (ranked_logits(draw, 2, 5), 0.75),
        (ranked_logits(draw, 3, 6), 0.6),
        (ranked_logits(draw, 2, 7), 0.9),
        (ranked_logits(draw, 1, 8).double(), 0.85),
        (ranked_logits(draw, 2, 5) + 200, 0.75),
        (ranked_logits(draw, 2, 5) - 200, 0.75),
        (_far_apart(draw), 0.75),
    )
    return [Inputs((by_hand, 0.6)), Inputs((by_hand, 0.9)), _unlike((0, 1)), *map(Inputs, cases)]


@EXERCISE.requires("However small p is, the likeliest token stays.", points=1)
def few(draw: Draw) -> list[Inputs]:
    """Return a p that the most probable token exceeds on its own."""
    return [
        Inputs((ranked_logits(draw, b, v), p))
        for b, v, p in ((1, 4, 0.1), (3, 5, 0.05), (2, 6, 0.2))
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return texts that keep different numbers of tokens, or whose logits are far apart."""
    return [
        *(_unlike(rows) for rows in ((1, 2), (2, 1, 0), (0, 2, 1))),
        *(Inputs((logits, 0.6)) for logits in (_far_apart(draw), _far_apart(draw).double())),
    ]


def _far_apart(draw: Draw) -> Tensor:
    """Draw the logits of two texts, the first of them shifted up."""
    return ranked_logits(draw, 2, 5) + torch.tensor([[200.0], [0.0]])


def _unlike(rows: tuple[int, ...]) -> Inputs:
    """Return texts that keep one, two or three tokens."""
    chances = [[0.1, 0.7, 0.15, 0.05], [0.3, 0.26, 0.2, 0.24], [0.05, 0.11, 0.45, 0.39]]
    return Inputs((torch.tensor([chances[row] for row in rows]).log(), 0.6))


def chances_before(logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return sorted probabilities, the sum before each of them, and their order."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    return chances, chances.cumsum(dim=-1) - chances, order


def cut(logits: Tensor, goes: Tensor, order: Tensor) -> Tensor:
    """Mask the logits of what goes, which is given in sorted order."""
    return logits.masked_fill(goes.gather(-1, order.argsort(dim=-1)), -torch.inf)


@EXERCISE.mistake(
    "the token that reaches p is cut off",
    why="What is left has less than p together. The token with which the sum reaches p stays; so "
    "ask what those *before* it add up to.",
)
def p_too_few(logits: Tensor, p: float) -> Tensor:
    chances, before, order = chances_before(logits)
    return cut(logits, before + chances > p, order)


@p_too_few.also
def p_too_few_but_one(logits: Tensor, p: float) -> Tensor:
    chances, before, order = chances_before(logits)
    return cut(logits, (before + chances > p) & (before > 0), order)


@EXERCISE.mistake(
    "each token is compared with p by itself",
    why="p is what the tokens have *together*. By itself hardly any has so much: sort, and add up.",
)
def p_each(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(logits.softmax(dim=-1) < p, -torch.inf)


@p_each.also
def p_each_with_what_is_left(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(logits.softmax(dim=-1) < 1 - p, -torch.inf)


@p_each.also
def p_each_but_the_likeliest(logits: Tensor, p: float) -> Tensor:
    chances = logits.softmax(dim=-1)
    return logits.masked_fill(chances < chances.amax(-1, keepdim=True).clamp(max=p), -torch.inf)


@EXERCISE.mistake(
    "each token is compared with a share of the likeliest (min p)",
    why="That is another way to cut, and it has its friends. Top p asks what the tokens have "
    "*together*: sort, and add up.",
)
def p_of_the_likeliest(logits: Tensor, p: float) -> Tensor:
    chances = logits.softmax(dim=-1)
    return logits.masked_fill(chances < p * chances.amax(-1, keepdim=True), -torch.inf)


@EXERCISE.mistake(
    "it begins with the unlikely",
    why="Sorted ascending, the sum reaches p only with the likely ones, and these are cut off. "
    "Sort with descending=True.",
)
def p_ascending(logits: Tensor, p: float) -> Tensor:
    chances, order = logits.softmax(dim=-1).sort(dim=-1)
    return cut(logits, chances.cumsum(dim=-1) - chances >= p, order)


@EXERCISE.mistake(
    "what was found in order is applied out of order",
    why="The chances were sorted, and the logits are not. Put the answer back to where each token "
    "stands: scatter it with the order that sort gave.",
)
def p_not_put_back(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(chances_before(logits)[1] >= p, -torch.inf)


@EXERCISE.mistake(
    "what is cut off becomes 0",
    why="A logit of 0 is not a probability of 0: behind the softmax it is e⁰ = 1, as good as "
    "many others. What must not be chosen gets -inf.",
)
def p_zero(logits: Tensor, p: float) -> Tensor:
    _, before, order = chances_before(logits)
    kept = cut(logits, before >= p, order)
    return kept.masked_fill(kept.isinf(), 0)


@EXERCISE.mistake(
    "logits are added up, not probabilities",
    why="p is a probability. Take the softmax first, then sort and add up.",
)
def p_logits(logits: Tensor, p: float) -> Tensor:
    values, order = logits.sort(dim=-1, descending=True)
    return cut(logits, values.cumsum(dim=-1) - values >= p, order)


@EXERCISE.mistake(
    "what was found in order is put back the wrong way round",
    why="sort's order says where each sorted token came *from*. scatter sends an answer there; "
    "gather would fetch it from there.",
)
def p_gathered(logits: Tensor, p: float) -> Tensor:
    _, before, order = chances_before(logits)
    return logits.masked_fill((before >= p).gather(-1, order), -torch.inf)


@EXERCISE.mistake(
    "one token too many stays",
    why="The token with which the sum reaches p is the last that stays: what those *before* it add "
    "up to is compared with p.",
)
def p_one_more(logits: Tensor, p: float) -> Tensor:
    chances, before, order = chances_before(logits)
    return cut(logits, before - chances.roll(1, dims=-1) * (before > 0) >= p, order)


@EXERCISE.mistake(
    "probabilities are given back, not logits",
    why="What stays, stays as it is. The softmax comes later, when a token is drawn.",
)
def p_chances(logits: Tensor, p: float) -> Tensor:
    return top_p(logits, p).softmax(dim=-1)


@p_chances.also
def p_logs(logits: Tensor, p: float) -> Tensor:
    return top_p(logits, p).log_softmax(dim=-1)


@EXERCISE.mistake(
    "it stays sorted",
    why="A place says which token it is. Put what was sorted back, by the order that sort gave.",
)
def p_sorted(logits: Tensor, p: float) -> Tensor:
    return top_p(logits.sort(dim=-1, descending=True).values, p)


@EXERCISE.mistake(
    "those that stay are cut off, and the others stay",
    why="-inf belongs where a token is *not* among the likely ones that reach p.",
)
def p_others(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(~top_p(logits, p).isinf(), -torch.inf)


@EXERCISE.mistake(
    "what is cut off becomes a large number below 0, not minus infinity",
    why="In most cases that makes no difference, but asked for is -inf: a chance of 0, and not "
    "nearly 0.",
)
def p_billion(logits: Tensor, p: float) -> Tensor:
    return top_p(logits, p).clamp(min=-1e9)


@EXERCISE.mistake(
    "p is a share of the vocabulary",
    why="p is what the tokens that stay have together: few of them where the model is sure, many "
    "where it is not.",
)
def share_of_all(logits: Tensor, p: float) -> Tensor:
    count = math.ceil(p * logits.size(-1))
    return logits.masked_fill(logits < logits.topk(count).values[..., -1:], -torch.inf)


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. softmax subtracts the "
    "largest logit first: the probabilities stay the same.",
    section="book/attention#Weights are a softmax of scores",
)
def overflows(logits: Tensor, p: float) -> Tensor:
    powers = logits.exp()
    chances, order = (powers / powers.sum(dim=-1, keepdim=True)).sort(dim=-1, descending=True)
    goes = chances.cumsum(dim=-1) - chances >= p
    return logits.masked_fill(goes.scatter(-1, order, goes), -torch.inf)


@EXERCISE.mistake(
    "in each text as many stay as in the first",
    why="How many tokens reach p is another number for each text: many where the model is not "
    "sure. Compare along each row by itself.",
)
def as_many_as_first(logits: Tensor, p: float) -> Tensor:
    count = int((top_p(logits[:1], p) > -torch.inf).sum())
    return logits.masked_fill(logits < logits.topk(count).values[..., -1:], -torch.inf)


@EXERCISE.mistake(
    "one largest logit is subtracted in all texts",
    why="The logits of one text may lie far below those of another. Less the largest of all, their "
    "exponentials are 0, and 0 / 0 is nan. Each row has its own largest: amax(-1, keepdim=True).",
    section="book/attention#Weights are a softmax of scores",
)
def largest_of_all(logits: Tensor, p: float) -> Tensor:
    powers = (logits - logits.max()).exp()
    chances, order = (powers / powers.sum(dim=-1, keepdim=True)).sort(dim=-1, descending=True)
    return cut(logits, chances.cumsum(dim=-1) - chances >= p, order)

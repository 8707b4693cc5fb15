"""top_k: keep the k most probable tokens."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import ranked_logits


def top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row."""
    return logits.masked_fill(logits < limit(logits, k), cut_off(logits))


def limit(logits: Tensor, k: int) -> Tensor:
    """Return the k-th largest logit of each row."""
    return logits.topk(k).values[..., -1:]


def cut_off(logits: Tensor) -> float:
    """Return the logit of a token that must not be chosen."""
    return -torch.inf


EXERCISE = Exercise(
    __name__,
    top_k,
    results={"logits": "texts, vocabulary"},
    section="book/training_and_writing#Choosing a token",
)


@EXERCISE.requires("The k largest logits of each row stay; all others are -inf.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return logits without ties, with k from 1 to all; once, one token far above the rest.

    In float64 they may lie closer together than float32 can distinguish.
    """
    by_hand = torch.tensor([[0.5, 2.0, -1.0, 1.0]])
    cases = ((2, 5, 1), (3, 6, 3), (4, 4, 2), (2, 3, 3))
    drawn = [(ranked_logits(draw, b, v), k) for b, v, k in cases]
    wide, close = (ranked_logits(draw, 2, 4).double() for _ in range(2))
    drawn += [(wide, 2), (8 + close / 2**30, 2), _one_far_above(draw)]
    return [Inputs((by_hand, 2)), *map(Inputs, drawn)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return many rows, or as many as tokens; float64, and one token far above the rest."""
    sizes = ((6, 5, 2), (7, 4, 2), (5, 6, 3), (2, 4, 4), (3, 5, 5))
    drawn = [(ranked_logits(draw, b, v), k) for b, v, k in sizes]
    wide = ranked_logits(draw, 3, 4).double(), 1
    return [Inputs(case) for case in (*drawn, wide, _one_far_above(draw))]


def _one_far_above(draw: Draw) -> tuple[Tensor, int]:
    """Draw logits of which all but one have a probability of 0 in float32."""
    first = torch.arange(4) == 0
    return ranked_logits(draw, 2, 4).masked_fill(first, 200.0)[:, draw.shuffled(range(4))], 2


@EXERCISE.mistake(
    "what is cut off becomes 0",
    why="A logit of 0 is not a probability of 0: behind the softmax it is e⁰ = 1, as good as "
    "many others. What must not be chosen gets -inf.",
    of=cut_off,
)
def k_zero(logits: Tensor) -> float:
    return 0.0


@EXERCISE.mistake(
    "what is cut off becomes a large number below 0, not minus infinity",
    why="In most cases that makes no difference, but asked for is -inf: a chance of 0, and not "
    "nearly 0.",
    of=cut_off,
)
def k_billion(logits: Tensor) -> float:
    return -1e9


@k_billion.within(cut_off)
def k_lowest(logits: Tensor) -> float:
    return torch.finfo(logits.dtype).min


@k_billion.within(cut_off)
def k_ten_thousand(logits: Tensor) -> float:
    return -1e4


@EXERCISE.mistake(
    "one token too many stays",
    why="In descending order the k-th largest stands at place k - 1.",
    of=limit,
)
def k_one_more(logits: Tensor, k: int) -> Tensor:
    return limit(logits, min(k + 1, logits.size(-1)))


@EXERCISE.mistake(
    "one token too few stays",
    why="The k-th largest itself stays, too.",
)
def k_one_less(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits <= limit(logits, k), cut_off(logits))


@EXERCISE.mistake(
    "the least likely stay",
    why="sort puts the smallest first. The last k are the largest.",
)
def k_least(logits: Tensor, k: int) -> Tensor:
    highest = logits.sort(dim=-1).values[..., k - 1 : k]
    return logits.masked_fill(logits > highest, cut_off(logits))


@EXERCISE.mistake(
    "the rows of the batch compete",
    why="Each text has its own k likeliest tokens. Take them along the last axis, not of the whole "
    "tensor.",
    of=limit,
)
def k_of_batch(logits: Tensor, k: int) -> Tensor:
    return logits.flatten().topk(k).values[-1]


@k_of_batch.within(limit)
def k_of_columns(logits: Tensor, k: int) -> Tensor:
    return logits.topk(min(k, len(logits)), dim=0).values[-1:]


@k_of_batch.within(limit)
def k_lowest_limit(logits: Tensor, k: int) -> Tensor:
    return limit(logits, k).min()


@k_of_batch.within(limit)
def k_of_all_together(logits: Tensor, k: int) -> Tensor:
    return logits.flatten().topk(k * len(logits)).values[-1]


@EXERCISE.mistake(
    "the first row's limit serves all rows",
    why="Each text has its own k likeliest tokens, and the logits of another may lie higher or "
    "lower. Look for the k-th largest in every row.",
    of=limit,
)
def k_of_first(logits: Tensor, k: int) -> Tensor:
    return limit(logits, k)[:1]


@EXERCISE.mistake(
    "probabilities are compared, and several are 0",
    why="Far below the likeliest token all probabilities are 0, as far as float32 can say, and "
    "none of these is larger than another. Compare the logits: no two of them are equal.",
)
def k_of_chances(logits: Tensor, k: int) -> Tensor:
    chances = logits.softmax(dim=-1)
    return logits.masked_fill(chances < limit(chances, k), cut_off(logits))


@EXERCISE.mistake(
    "only the k values are given back",
    why="They have lost their places, and a place says which token it is. Keep the shape, and cut "
    "off the others with -inf.",
)
def k_values_only(logits: Tensor, k: int) -> Tensor:
    return logits.topk(k).values


@EXERCISE.mistake(
    "only the places of the k largest are given back",
    why="topk gives values and places. Keep the shape, and cut off the others with -inf.",
)
def k_places(logits: Tensor, k: int) -> Tensor:
    return logits.topk(k).indices


@EXERCISE.mistake(
    "probabilities are given back, not logits",
    why="What stays, stays as it is. The softmax comes later, when a token is drawn.",
)
def k_chances(logits: Tensor, k: int) -> Tensor:
    return top_k(logits, k).softmax(dim=-1)


@k_chances.also
def k_logs(logits: Tensor, k: int) -> Tensor:
    return top_k(logits, k).log_softmax(dim=-1)


@EXERCISE.mistake(
    "those that stay are cut off, and the others stay",
    why="-inf belongs where a logit is *not* among the k largest.",
)
def k_others(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits >= limit(logits, k), cut_off(logits))


@EXERCISE.mistake(
    "it stays sorted",
    why="A place says which token it is. Keep all logits where they stand, and put -inf in the "
    "place of those that are not among the k largest.",
)
def sorted_still(logits: Tensor, k: int) -> Tensor:
    return top_k(logits, k).sort(dim=-1, descending=True).values


@EXERCISE.mistake(
    "the size decides, without its sign",
    why="A logit far below 0 is an unlikely token, however far it lies. The largest stay, not "
    "those farthest from 0.",
)
def by_size(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits.abs() < limit(logits.abs(), k), -torch.inf)


@EXERCISE.mistake(
    "the largest that goes is looked for, and there may be none",
    why="With k as large as the vocabulary all tokens stay, and there is no logit behind them. "
    "Look for the smallest that stays, number k.",
)
def next_as_limit(logits: Tensor, k: int) -> Tensor:
    goes = logits.sort(dim=-1, descending=True).values[:, k]
    return logits.masked_fill(logits <= goes[:, None], -torch.inf)

"""top_k: keep the k likeliest."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.parts import ranked_logits


def top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k likeliest."""
    return logits.masked_fill(logits < logits.topk(k).values[..., -1:], -torch.inf)


EXERCISE = Exercise(
    __name__, top_k, results={"logits": "texts, vocabulary"}, section="Choosing a token"
)


@EXERCISE.requires("The k largest logits of each row stay; all others are -inf.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give logits without ties, and k from 1 to all."""
    by_hand = torch.tensor([[0.5, 2.0, -1.0, 1.0]])
    cases = ((2, 5, 1), (3, 6, 3), (4, 4, 2), (2, 3, 3))
    return [Inputs((by_hand, 2)), *(Inputs((ranked_logits(draw, b, v), k)) for b, v, k in cases)]


EXERCISE.untouched()


@EXERCISE.mistake(
    "what is cut off becomes 0",
    why="A logit of 0 is not a probability of 0: behind the softmax it is e⁰ = 1, as good as "
    "many others. What must not be chosen gets -inf.",
)
def k_zero(logits: Tensor, k: int) -> Tensor:
    return logits * (logits >= logits.topk(k).values[..., -1:])


@EXERCISE.mistake(
    "one token too many stays",
    why="In descending order the k-th largest stands at place k - 1.",
)
def k_one_more(logits: Tensor, k: int) -> Tensor:
    more = min(k + 1, logits.size(-1))
    return logits.masked_fill(logits < logits.topk(more).values[..., -1:], -torch.inf)


@EXERCISE.mistake(
    "one token too few stays",
    why="The k-th largest itself stays, too: compare with <, not with <=.",
)
def k_one_less(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits <= logits.topk(k).values[..., -1:], -torch.inf)


@EXERCISE.mistake(
    "the least likely stay",
    why="sort puts the smallest first. The last k are the largest.",
)
def k_least(logits: Tensor, k: int) -> Tensor:
    limit = logits.sort(dim=-1).values[..., k - 1 : k]
    return logits.masked_fill(logits > limit, -torch.inf)


@EXERCISE.mistake(
    "the rows of the batch compete",
    why="Each text has its own k likeliest tokens. Take them along the last axis, not of the whole "
    "tensor.",
)
def k_of_batch(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits < logits.flatten().topk(k).values[-1], -torch.inf)


@EXERCISE.mistake(
    "only the k values are given back",
    why="They have lost their places, and a place says which token it is. Keep the shape, and cut "
    "off the others with -inf.",
)
def k_values_only(logits: Tensor, k: int) -> Tensor:
    return logits.topk(k).values

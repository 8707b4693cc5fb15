"""top_p goes on: how large the logits are, and what is compared in all texts at once."""

import torch
from torch import Tensor

from .top_p import EXERCISE, cut, top_p


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

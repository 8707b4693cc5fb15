"""Refusals of trainings by which nothing would be learned."""

import math

import torch
from torch import nn

from transformer_lab._checks import check_positive, check_whole


def check_cosine(step: int, peak: float, warm_up: int, steps: int) -> None:
    """Refuse a warm-up that outlasts the training, and a peak that is none."""
    check_whole(step=step, steps=steps)
    check_whole(least=0, warm_up=warm_up)
    check_positive(peak=peak)
    if warm_up > steps:
        raise ValueError(
            f"the warm-up is a part of the training, at most its {steps} steps, but is {warm_up}."
        )


def check_rate(rate: float, step: int) -> None:
    """Refuse a learning rate by which a step would climb, or leave the numbers."""
    if not 0 <= rate < math.inf:
        raise ValueError(
            f"schedule must return a learning rate, a number from 0 on, but for step {step} it "
            f"returned {rate}."
        )


def check_trainable(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Refuse a model without a loss or gradients, and an optimizer of another model."""
    if not callable(getattr(model, "loss", None)):
        raise TypeError(
            f"only a model with a method `loss` can be trained, but {type(model).__name__} has "
            f"none. It takes the batch's tensors by name and returns one number."
        )
    learning = {parameter for parameter in model.parameters() if parameter.requires_grad}
    if not learning:
        raise ValueError(
            "no parameter of this model collects gradients, so it would not learn. A real model "
            "comes that way: model.requires_grad_() lets it learn on."
        )
    if learning.isdisjoint(p for group in optimizer.param_groups for p in group["params"]):
        raise ValueError(
            "the optimizer has none of this model's parameters, so nothing would be learned. Make "
            "it of model.parameters(), after the last change to the model."
        )

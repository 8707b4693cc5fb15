"""Refusals of what a training cannot go on with: models, optimizers, batches, losses."""

from collections.abc import Mapping
from inspect import signature

import torch
from torch import Tensor, nn

from transformer_lab._checks import check_module


def check_trainable(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Refuse a model without a loss or gradients, and an optimizer of another model."""
    check_module("model", model)
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(
            f"optimizer must be one that was made, but is {optimizer!r}. "
            f"torch.optim.AdamW(model.parameters()) makes one."
        )
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


def check_batch(model: nn.Module, batch: object) -> None:
    """Refuse what are not the arguments of the model's loss, by name."""
    takes = signature(model.loss)  # type: ignore[arg-type]
    wanted = f"the arguments of {type(model).__name__}.loss by name, {list(takes.parameters)}"
    if not isinstance(batch, Mapping):
        raise TypeError(f"a batch must be a dict of {wanted}, but is a {type(batch).__name__}.")
    try:
        takes.bind(**batch)
    except TypeError as error:
        raise TypeError(f"a batch must hold {wanted}, but has {[*batch]}: {error}.") from None


def check_loss(model: nn.Module, loss: object) -> None:
    """Refuse a loss from which no step follows: what is no number, or has no gradient."""
    if not (isinstance(loss, Tensor) and loss.numel() == 1 and loss.requires_grad):
        given = f"shape {tuple(loss.shape)}" if isinstance(loss, Tensor) else repr(loss)
        raise TypeError(
            f"{type(model).__name__}.loss must return one number that leads back to the "
            f"parameters, a tensor without axes, but returned {given}."
        )

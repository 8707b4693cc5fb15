"""Losses of `torch.nn.functional`."""

import math
from typing import Any

from .along_axis import log_softmax
from .dtypes import INT64, only_floats
from .missing import missing
from .operation import functional
from .reducing import total
from .tensor import Tensor, numbers, rounded


def _check_targets(input: Tensor, target: Tensor, weight: Any) -> None:
    """Raise ValueError or RuntimeError unless there is a target for each prediction."""
    if weight is not None:
        raise missing("losses with a weight for each class")
    wanted = (*input.shape[:1], *input.shape[2:]) if len(input.shape) > 1 else ()
    if not input.shape or target.shape != wanted:
        if len(input.shape) == 2 and len(target.shape) == 1:
            raise ValueError(
                f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                f"({target.shape[0]})."
            )
        raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")
    if target.dtype is not INT64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.spoken}")


def _losses(logs: Tensor, target: Tensor, ignored: int, reduction: str, smoothing: float) -> Tensor:
    """Return losses of log-probabilities; smoothing gives a share to all classes."""
    lines = logs.movedim(1, -1) if len(logs.shape) > 2 else logs
    count, flat, losses = lines.shape[-1], numbers(lines), []
    classes = numbers(target)
    for n, k in enumerate(classes):
        if k == ignored:
            losses.append(0.0)
            continue
        if not 0 <= k < count:
            raise IndexError(f"Target {k} is out of bounds.")
        line = flat[n * count : (n + 1) * count]
        every = smoothing / count * -total(line) if smoothing else 0.0
        losses.append(every - (1 - smoothing) * line[k])

    def back(gradient: list) -> list:
        if reduction != "none":
            gradient = gradient * len(classes)
        found = []
        for k, d in zip(classes, gradient, strict=True):
            d = 0.0 if k == ignored else -d / (seen if reduction == "mean" else 1)
            line = [d * smoothing / count] * count
            line[k if k != ignored else 0] += (1 - smoothing) * d
            found += line
        return [found]

    seen = sum(k != ignored for k in classes)
    if reduction == "none":
        return rounded(losses, target.shape, logs.dtype, (lines,), None, back)
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    value = total(losses)
    if reduction == "mean":
        value = value / seen if seen else math.nan
    return rounded([value], (), logs.dtype, (lines,), None, back)


@functional
def nll_loss(
    input: Tensor, target: Tensor, weight: Any = None, *, ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    _check_targets(input, target, weight)
    only_floats("nll_loss_out_frame", input.dtype)
    return _losses(input, target, ignore_index, reduction, 0.0)


@functional
def cross_entropy(
    input: Tensor, target: Tensor, weight: Any = None, *, ignore_index: int = -100,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if target.shape == input.shape and target.dtype.is_floating_point:
        raise missing("F.cross_entropy with probabilities as targets")
    _check_targets(input, target, weight)
    logs = log_softmax(input, 1 if len(input.shape) > 1 else 0)
    return _losses(logs, target, ignore_index, reduction, label_smoothing)

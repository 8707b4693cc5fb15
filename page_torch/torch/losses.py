"""Losses of `torch.nn.functional`."""

import math
from typing import Any

from .comparing import ne
from .dtypes import INT64, promote_types
from .lines import log_softmax
from .missing import missing
from .operation import functional
from .reducing import total
from .tensor import Tensor, numbers, rounded


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    """Return losses, their mean or their sum."""
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return losses.mean() if reduction == "mean" else losses.sum()


def _check_targets(input: Tensor, target: Tensor) -> None:
    """Refuse targets that do not fit. Raises ValueError or RuntimeError."""
    if len(input.shape) == 1:
        if target.shape:
            raise RuntimeError(
                f"size mismatch (got input: {list(input.shape)}, target: {list(target.shape)})"
            )
        return
    if not input.shape or (len(input.shape) > 1 and not target.shape):
        raise RuntimeError("input tensor should be 1D or 2D, and its target of one axis less")
    wanted = (input.shape[0], *input.shape[2:])
    if target.shape == wanted:
        return
    if len(input.shape) == 2 and len(target.shape) == 1:
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
            f"({target.shape[0]})."
        )
    if len(input.shape) == 2:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    raise RuntimeError(f"Expected target size {list(wanted)}, got {list(target.shape)}")


@functional
def nll_loss(
    input: Tensor, target: Tensor, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    _check_targets(input, target)
    if target.dtype is not INT64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.spoken}")
    _check_weight(input, weight)
    return _smoothed(input, target, weight, ignore_index, reduction, 0.0)


def _check_weight(logs: Tensor, weight: Any) -> None:
    """Refuse logarithms that are no floats, and weights of another type."""
    kind = logs.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(f"\"nll_loss_out_frame\" not implemented for '{kind.spoken}'")
    if weight is not None and weight.requires_grad:
        raise RuntimeError(
            "The function 'nll_loss_forward' is not differentiable with respect to argument "
            "'weight'. This input cannot have requires_grad True."
        )
    if weight is not None and weight.dtype is not kind:
        raise RuntimeError(f"expected scalar type {kind.spoken} but found {weight.dtype.spoken}")


def _smoothed(
    logs: Tensor, target: Tensor, weight: Any, ignored: int, reduction: str, smoothing: float
) -> Tensor:
    """Return losses of logarithms of probabilities; a part of each goes to all classes alike."""
    rows = logs.movedim(1, -1) if len(logs.shape) > 2 else logs
    count = rows.shape[-1]
    flat, classes = numbers(rows), numbers(target)
    scale = numbers(weight) if weight is not None else [1.0] * count
    losses, weights = [], []
    for n, k in enumerate(classes):
        if k != ignored and not 0 <= k < count:
            raise IndexError(f"Target {k} is out of bounds.")
        line = flat[n * count : (n + 1) * count]
        weights.append(0.0 if k == ignored else scale[k])
        loss = 0.0
        if k != ignored:
            loss = -line[k] * scale[k]
            if smoothing:
                every = -total([v * w for v, w in zip(line, scale, strict=True)])
                loss = (1 - smoothing) * loss + smoothing / count * every
        losses.append(loss)
    of = (logs,)
    if reduction == "none":
        return rounded(losses, target.shape, logs.dtype, of)
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    value, divisor = total(losses), total(weights)
    if reduction == "mean":
        value = value / divisor if divisor else math.nan
    return rounded([value], (), logs.dtype, of)


@functional
def cross_entropy(
    input: Tensor, target: Tensor, weight: Any = None, size_average: Any = None,
    ignore_index: int = -100, reduce: Any = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if not input.shape:
        raise RuntimeError("Dimension specified as 1 but tensor has no dimensions")
    at = 1 if len(input.shape) > 1 else 0
    if target.shape == input.shape and target.dtype.is_floating_point:
        return _of_probabilities(input, target, weight, reduction, label_smoothing, at)
    _check_targets(input, target)
    if target.dtype is not INT64:
        raise RuntimeError(f"expected scalar type Long but found {target.dtype.spoken}")
    logs = log_softmax(input, at)
    return _smoothed(logs, target, weight, ignore_index, reduction, label_smoothing)


def _of_probabilities(
    input: Tensor, target: Tensor, weight: Any, reduction: str, smoothing: float, at: int
) -> Tensor:
    if weight is not None:
        raise missing("F.cross_entropy with probabilities and weights")
    wanted = target * (1 - smoothing) + smoothing / input.shape[at] if smoothing else target
    products = log_softmax(input, at) * wanted
    if reduction != "mean":
        return -products.sum(at) if reduction == "none" else -products.sum()
    count = input.shape.numel() / (input.shape[at] or 1)
    return -products.sum() / (count or math.nan)


@functional
def mse_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    kind = promote_types(input.dtype, target.dtype)
    return _reduced((input.to(kind) - target.to(kind)).square(), reduction)


@functional
def l1_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    return _reduced((input - target).abs(), reduction)


@functional
def kl_div(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    if 1 in (input.dtype.kind, target.dtype.kind):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        logs = target.where(ne(target, 0), 1.0).log()
        losses = target * (logs - input)
    if reduction == "batchmean":
        return losses.sum() / input.shape[0]
    return _reduced(losses, reduction)

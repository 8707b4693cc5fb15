"""Floats that are cut off from the gradient, and whether a result depends on them.

`detach`, `no_grad`, `item` and similar functions give floats that no longer know where they came
from. That is right if they make no difference, like the largest score that softmax subtracts; it is
wrong if the result depends on them. So a second call changes each of them a little.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

STEP = 0.1  # a number below 1 is moved by a tenth of itself, a larger one by this
TOLERANCE = 1e-3  # the relative change of a result: more than rounding, less than a dependence


class Cutting(TorchFunctionMode):
    """While entered, notices floats that are cut off, and changes them if asked to.

    Cut off is the result of an operation without a gradient on a tensor that requires one.
    """

    def __init__(self, moves: bool = False) -> None:
        """Store whether to change them. Afterwards `heard` says whether there were any."""
        super().__init__()
        self.moves, self.heard = moves, False

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Call the operation, and search its result for floats that it cuts off."""
        options = kwargs or {}
        given = func(*args, **options)
        if _makes_anew(func) or not any(map(_is_tracked, _tensors((*args, *options.values())))):
            return given
        return self._looked_through(given)

    def _looked_through(self, value: Any) -> Any:
        """Return a value, with what is cut off in it changed if wanted."""
        if isinstance(value, list | tuple):
            parts = [self._looked_through(part) for part in value]
            return type(value)(parts) if self.moves else value
        is_float = isinstance(value, float)
        if not is_float and not (_is_of_floats(value) and not value.requires_grad):
            return value
        self.heard = True
        if not self.moves:
            return value
        return value + STEP * min(abs(value), 1) if is_float else _moved(value)


def severed(before: Any, again: Callable[[], Any]) -> tuple[int, ...]:
    """Return the numbers of the results that change with cut-off floats in a second call.

    A function whose own check rejects the changed floats proves nothing.
    """
    try:
        with torch.enable_grad(), Cutting(moves=True):
            after = again()
        pairs = zip(_results(before), _results(after), strict=True)
        return tuple(number for number, pair in enumerate(pairs) if _differ(*pair))
    except (Exception, SystemExit):
        return ()


def _results(value: Any) -> tuple | list:
    return value if isinstance(value, tuple | list) else (value,)


def _makes_anew(function: Callable) -> bool:
    """Return whether a function uses only a tensor's shape or dtype, not its numbers."""
    name = getattr(function, "__name__", "")
    return name.startswith("new_") or name.endswith("_like")


def _tensors(values: Iterable) -> Iterable[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def _is_of_floats(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_floating_point


def _is_tracked(value: Tensor) -> bool:
    return value.dtype.is_floating_point and value.requires_grad


def _moved(value: Tensor) -> Tensor:
    """Change finite numbers by different steps, large enough to show and too small to overflow."""
    waves = torch.arange(value.numel()).cos().reshape(value.shape).to(value.dtype)
    return value + STEP * waves * value.abs().clamp(max=1)


def _differ(one: Any, other: Any) -> bool:
    """Return whether two results differ by more than another order of summation explains."""
    if not (_is_of_floats(one) and _is_of_floats(other)):
        return False
    share = max(TOLERANCE, 8 * torch.finfo(one.dtype).eps)
    return not torch.allclose(one, other, rtol=share, atol=share / 100, equal_nan=True)

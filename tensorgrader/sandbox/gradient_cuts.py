"""What is cut off from the gradient, and whether a result depends on it.

`detach`, `no_grad`, `item` and their like give floats that no longer know where they came from.
That is right where these make no difference, as the largest score, which softmax takes off; it is
wrong where the result depends on them. So a second call has each of them moved a little.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

STEP = 0.1  # a number below 1 is moved by a tenth of itself, a larger one by this
TOLERANCE = 1e-3  # of a result: rounding changes it by less, what it depends on by more


class Cutting(TorchFunctionMode):
    """While it is entered, hears of floats that are cut off, and moves them if it is to.

    Cut off is what an operation makes without a gradient of a tensor that wants one.
    """

    def __init__(self, moves: bool = False) -> None:
        """Return whether they are to be moved. Whether there were any is in `heard`, afterwards."""
        super().__init__()
        self.moves, self.heard = moves, False

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Do the operation, and look for what it cuts off."""
        options = kwargs or {}
        given = func(*args, **options)
        if _makes_anew(func) or not any(map(_is_tracked, _tensors((*args, *options.values())))):
            return given
        return self._looked_through(given)

    def _looked_through(self, value: Any) -> Any:
        """Return a value, with what is cut off in it moved if that is wanted."""
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
    """Return the numbers of the results that change when what is cut off is moved in a call again.

    A function that finds fault with what was moved, in a check of its own, tells nothing.
    """
    try:
        with torch.enable_grad(), Cutting(moves=True):
            after = again()
        pairs = zip(_results(before), _results(after), strict=True)
        return tuple(number for number, pair in enumerate(pairs) if _differ(*pair))
    except (Exception, SystemExit):
        return ()


def _results(value: Any) -> tuple | list:
    """Return what a function returned: several results, or one."""
    return value if isinstance(value, tuple | list) else (value,)


def _makes_anew(function: Callable) -> bool:
    """Return whether a function takes no numbers from a tensor, but its size or its type."""
    name = getattr(function, "__name__", "")
    return name.startswith("new_") or name.endswith("_like")


def _tensors(values: Iterable) -> Iterable[Tensor]:
    """Yield the tensors among values, and in the lists among them."""
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
    """Move finite numbers, each by another step, of a size that neither hides nor overflows."""
    waves = torch.arange(value.numel()).cos().reshape(value.shape).to(value.dtype)
    return value + STEP * waves * value.abs().clamp(max=1)


def _differ(one: Any, other: Any) -> bool:
    """Return whether two results differ by more than they would by another order of sums."""
    if not (_is_of_floats(one) and _is_of_floats(other)):
        return False
    share = max(TOLERANCE, 8 * torch.finfo(one.dtype).eps)
    return not torch.allclose(one, other, rtol=share, atol=share / 100, equal_nan=True)

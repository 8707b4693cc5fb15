"""`torch.overrides`: modes to which each operation is dispatched."""

from collections.abc import Callable
from typing import Any

from .operation import MODES


class TorchFunctionMode:
    """While entered, every operation is passed to its `__torch_function__`."""

    def __init__(self) -> None:
        """Start inactive."""

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Raise NotImplementedError: subclasses define it."""
        raise NotImplementedError

    def __enter__(self) -> "TorchFunctionMode":
        """Become the innermost mode."""
        MODES.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Deactivate it."""
        MODES.pop()

"""Ready-mades refused in the learner's own kernel while a function runs, in a worker's words."""

from collections.abc import Callable
from typing import Any

from torch.overrides import TorchFunctionMode


class Without(TorchFunctionMode):
    """Have PyTorch's functions and methods of these names raise RuntimeError."""

    def __init__(self, names: frozenset[str]):
        """Take the names."""
        super().__init__()
        self._names = names

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Call a function, unless it is refused."""
        name = getattr(func, "__name__", "")
        if name in self._names:
            raise RuntimeError(f"the ready-made `{name}` is what this exercise asks you to write")
        return func(*args, **(kwargs or {}))

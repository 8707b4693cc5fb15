"""What is not there: PyTorch's own names say so when they are used, all others are not known."""

from collections.abc import Callable
from typing import Any

from .missing import Absent
from .names import NAMES


def absent_from(place: str) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module, whose names in PyTorch are listed."""
    module = f"torch.{place}".rstrip(".")

    def absent(name: str) -> Any:
        if name in NAMES[place]:
            return Absent(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return absent

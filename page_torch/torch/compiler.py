"""`torch.compile` and `torch.compiler`: nothing is compiled here."""

from collections.abc import Callable
from typing import Any


def is_compiling() -> bool:
    """Tell that nothing is being compiled."""
    return False


def compile(model: Any = None, **options: Any) -> Any:
    """Return a function or a model as it is; without one, decorate nothing."""
    return model if model is not None else _unchanged


def _unchanged(model: Callable[..., Any]) -> Callable[..., Any]:
    return model

"""`torch.compile` and `torch.compiler`: nothing is compiled here, and nothing traced."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

_C = SimpleNamespace(
    _functorch=SimpleNamespace(is_functorch_wrapped_tensor=lambda _: False),
    _get_tracing_state=lambda: None,
)


class SymInt:
    """A size that is not known yet: there is none."""


def is_compiling() -> bool:
    """Return False: nothing is being compiled."""
    return False


def compile(model: Any = None, **options: Any) -> Any:
    """Return a function or a model unchanged; without one, return a decorator that does so."""
    return model if model is not None else _unchanged


def _unchanged(model: Callable[..., Any]) -> Callable[..., Any]:
    return model

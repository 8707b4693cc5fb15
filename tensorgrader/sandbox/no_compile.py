"""No compilation: an answer that uses torch.compile is judged as written, without a compiler.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

#: The attributes in which `torch.compile`, `torch.jit.script` and `trace` keep the original.
KEPT = ("_torchdynamo_orig_callable", "_torchdynamo_inline")
KINDS = ("function", "ScriptFunction")  # the classes of their results


def as_written(function: Any) -> Any:
    """Return the function that was compiled; one that wasn't is returned unchanged."""
    if type(function).__name__ not in KINDS:
        return function
    kept = (getattr(function, name, None) for name in KEPT)
    inner = next(filter(callable, kept), None)
    return function if inner is None else as_written(inner)


def compile_nothing() -> None:
    """Make `torch.compile` and `nn.Module.compile` do nothing in this process."""
    torch.compile = torch.compiler.disable = _compile  # type: ignore[assignment]
    nn.Module.compile = _compile_in_place  # type: ignore[assignment, method-assign]


@contextlib.contextmanager
def eagerly() -> Iterator[None]:
    """Run compiled functions as written, if PyTorch can (2.6)."""
    if "torch._dynamo" not in sys.modules or not hasattr(torch.compiler, "set_stance"):
        yield
        return
    with torch.compiler.set_stance("force_eager"):
        yield


def _compile(model: Any = None, **options: Any) -> Any:
    """Replace `torch.compile`, which is a decorator, too."""
    return model if model is not None else lambda model: model


def _compile_in_place(module: nn.Module, *args: Any, **options: Any) -> None:
    """Replace `nn.Module.compile`."""

"""What keeps a taught function free of side issues: its dtype, and who asks for the same again."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import torch
from torch import Tensor

HALF = (torch.float16, torch.bfloat16)
F = TypeVar("F", bound=Callable)


def in_float32(function: F) -> F:
    """Return a function that computes half precision in float32 and rounds only its results.

    The first argument decides: float16 ends at 65504, and sums of bfloat16 keep few digits.
    """

    @wraps(function)
    def exact(x: Tensor, *others: Any, **options: Any) -> Any:
        if x.dtype not in HALF:
            return function(x, *others, **options)
        given = [
            other.float() if isinstance(other, Tensor) and other.dtype in HALF else other
            for other in (x, *others)
        ]
        result = function(*given, **options)
        if isinstance(result, tuple):
            return tuple(part.to(x.dtype) for part in result)
        return result.to(x.dtype)

    return exact  # type: ignore[return-value]


def keep_latest(function: F) -> F:
    """Return a function that keeps its latest result: layers ask for the same, one by one.

    The result must follow from the arguments alone. Nothing is kept if one of them is a tensor,
    and while torch traces.
    """
    latest: tuple[object, Any] = (None, None)

    @wraps(function)
    def kept(*given: Any, **options: Any) -> Any:
        nonlocal latest
        if torch.compiler.is_compiling() or any(isinstance(x, Tensor) for x in given):
            return function(*given, **options)
        key = given, tuple(options.items())
        asked, result = latest
        if asked != key:
            result = function(*given, **options)
            latest = key, result
        return result

    return kept  # type: ignore[return-value]

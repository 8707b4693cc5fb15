"""How a learner's function is called: with its mask, or once more in the same tensors.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from torch import Tensor


def call(function: Callable[..., Any], args: tuple, mask: Tensor | None) -> Any:
    """Call a function with its mask, by name if it has such a parameter, else as the last one."""
    if mask is None:
        return function(*args)
    if _knows_mask_by_name(function):
        return function(*args, mask=mask)
    return function(*args, mask)


def names_of(answer: Any) -> dict:
    """Return the global names that a function, or the methods of a class, see."""
    if not isinstance(answer, type):
        written = getattr(answer, "__wrapped__", answer)  # below a decorator, such as no_grad's
        return getattr(written, "__globals__", {})
    methods = filter(inspect.isfunction, vars(answer).values())
    return next((method.__globals__ for method in methods), {})


def overwritten(old: Any, new: Any) -> Any:
    """Overwrite the tensors of an earlier call with new numbers where they fit."""
    if isinstance(new, Tensor):
        alike = isinstance(old, Tensor) and (old.shape, old.dtype) == (new.shape, new.dtype)
        return old.copy_(new) if alike else new
    if isinstance(new, tuple | list) and len(old) == len(new):
        return type(new)(map(overwritten, old, new))
    if isinstance(new, dict):
        return {key: overwritten(old.get(key), item) for key, item in new.items()}
    return new


def _knows_mask_by_name(function: Callable[..., Any]) -> bool:
    """Return whether function(..., mask=mask) is a valid call.

    A function with **options passes it on, so the one inside decides.
    """
    try:
        parameters = inspect.signature(function, follow_wrapped=False).parameters
    except (TypeError, ValueError):
        return False
    kinds = {parameter.kind for parameter in parameters.values()}
    named = "mask" in parameters and parameters["mask"].kind is not Parameter.POSITIONAL_ONLY
    if named or Parameter.VAR_KEYWORD not in kinds or Parameter.VAR_POSITIONAL not in kinds:
        return named or Parameter.VAR_KEYWORD in kinds
    within = getattr(function, "__wrapped__", None) or getattr(function, "forward", None)
    return within is not None and _knows_mask_by_name(within)

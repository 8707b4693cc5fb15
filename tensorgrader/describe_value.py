"""The words for a value in feedback to a learner."""

from typing import Any

from torch import Tensor

from tensorgrader.sandbox.describe import sized
from tensorgrader.sandbox.values import Other, clean

SHORT = 60


def wanted(expected: Any) -> str:
    """Return words for the kind of value that is expected."""
    if isinstance(expected, tuple | list | dict):
        return kind(expected)
    kinds = {Tensor: "a tensor", bool: "True or False", int: "an integer", float: "a number"}
    return kinds.get(type(expected)) or ("a text" if isinstance(expected, str) else kind(expected))


def kind(value: Any) -> str:
    """Return words for the kind of value that was given."""
    if isinstance(value, Other):
        return f"a {value.type} {value.text}".strip()
    if isinstance(value, Tensor):
        return f"a tensor of shape {sized(value)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of length {len(value)}"
    if isinstance(value, dict):
        return f"a dict of {len(value)} entries" if value else "an empty dict"
    if isinstance(value, str):
        return f"the text {short(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"a plain number, {value}"
    return short(value)


def short(value: Any) -> str:
    """Return a value in part of a line."""
    text = clean(repr(value))
    return text if len(text) <= SHORT else f"{text[: SHORT - 2]} …"


def family(value: Any) -> type:
    """Return the type a value counts as: a list is as good as a tuple, an int as a float."""
    if isinstance(value, Other):
        return Other
    return tuple if isinstance(value, list) else type(value)


def hint(yours: Any, expected: Any) -> str:
    """Return how to convert a value of the wrong kind."""
    if isinstance(expected, Tensor) and isinstance(yours, list | tuple):
        return " (torch.stack or torch.tensor converts it)"
    if isinstance(yours, Tensor) and isinstance(expected, bool):
        return " (bool(...) gives True or False)"
    if isinstance(yours, Tensor) and isinstance(expected, int | float):
        return " (.item() gives a number)"
    if isinstance(yours, Tensor) and isinstance(expected, list | tuple):
        return " (.tolist() gives a list)"
    if type(yours) is float and type(expected) is int:
        return " (// divides without a remainder)"
    if isinstance(yours, Other) and yours.type in ("builtin_function_or_method", "method"):
        return " (are the parentheses of a call missing?)"
    return ""

"""Refusals of functions, and of parts, that cannot be called as they will be."""

from collections.abc import Sequence
from inspect import signature

from torch import nn

#: What a part is made of, in order or by name; if neither says so, of d_model by name.
GIVEN = {"tokens": ("vocabulary", "d_model"), "output": ("tokens",), "initialise": ("module",)}
NAMED = dict.fromkeys(GIVEN, ()) | {
    "attention": ("d_model", "heads"),
    "feed_forward": ("d_model", "d_ff"),
    "residual": ("norm", "dropout"),
}


def check_function(name: str, function: object, *given: str, named: Sequence[str] = ()) -> None:
    """Refuse what cannot be called, or not with what it will be given, in order and by name."""
    call = f"{name}({', '.join([*given, *(f'{key}={key}' for key in named)])})"
    if not callable(function):
        raise TypeError(
            f"{name} must be a function, for a call {call}, but is {function!r}. Give the function "
            f"itself, not what it returns."
        )
    try:
        takes = signature(function)
    except ValueError:
        return  # what is written in C does not tell
    try:
        takes.bind(*given, **dict.fromkeys(named))
    except TypeError as error:
        raise TypeError(
            f"{name} must allow the call {call}, but {getattr(function, '__name__', function)} "
            f"takes {takes}: {error}. functools.partial can set what is missing."
        ) from None


def check_parts(**parts: object) -> None:
    """Refuse what does not make a module of what it will be given: `GIVEN`, `NAMED`."""
    for name, part in parts.items():
        if isinstance(part, nn.Module) or not callable(part):
            kind = type(part).__name__
            made = f"a {kind} itself. Leave out the brackets behind it"
            raise TypeError(
                f"{name} must be a class or a functools.partial of one, from which modules are "
                f"made, but is {made if isinstance(part, nn.Module) else repr(part)}."
            )
        check_function(name, part, *GIVEN.get(name, ()), named=NAMED.get(name, ("d_model",)))

"""Remembered results: known mistakes ask a model the same questions again and again."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Remember a function's results per object and further arguments, while the object lives.

    Callers must not write into the results.
    """
    known: WeakKeyDictionary[Any, dict[tuple[Hashable, ...], Any]] = WeakKeyDictionary()

    @wraps(function)
    def asked(thing: Any, *rest: Hashable) -> Any:
        of = known.setdefault(thing, {})
        if rest not in of:
            of[rest] = function(thing, *rest)
        return of[rest]

    return asked

"""What is computed of something, found out once: known mistakes ask a model the same again."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary


def cached(function: Callable[..., Any]) -> Callable[..., Any]:
    """Remember what a function gives of each thing and the values after it, while the thing lives.

    Whoever asks must not write into what is given.
    """
    known: WeakKeyDictionary[Any, dict[tuple[Hashable, ...], Any]] = WeakKeyDictionary()

    @wraps(function)
    def asked(thing: Any, *rest: Hashable) -> Any:
        of = known.setdefault(thing, {})
        if rest not in of:
            of[rest] = function(thing, *rest)
        return of[rest]

    return asked

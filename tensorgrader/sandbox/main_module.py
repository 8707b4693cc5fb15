"""The start of a notebook: a main module, and the names in it.

Loaded by path into a worker, so it imports the standard library only.
"""

import sys
import types
from typing import Any


class Harmless:
    """A stand-in for a notebook's own tools: it accepts any call, and does nothing."""

    def __call__(self, *args: Any, **options: Any) -> "Harmless":
        """Do nothing."""
        return self

    def __getattr__(self, name: str) -> "Harmless":
        """Return itself for every attribute except special methods."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def main_module() -> dict[str, Any]:
    """Create a main module for a notebook; return its names."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    return vars(main)


def first_names() -> dict[str, Any]:
    """Return the names that exist when a notebook starts."""
    return {"__name__": "__main__", "display": Harmless(), "get_ipython": Harmless()}


def keep_first(names: dict[str, Any]) -> None:
    """Remove all names but those that exist when a notebook starts."""
    names.clear()
    names |= first_names()

"""What a notebook begins with: a main module, and the names in it.

Loaded by path into a worker, so it imports the standard library only.
"""

import sys
import types
from typing import Any


class Harmless:
    """What stands for a notebook's own tools: it takes any call, and does nothing."""

    def __call__(self, *args: Any, **options: Any) -> "Harmless":
        """Do nothing."""
        return self

    def __getattr__(self, name: str) -> "Harmless":
        """Return itself for whatever is asked of it, special methods apart."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def main_module() -> dict[str, Any]:
    """Make another main module, for a notebook; give its names."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    return vars(main)


def first_names() -> dict[str, Any]:
    """Return the names that a notebook begins with."""
    return {"__name__": "__main__", "display": Harmless(), "get_ipython": Harmless()}


def keep_first(names: dict[str, Any]) -> None:
    """Keep only the names that a notebook begins with."""
    names.clear()
    names |= first_names()

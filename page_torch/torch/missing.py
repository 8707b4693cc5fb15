"""What PyTorch has and the page doesn't: the exception, and stand-ins for absent names."""

from collections.abc import Callable
from typing import Any, NoReturn

from .names import NAMES


class NotOnThisPage(BaseException):
    """A feature that PyTorch has and this page doesn't: no mistake of the learner.

    Not an Exception, so that `except Exception` doesn't catch it.
    """


def missing(what: str) -> NotOnThisPage:
    """Return the exception that says what is missing and how to go on."""
    way = "it is not your mistake; try another way, or open the notebook"
    return NotOnThisPage(f"this page's small PyTorch has no {what}; {way}")


class Absent:
    """A stand-in for a name of PyTorch until it is used: it may be imported, or annotate."""

    def __init__(self, name: str):
        """Store its name."""
        self._name = name

    def __getattr__(self, name: str) -> "Absent":
        """Return an attribute, which is absent, too."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise NotOnThisPage."""
        raise missing(self._name)

    def __mro_entries__(self, bases: tuple) -> tuple:
        """Allow subclasses to be defined."""
        return (object,)

    def __or__(self, other: Any) -> "Absent":
        """Return itself in annotations such as `Absent | None`."""
        return self

    __ror__ = __or__


def absent_from(place: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module, whose names in PyTorch are listed."""
    module = f"torch.{place}".rstrip(".")

    def absent(name: str) -> Any:
        if name in NAMES[place]:
            return Absent(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return absent

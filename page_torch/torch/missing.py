"""What PyTorch has and the page does not: the exception, and what stands for absent names."""

from collections.abc import Callable
from typing import Any, NoReturn

from .names import NAMES


class NotOnThisPage(BaseException):
    """Something that PyTorch has and this page has not: no mistake of the learner's.

    Not an Exception, so that `except Exception` lets it through.
    """


#: In the names of what computes gradients, or learns by them.
LEARNS = ("autograd", "backward", "optim")


def missing(what: str) -> NotOnThisPage:
    """Return the exception that says what is missing and how to go on."""
    way = "try another way, or open the notebook"
    if any(word in what for word in LEARNS):
        way = "it computes no gradients: open the notebook"
    return NotOnThisPage(f"this page's small PyTorch has no {what}; it is no mistake; {way}")


class Absent:
    """Stands for something of PyTorch's until it is used: it may be imported, or annotate."""

    def __init__(self, name: str):
        """Take its name."""
        self._name = name

    def __getattr__(self, name: str) -> "Absent":
        """Return what is within, which is absent, too."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Raise NotOnThisPage."""
        raise missing(self._name)

    def __mro_entries__(self, bases: tuple) -> tuple:
        """Let classes be derived of it, as far as their definition goes."""
        return (object,)

    def __or__(self, other: Any) -> "Absent":
        """Stay in annotations such as `Absent | None`."""
        return self

    __ror__ = __or__


def absent_from(place: str) -> Callable[[str], Any]:
    """Make the `__getattr__` of a module, whose names in PyTorch are listed."""
    module = f"torch.{place}".rstrip(".")

    def absent(name: str) -> Any:
        if name in NAMES[place]:
            return Absent(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return absent

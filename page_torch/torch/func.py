"""Functions of functions: none is implemented; an import raises when it is used."""

from .missing import Absent


def __getattr__(name: str) -> Absent:
    """Return a stand-in that raises when it is used."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"torch.func.{name}")

"""Functions of functions, of which there are none: what is imported says so when it is used."""

from .missing import Absent


def __getattr__(name: str) -> Absent:
    """Return what says that it is missing."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"torch.func.{name}")

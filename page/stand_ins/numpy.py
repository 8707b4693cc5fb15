"""No NumPy: the page's Python is the standard library and a small PyTorch.

Two names exist: types that no value on the page has.
"""

from torch.missing import missing  # type: ignore[import-not-found]


class generic:  # noqa: N801 -- NumPy's name
    """The type of NumPy's numbers."""


class ndarray:  # noqa: N801 -- NumPy's name
    """The type of NumPy's arrays."""


def __getattr__(name: str) -> object:
    """Raise an error that says that the page has no NumPy."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"numpy.{name}")

"""The storage of a tensor, and a storage without numbers."""

import math
from collections.abc import Sequence
from typing import Any

from .missing import missing

ON_META = "numbers of tensors on the device 'meta'"
LARGEST = 4_000_000  # the maximum of numbers that are computed one by one


class Storage(list):
    """The numbers themselves, and how often they were modified."""

    version = 0


class Nowhere(Storage):
    """No numbers: for the device "meta", and for too large tensors.

    Shapes and dtypes of results are known, and from which step they come; reading a number raises.
    """

    #: The name of a function of numbers, what it was given, along which axes, and the shape.
    step: tuple[str, Sequence[Any], Sequence[int], Sequence[int]] | None = None

    def __init__(self, what: str):
        """Store what would be missing."""
        super().__init__()
        self.what = what

    def __bool__(self) -> bool:
        """Return True."""
        return True

    def __getitem__(self, *_: Any) -> Any:
        """Raise NotOnThisPage."""
        raise missing(self.what)

    __iter__ = __len__ = __setitem__ = __getitem__


def too_many(shape: Sequence[int]) -> Nowhere | None:
    """Return a storage without numbers if there would be too many of them."""
    count = math.prod(shape)
    return Nowhere(f"tensors of {count:,} numbers") if count > LARGEST else None

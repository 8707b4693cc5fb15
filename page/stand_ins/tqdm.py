"""No progress bar: nothing on the page takes that long."""

from collections.abc import Iterable
from typing import Any


def tqdm(iterable: Iterable | None = None, *_: Any, **__: Any) -> Iterable:
    """Return what is iterated over."""
    return () if iterable is None else iterable

"""`torch.random`: the default random generator."""

import contextlib
from collections.abc import Iterator
from typing import Any

from .generator import DEFAULT
from .random_tensors import manual_seed

__all__ = ["fork_rng", "manual_seed"]


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Restore the generator's state afterwards."""
    before = DEFAULT.state()
    try:
        yield
    finally:
        if enabled:
            DEFAULT.restore(before)

"""`torch.random`: the default stream of random numbers."""

import contextlib
from collections.abc import Iterator
from typing import Any

from .drawing import initial_seed, manual_seed, seed
from .generator import DEFAULT

__all__ = ["fork_rng", "initial_seed", "manual_seed", "seed"]


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """Go back afterwards to where the stream was."""
    before = DEFAULT.state()
    try:
        yield
    finally:
        if enabled:
            DEFAULT.restore(before)

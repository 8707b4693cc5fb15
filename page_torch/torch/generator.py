"""Random numbers as in PyTorch: Mersenne Twister, and its two ways to a normal distribution.

Sources: `CPUGeneratorImpl.cpp`, `DistributionsHelper.h` and `DistributionTemplates.h` of ATen.
"""

import math
import random
from array import array
from typing import Any

from .dtypes import FLOAT32, FLOAT64, dtype
from .missing import missing
from .rounding import keep

FIRST_SEED = 67280421310721


class Generator:
    """A stream of random numbers."""

    def __init__(self, device: Any = "cpu"):
        """Seed the generator with PyTorch's default seed."""
        self.device = device
        self._twister = random.Random()
        self.manual_seed(FIRST_SEED)

    def manual_seed(self, seed: int) -> "Generator":
        """Seed the generator."""
        if not -(2**63) <= seed < 2**64:
            raise RuntimeError("a seed has to be an integer of 64 bits")
        words = [seed & 0xFFFFFFFF]
        for n in range(1, 624):
            words.append((1812433253 * (words[-1] ^ words[-1] >> 30) + n) & 0xFFFFFFFF)
        self._twister.setstate((3, (*words, 624), None))
        self._next: float | None = None
        return self

    def state(self) -> tuple:
        """Return the state for `restore`."""
        return self._twister.getstate(), self._next

    def restore(self, state: tuple) -> None:
        """Restore an earlier state."""
        twister, self._next = state
        self._twister.setstate(twister)

    def words(self, count: int) -> array:
        """Draw 32-bit integers."""
        if not count:
            return array("I")
        return array("I", self._twister.getrandbits(32 * count).to_bytes(4 * count, "little"))

    def long_words(self, count: int) -> list[int]:
        """Draw 64-bit integers."""
        words = self.words(2 * count)
        return [words[2 * n] << 32 | words[2 * n + 1] for n in range(count)]

    def uniform(self, count: int, kind: dtype) -> list[float]:
        """Draw from [0, 1), in double or single precision, which is rounded to half."""
        if kind is FLOAT64:
            return [(word & (1 << 53) - 1) * 2.0**-53 for word in self.long_words(count)]
        drawn = [(word & (1 << 24) - 1) * 2.0**-24 for word in self.words(count)]
        return drawn if kind is FLOAT32 else keep(drawn, kind)

    def normal(self, count: int, kind: dtype) -> list[float]:
        """Draw from N(0, 1): sixteen at a time, or fewer in pairs."""
        if count < 16:
            return [self._one() for _ in range(count)]
        if kind.itemsize == 2:
            raise missing(f"{count} random numbers of a bell curve in {kind}; draw float32")
        drawn = self.uniform(count, kind)
        for start in range(0, count - 15, 16):
            _bend(drawn, start)
        if count % 16:
            drawn[-16:] = self.uniform(16, kind)
            _bend(drawn, count - 16)
        return drawn

    def _one(self) -> float:
        if self._next is not None:
            kept, self._next = self._next, None
            return kept
        u, v = self.uniform(2, FLOAT64)
        radius, angle = math.sqrt(-2 * math.log1p(-v)), 2 * math.pi * u
        self._next = radius * math.sin(angle)
        return radius * math.cos(angle)


def _bend(drawn: list[float], start: int) -> None:
    """Convert sixteen uniform numbers to normal ones, by the Box-Muller method."""
    for n in range(start, start + 8):
        radius, angle = math.sqrt(-2 * math.log(1 - drawn[n])), 2 * math.pi * drawn[n + 8]
        drawn[n], drawn[n + 8] = radius * math.cos(angle), radius * math.sin(angle)


DEFAULT = Generator()

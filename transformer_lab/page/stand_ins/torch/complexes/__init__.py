"""Complex numbers, as rotary positions use them: made of floats, multiplied, and read as floats.

A complex tensor shows pairs of floats, the last axis of another tensor: `view_as_real`. What is
defined here computes with those, as PyTorch's kernels do. It is found by a mode, which begins to
hear of operations when the first complex tensor is made; whatever else is asked of one is missing.
"""

from . import arithmetic, making, shapes
from .pairs import computed

__all__ = ["arithmetic", "computed", "making", "shapes"]

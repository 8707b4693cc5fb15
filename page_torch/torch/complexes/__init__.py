"""Complex numbers, as rotary positions use them: made of floats, multiplied, and read as floats.

A complex tensor shows pairs of floats, the last axis of another tensor: `view_as_real`. What is
defined here computes with those, as PyTorch's kernels do. Every operation looks here if one of its
arguments is complex (`operation.called`); whatever else is asked of a complex tensor is missing.
"""

from . import arithmetic, making, shapes

__all__ = ["arithmetic", "making", "shapes"]

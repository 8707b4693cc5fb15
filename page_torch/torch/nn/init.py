"""Initialisation of parameters."""

import math
from statistics import NormalDist
from typing import Any

from ..graph import no_grad
from ..missing import absent_from, missing
from ..tensor import Tensor


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with draws from a normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with draws from a to b."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Fill with draws from a normal distribution, drawn again where they are not from a to b."""
    normal = NormalDist(mean, std)
    if normal.cdf(b) - normal.cdf(a) <= 0.3:  # PyTorch draws in another way
        raise missing("nn.init.trunc_normal_ with bounds so narrow")
    drawn = tensor.normal_(mean, std, generator=generator)
    while (beyond := (drawn < a) | (drawn > b)).any():
        again = drawn.clone().normal_(mean, std, generator=generator)
        drawn = again.where(beyond, drawn)
    return tensor.copy_(drawn)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with draws of a variance that layers preserve (Glorot and Bengio 2010)."""
    bound = gain * math.sqrt(6 / (tensor.shape[0] + tensor.shape[1]))
    return uniform_(tensor, -bound, bound, generator)


__getattr__ = absent_from("nn.init")

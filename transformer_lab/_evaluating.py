"""A model in evaluation mode for a while."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(parts: Iterable[nn.Module]) -> Iterator[None]:
    """Switch off dropout in these modules, and gradients; restore every module afterwards.

    `model.modules()` are all parts of a model. Collecting them takes longer than a small step, so a
    loop does it once.
    """
    training = [part for part in parts if part.training]
    try:
        for part in training:
            part.training = False
        with torch.no_grad():
            yield
    finally:
        for part in training:
            part.training = True

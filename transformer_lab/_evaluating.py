"""A model as it is when it is used and not trained."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(parts: Iterable[nn.Module]) -> Iterator[None]:
    """Switch dropout of these modules and gradients off; afterwards every part is as it was.

    `model.modules()` are all parts of a model. To walk them takes longer than a small step, so a
    loop lists them once.
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

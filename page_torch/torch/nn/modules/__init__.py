"""`torch.nn.modules`: the same classes, and the module that defines `Module`."""

from .. import module

__all__ = ["module"]

"""`torch.nn.functional`: what `activations`, `layers` and `losses` define."""

from .. import activations, layers, losses
from ..missing import absent_from
from ..operation import FUNCTIONAL

__all__ = ["activations", "layers", "losses"]
globals().update(FUNCTIONAL)
__getattr__ = absent_from("nn.functional")

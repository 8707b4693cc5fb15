"""`torch.nn.utils`: none of it is here."""

from ..missing import absent_from

__getattr__ = absent_from("nn.utils")

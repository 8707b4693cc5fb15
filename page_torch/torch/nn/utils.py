"""`torch.nn.utils`: none of it is here."""

from ..absent import absent_from

__getattr__ = absent_from("nn.utils")

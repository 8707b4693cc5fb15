"""`torch.nn.utils`: nothing of it is implemented."""

from ..missing import absent_from

__getattr__ = absent_from("nn.utils")

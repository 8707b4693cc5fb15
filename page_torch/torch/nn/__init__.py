"""Modules, as far as the exercises need them: definitions, parameters, a forward pass."""

from ..missing import absent_from
from . import functional, init, modules, parameter, utils
from .containers import Identity, ModuleList, Sequential
from .layers import (
    GELU,
    CrossEntropyLoss,
    Dropout,
    Embedding,
    LayerNorm,
    Linear,
    LogSoftmax,
    ReLU,
    RMSNorm,
    SiLU,
    Softmax,
)
from .module import Module
from .parameter import Parameter

__all__ = [
    "GELU", "CrossEntropyLoss", "Dropout", "Embedding", "Identity", "LayerNorm", "Linear",
    "LogSoftmax", "Module", "ModuleList", "Parameter", "RMSNorm", "ReLU", "Sequential", "SiLU",
    "Softmax", "functional", "init", "modules", "parameter", "utils",
]  # fmt: skip
__getattr__ = absent_from("nn")

"""Modules, as far as the exercises need them: definitions, parameters, a pass forward."""

from ..absent import absent_from
from . import functional, init, modules, parameter, utils
from .containers import Identity, ModuleDict, ModuleList, Sequential
from .layers import (
    GELU,
    CrossEntropyLoss,
    Dropout,
    Embedding,
    Flatten,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSoftmax,
    MSELoss,
    NLLLoss,
    ReLU,
    RMSNorm,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from .module import Module
from .parameter import Buffer, Parameter

__all__ = [
    "GELU", "Buffer", "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "Identity",
    "LayerNorm", "LeakyReLU", "Linear", "LogSoftmax", "MSELoss", "Module", "ModuleDict",
    "ModuleList", "NLLLoss", "Parameter", "RMSNorm", "ReLU", "Sequential", "SiLU", "Sigmoid",
    "Softmax", "Softplus", "Tanh", "functional", "init", "modules", "parameter", "utils",
]  # fmt: skip
__getattr__ = absent_from("nn")

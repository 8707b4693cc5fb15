"""Functions of `torch.nn.functional` that transform numbers one by one, or along an axis."""

import math
from typing import Any

from .along_axis import log_softmax as _log_softmax
from .along_axis import softmax as _softmax
from .dtypes import dtype, only_floats
from .elementwise import mapped
from .in_place import write
from .missing import missing
from .operation import functional
from .tensor import Tensor, numbers
from .unary import relu as _relu
from .unary import sigmoid as _sigmoid
from .unary import sigmoid_of
from .unary import tanh as _tanh


def _changed(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """Return a result, or write it into the tensor that it was computed from."""
    return write(input, numbers(result), result) if inplace else result


@functional
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return _changed(input, _relu(input), inplace)


@functional
def sigmoid(input: Tensor) -> Tensor:
    return _sigmoid(input)


@functional
def tanh(input: Tensor) -> Tensor:
    return _tanh(input)


@functional
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    only_floats("GeluKernelImpl", input.dtype)
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return mapped(input, _gelu_by_tanh if approximate == "tanh" else _gelu)


def _gelu(v: float) -> float:
    return v * 0.5 * (1 + math.erf(v * math.sqrt(0.5)))


def _gelu_by_tanh(v: float) -> float:
    return 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v * v * v)))


@functional
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    only_floats("silu_cpu", input.dtype)
    return _changed(input, mapped(input, _silu), inplace)


def _silu(v: float) -> float:
    return v * sigmoid_of(v)


@functional
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    only_floats("softplus_cpu", input.dtype)

    def _softplus(v: float) -> float:
        return v if v * beta > threshold else math.log1p(math.exp(v * beta)) / beta

    return mapped(input, _softplus) if beta == 1 else mapped(input, lambda v: _softplus(v))


@functional
def logsigmoid(input: Tensor) -> Tensor:
    only_floats("log_sigmoid_cpu", input.dtype)
    return mapped(input, _logsigmoid)


def _logsigmoid(v: float) -> float:
    return min(v, 0.0) - math.log1p(math.exp(-abs(v)))


@functional
def glu(input: Tensor, dim: int = -1) -> Tensor:
    if not input.shape:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if input.shape[dim] % 2:
        raise RuntimeError(
            f"glu: the size of the halved dimension must be even, but it is {input.shape[dim]}"
        )
    only_floats("glu_cpu", input.dtype)
    first, second = input.chunk(2, dim)
    return first * _sigmoid(second)


def _usual_axis(input: Tensor) -> int:
    """Return PyTorch's default axis, after a warning."""
    return 0 if len(input.shape) in (0, 1, 3) else 1


@functional
def softmax(
    input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    return _softmax(input, _usual_axis(input) if dim is None else dim, dtype)


@functional
def log_softmax(
    input: Tensor, dim: Any = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    return _log_softmax(input, _usual_axis(input) if dim is None else dim, dtype)


@functional
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if training and p:
        raise missing("dropout while training")
    return input

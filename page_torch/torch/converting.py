"""Describe and convert tensors: sizes, copies, other dtypes, Python's numbers and lists."""

from typing import Any

from .descriptions import contiguous_format, is_meta
from .descriptions import device as Device
from .dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    dtype,
)
from .dtypes import dtype as Kind
from .elementwise import laid_as, rounded_as
from .missing import missing
from .operation import method, named, operation, torch_function
from .tensor import Tensor, copied, numbers, over, real_axis, unknown, without_numbers
from .tensor import item as only


@method
def dim(input: Tensor) -> int:
    return len(input.shape)


@method
def size(input: Tensor, dim: Any = None) -> Any:
    return input.shape if dim is None else input.shape[real_axis(input, dim)]


@operation
def numel(input: Tensor) -> int:
    return input.shape.numel()


@method
def data_ptr(input: Tensor) -> int:
    return id(input._storage) + input._offset * input.dtype.itemsize


@operation
def is_floating_point(input: Tensor) -> bool:
    return input.dtype.is_floating_point


@operation
def is_complex(input: Tensor) -> bool:
    return False


@method
def item(input: Tensor) -> Any:
    return only(input)


@method
def tolist(input: Tensor) -> Any:
    flat: list = numbers(input)
    if not input.shape:
        return flat[0]
    for n in range(len(input.shape) - 1, 0, -1):
        size, count = input.shape[n], input.shape[:n].numel()
        flat = [flat[i * size : (i + 1) * size] for i in range(count)]
    return flat


@operation
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    if nowhere := unknown(input):
        step = ("copy", [input], ())
        return without_numbers(nowhere, input.shape, input.dtype, (input,), step)
    strides = None if memory_format is contiguous_format else laid_as(input)
    return copied(input, input.shape, strides)


@operation
def detach(input: Tensor) -> Tensor:
    return over(input._storage, input.shape, input._strides, input._offset, input.dtype)


@method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    self.requires_grad = requires_grad
    return self


@method
def to(
    input: Tensor, *args: Any, dtype: dtype | None = None, device: Any = None, copy: bool = False
) -> Tensor:
    kind, place = dtype, device
    for given in args:
        if isinstance(given, Tensor):
            kind = given.dtype
        elif isinstance(given, Kind):
            kind = given
        elif isinstance(given, str | Device):
            place = given
        elif isinstance(given, bool):
            copy = copy or (given is args[-1] and len(args) > 2 and given)
        elif given is not None:
            raise TypeError(f"to() received an invalid combination of arguments: {given!r}")
    if place is not None and is_meta(place) and not input.is_meta:
        raise missing("moves to the device 'meta'")
    if kind is None or kind is input.dtype:
        return clone(input) if copy else input
    return rounded_as(input, kind)


@method
def type(input: Tensor, dtype: Any = None) -> Any:
    if dtype is None:
        return f"torch.{input.dtype.spoken}Tensor"
    return to(input, dtype)


@method
def cpu(input: Tensor) -> Tensor:
    return input


@method
def numpy(input: Tensor, *, force: bool = False) -> Any:
    raise missing("numpy")


def _cast(name: str, kind: dtype) -> None:
    def apply(input: Tensor) -> Tensor:
        return rounded_as(input, kind)

    method(named(name)(apply))


for _name, _kind in {
    "float": FLOAT32, "double": FLOAT64, "half": FLOAT16, "bfloat16": BFLOAT16, "long": INT64,
    "int": INT32, "short": INT16, "char": INT8, "byte": UINT8, "bool": BOOL,
}.items():  # fmt: skip
    _cast(_name, _kind)


@torch_function
def get_default_dtype() -> Kind:
    return FLOAT32


@torch_function
def is_autocast_enabled(device_type: str = "cpu") -> bool:
    return False

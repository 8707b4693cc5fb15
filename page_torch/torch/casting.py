"""What a tensor is and what it becomes: copies, other types, numbers and lists of Python's."""

from typing import Any

from .dtypes import (
    ALL,
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
from .elementwise import arranged_as, rounded_as
from .kinds import device as Device
from .kinds import is_meta
from .layout import is_dense
from .missing import missing
from .operation import method, named, operation, torch_function
from .tensor import Tensor, axis, new, numbers, over
from .tensor import item as only


@method
def dim(input: Tensor) -> int:
    return len(input.shape)


@method
def ndimension(input: Tensor) -> int:
    return len(input.shape)


@method
def size(input: Tensor, dim: Any = None) -> Any:
    return input.shape if dim is None else input.shape[_an_axis(input, dim)]


@method
def stride(input: Tensor, dim: Any = None) -> Any:
    return input._strides if dim is None else input._strides[_an_axis(input, dim)]


def _an_axis(x: Tensor, dim: Any) -> int:
    if not x.shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return axis(x, dim)


@operation
def numel(input: Tensor) -> int:
    return input.shape.numel()


@method
def nelement(input: Tensor) -> int:
    return input.shape.numel()


@method
def element_size(input: Tensor) -> int:
    return input.dtype.itemsize


@method
def storage_offset(input: Tensor) -> int:
    return input._offset


@method
def data_ptr(input: Tensor) -> int:
    return id(input._storage) + input._offset * input.dtype.itemsize


@operation
def is_floating_point(input: Tensor) -> bool:
    return input.dtype.is_floating_point


@operation
def is_complex(input: Tensor) -> bool:
    return False


@operation
def is_signed(input: Tensor) -> bool:
    return input.dtype.is_signed


@torch_function
def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


@method
def get_device(input: Tensor) -> int:
    return -1


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
    if memory_format is not None and repr(memory_format) == "torch.contiguous_format":
        return new(numbers(input), input.shape, input.dtype, (input,))
    if is_dense(tuple(input.shape), input._strides):
        span = input._storage[input._offset : input._offset + input.shape.numel()]
        copied = new(span, input.shape, input.dtype, (input,))
        copied._strides = input._strides
        return copied
    return arranged_as(input, numbers(input), input.dtype, (input,))


@operation
def detach(input: Tensor) -> Tensor:
    return over(input._storage, input.shape, input._strides, input._offset, input.dtype)


@method
def detach_(self: Tensor) -> Tensor:
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using "
            "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
            "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
            "these gradients."
        )
    self._node, self._wants = None, False
    return self


@method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    self.requires_grad = requires_grad
    return self


@method
def retain_grad(self: Tensor) -> None:
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")


@method
def to(
    input: Tensor, *args: Any, dtype: dtype | None = None, device: Any = None,
    non_blocking: bool = False, copy: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
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
    if isinstance(dtype, str):
        spoken = dtype.removeprefix("torch.").removesuffix("Tensor")
        dtype = next(kind for kind in ALL.values() if kind.spoken == spoken)
    return to(input, dtype)


@method
def type_as(input: Tensor, other: Tensor) -> Tensor:
    return to(input, other.dtype)


@method
def cpu(input: Tensor) -> Tensor:
    return input


@method
def cuda(input: Tensor, device: Any = None) -> Tensor:
    raise missing("device 'cuda'")


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


@method
def is_set_to(input: Tensor, tensor: Tensor) -> bool:
    mine, theirs = ((x._storage, x.shape, x._strides, x._offset) for x in (input, tensor))
    return mine[0] is theirs[0] and mine[1:] == theirs[1:]


@method
def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.shape == other.shape


@method
def share_memory_(self: Tensor) -> Tensor:
    return self

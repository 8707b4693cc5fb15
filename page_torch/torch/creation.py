"""Create tensors: from nested lists, or filled with one number."""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from .descriptions import is_meta
from .dtypes import FLOAT32, INT64, dtype, promote_types, type_of
from .dtypes import dtype as Kind
from .layout import contiguous_strides, result_strides
from .missing import missing
from .operation import method, torch_function
from .rounding import check_fills, check_fits, keep
from .storage import ON_META, Nowhere, Storage, too_many
from .tensor import Tensor, item, new, numbers, over, sizes, without_numbers


def made(values: list, shape: Sequence[int], kind: dtype, wants: bool, device: Any) -> Tensor:
    """Return a leaf tensor, which may require gradients."""
    tensor = new(values, shape, kind)
    if is_meta(device):
        tensor._storage = Nowhere(ON_META)
    if wants:
        tensor.requires_grad = True
    return tensor


def read(data: Any) -> tuple[list, list[int], Kind]:
    """Read nested lists: numbers in row-major order, the shape, and the common dtype."""
    flat: list = []
    shape: list[int] = []
    kinds: set[Any] = set()  # dtypes of tensors, and Python's classes

    def deeper(part: Any, depth: int) -> None:
        if isinstance(part, Tensor) and part.shape:
            part = list(part)
        if isinstance(part, list | tuple | range):
            if len(shape) == depth:
                if flat:
                    raise TypeError(f"not a sequence, but {len(shape)} axes deep")
                shape.append(len(part))
            elif shape[depth] != len(part):
                raise ValueError(
                    f"expected sequence of length {shape[depth]} at dim {depth} (got {len(part)})"
                )
            for inner in part:
                deeper(inner, depth + 1)
            return
        kinds.add(part.dtype if isinstance(part, Tensor) else type(part))
        number = item(part) if isinstance(part, Tensor) else part
        _check_number(number, nested=bool(shape))
        if len(shape) != depth:
            raise TypeError(f"must be a sequence, not {type(part).__name__}")
        flat.append(number)

    deeper(data, 0)
    found = [kind if isinstance(kind, Kind) else type_of(kind()) for kind in kinds]
    return flat, shape, reduce(promote_types, found) if found else FLOAT32


def _check_number(value: Any, nested: bool) -> None:
    """Raise RuntimeError for anything but a number, TypeError for strings in lists."""
    if isinstance(value, complex):
        raise missing("complex numbers")
    if isinstance(value, str) and nested:
        raise TypeError("new(): invalid data type 'str'")
    if not isinstance(value, bool | int | float):
        raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


@torch_function
def tensor(
    data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    if isinstance(data, Tensor):
        kind = dtype or data.dtype
        return made(keep(numbers(data), kind), data.shape, kind, requires_grad, device)
    flat, shape, found = read(data)
    kind = dtype or found
    if kind.kind == 1:
        for value in flat:
            check_fits(value, kind, kind.name)
    return made(keep(flat, kind), shape, kind, requires_grad, device)


@torch_function
def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else data.to(dtype)
    return tensor(data, dtype=dtype, device=device)


@torch_function
def asarray(obj: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    if isinstance(obj, Tensor) and obj.requires_grad and dtype and not dtype.is_floating_point:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return as_tensor(obj, dtype, device)


def _filling(name: str, value: Any) -> Any:
    """Return the fill value. Raises TypeError for a tensor that requires gradients."""
    if isinstance(value, Tensor) and value.requires_grad:
        raise TypeError(f"{name}(): argument 'fill_value' (position 2) must be Number, not Tensor")
    return item(value) if isinstance(value, Tensor) else value


@torch_function
def full(
    size: Any, fill_value: Any, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    value = _filling("full", fill_value)
    kind = dtype or type_of(value)
    shape = sizes((tuple(size),) if not isinstance(size, int) else (size,))
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    return alike(shape, value, kind, requires_grad, device)


def alike(
    shape: Sequence[int], value: Any, kind: dtype, wants: bool = False, device: Any = None
) -> Tensor:
    """Return a tensor filled with one number."""
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    check_fills(value, kind, math.prod(shape))
    nowhere = Nowhere(ON_META) if is_meta(device) else too_many(shape)
    if nowhere:
        tensor = without_numbers(nowhere, shape, kind)
        tensor.requires_grad = wants
        return tensor
    return made(keep([value], kind) * math.prod(shape), shape, kind, wants, device)


def _filled(name: str, value: int) -> None:
    """Define `torch.NAME`, `torch.NAME_like` and `Tensor.new_NAME`, filled with one number."""

    def fill(
        *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        if not size:
            raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
        return alike(sizes(size), value, dtype or FLOAT32, requires_grad, device)

    def fill_like(
        input: Tensor, *, dtype: dtype | None = None, device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        return like(input, value, dtype, requires_grad, device)

    def fill_new(
        self: Tensor, *size: Any, dtype: dtype | None = None, device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        return alike(sizes(size), value, dtype or self.dtype, requires_grad, device)

    fill.__name__, fill_like.__name__, fill_new.__name__ = name, f"{name}_like", f"new_{name}"
    torch_function(fill)
    torch_function(fill_like)
    method(fill_new)


for _name, _value in {"zeros": 0, "ones": 1, "empty": 0}.items():
    _filled(_name, _value)


def like(
    input: Tensor, value: Any, kind: dtype | None, wants: bool = False, device: Any = None
) -> Tensor:
    """Return a tensor of one number with the shape and the memory layout of another."""
    kind, shape = kind or input.dtype, tuple(input.shape)
    result = alike(shape, value, kind, wants, device or input.device)
    result._strides = result_strides(shape, input._strides)
    return result


@torch_function
def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    value = _filling("full_like", fill_value)
    return like(input, value, dtype, requires_grad, device)


@method
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    value = _filling("new_full", fill_value)
    return alike(sizes((tuple(size),)), value, dtype or self.dtype, requires_grad, device)


@method
def new_tensor(
    self: Tensor, data: Any, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


def whole_or_float(*values: Any) -> dtype:
    """Return the dtype of a range between such numbers."""
    return FLOAT32 if any(isinstance(v, float) for v in values) else INT64


def plain_number(value: Any) -> Any:
    """Return a number, also from a tensor of one."""
    if isinstance(value, Tensor):
        return item(value)
    if not isinstance(value, bool | int | float):
        raise TypeError(f"expected a number, but got {type(value).__name__}")
    return value


def bare(shape: Sequence[int], kind: dtype) -> Tensor:
    """Return zeros without any checks."""
    count = math.prod(shape)
    return over(Storage(keep([0], kind) * count), shape, contiguous_strides(tuple(shape)), 0, kind)

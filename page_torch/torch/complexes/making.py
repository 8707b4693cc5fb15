"""From floats to complex numbers."""

from ..arithmetic import mul
from ..dtypes import FLOAT16
from ..elementwise import together
from ..missing import missing
from ..operation import TENSOR, named, torch_function
from ..tensor import Tensor, show
from .pairs import TYPES, Complex, joined, over

cos, sin = (TENSOR[name].__wrapped__ for name in ("cos", "sin"))


@torch_function
def view_as_complex(input: Tensor) -> Complex:
    if input.dtype not in (FLOAT16, *TYPES):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {input.dtype.spoken}"
        )
    if not input.shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    *steps, last = input._strides
    if last != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in steps):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input._offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    _check_wide(input)
    return over(show(input, input.shape, input._strides))


@torch_function
def view_as_real(input: Tensor) -> Tensor:
    raise RuntimeError("view_as_real is only supported for complex tensors")


@torch_function
@named("complex")
def of_parts(real: Tensor, imag: Tensor) -> Complex:
    _check_parts(real, imag)
    parts = (lambda a, _: a), (lambda _, b: b)
    return joined(*(together(part, (real, imag), real.dtype) for part in parts))


@torch_function
def polar(abs: Tensor, angle: Tensor) -> Complex:
    _check_parts(abs, angle)
    return joined(mul(abs, cos(angle)), mul(abs, sin(angle)))


def _check_parts(one: Tensor, other: Tensor) -> None:
    """Refuse what cannot be parts of complex numbers. Raises RuntimeError."""
    if not {one.dtype, other.dtype} <= {FLOAT16, *TYPES}:
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{one.dtype.spoken} and {other.dtype.spoken}"
        )
    if one.dtype is not other.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {one.dtype.spoken} but got scalar type "
            f"{other.dtype.spoken} for second argument"
        )
    _check_wide(one)


def _check_wide(x: Tensor) -> None:
    if x.dtype not in TYPES:
        raise missing("complex numbers in half precision")

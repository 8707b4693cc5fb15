"""`torch.linalg`, as far as the exercises need it."""

from typing import Any

from .absent import absent_from
from .dtypes import dtype
from .matrices import inverse
from .matrices import matrix_exp as _exp
from .matrices import matrix_power as _power
from .norms import vector_norm as _vector_norm
from .operation import called
from .products import matmul as _matmul
from .solving import lstsq as _lstsq
from .solving import pinv as _pinv
from .solving import solve as _solve
from .tensor import Tensor

vector_norm = called(_vector_norm, 1)
matmul = called(_matmul, 1)
matrix_power = called(_power, 1)
matrix_exp = called(_exp, 1)
inv = called(inverse, 1)
solve = called(_solve, 1)
lstsq = called(_lstsq, 1)
pinv = called(_pinv, 1)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Multiply vectors along an axis."""
    if not x.dtype.is_floating_point or x.dtype is not y.dtype:
        raise RuntimeError(
            "linalg.vecdot: Expected floating point tensors of the same dtype, but found x of type "
            f"{x.dtype.spoken} and y of type {y.dtype.spoken} instead"
        )
    return (x * y).sum(dim)


def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
) -> Tensor:
    """Measure vectors; of matrices, the root of the sum of the squares."""
    axes = len(A.shape) if dim is None else len(dim) if isinstance(dim, tuple | list) else 1
    if ord is not None and axes > 1:
        return __getattr__("matrix_norm")(A)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


__getattr__ = absent_from("linalg")

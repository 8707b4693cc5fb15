"""`torch.linalg`, as far as the exercises need it."""

from typing import Any

from .absent import absent_from
from .dtypes import dtype
from .operation import called
from .products import matmul as _matmul
from .products import matrix_power as _matrix_power
from .reducing import vector_norm as _vector_norm
from .tensor import Tensor

vector_norm = called(_vector_norm, 1)
matmul = called(_matmul, 1)
matrix_power = called(_matrix_power, 1)


def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Measure vectors; of matrices, the root of the sum of the squares."""
    axes = len(A.shape) if dim is None else len(dim) if isinstance(dim, tuple | list) else 1
    if ord is not None and axes > 1:
        return __getattr__("matrix_norm")(A)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


__getattr__ = absent_from("linalg")

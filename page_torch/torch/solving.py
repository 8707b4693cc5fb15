"""Linear equations: solved exactly, or as nearly as can be, for one matrix whose columns differ."""

import math
from typing import Any, NamedTuple

from .axes import transpose, unsqueeze
from .dtypes import FLOAT32, FLOAT64, INT64
from .elementwise import rounded_as
from .matrices import check_square, inverse
from .missing import missing
from .products import matmul
from .tensor import Tensor, new, numbers, rounded
from .views import contiguous

Columns = list[list[float]]
SMALLEST = {FLOAT32: 2.0**-23, FLOAT64: 2.0**-52}


class LeastSquares(NamedTuple):
    """What `lstsq` gives; the solver that PyTorch takes by itself leaves two of them empty."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def _check(name: str, a: Tensor, b: Tensor) -> None:
    """Refuse what cannot be solved. Raises RuntimeError."""
    if a.dtype is not b.dtype or a.dtype not in SMALLEST:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype of floats, but got "
            f"{a.dtype.spoken} and {b.dtype.spoken}"
        )
    if len(a.shape) < 2 or not b.shape:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Solve A X = B."""
    check_square("linalg.solve", A)
    _check("torch.linalg.solve", A, B)
    if not left or len(A.shape) > 2 or len(B.shape) > 2:
        raise missing("torch.linalg.solve of more than one matrix")
    x = matmul(inverse(rounded_as(A, FLOAT64)), rounded_as(B, FLOAT64))
    return _by_columns(rounded_as(x, A.dtype))


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: Any = None) -> LeastSquares:
    """Find the X for which A X comes nearest to B."""
    _check("torch.linalg.lstsq", A, B)
    if len(A.shape) > 2 or len(B.shape) > 2 or rcond is not None or driver is not None:
        raise missing("torch.linalg.lstsq with options, or of more than one matrix")
    if A.shape[0] != B.shape[0]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    x = _by_columns(_nearest(A, B if len(B.shape) == 2 else unsqueeze(B, 1)))
    residuals, values = new([], (0,), A.dtype, (A, B)), new([], (0,), A.dtype)
    rank = new([A.shape[1]], (), INT64)
    return LeastSquares(x if len(B.shape) == 2 else x.squeeze(1), residuals, rank, values)


def pinv(
    A: Tensor, *, atol: Any = None, rtol: Any = None, rcond: Any = None, hermitian: bool = False
) -> Tensor:
    """Return what lies nearest to an inverse."""
    _check("torch.linalg.pinv", A, A)
    if len(A.shape) > 2 or hermitian or not atol is rtol is rcond is None:
        raise missing("torch.linalg.pinv with options, or of more than one matrix")
    if A.shape[0] < A.shape[1]:
        return contiguous(transpose(pinv(transpose(A, 0, 1)), 0, 1))
    rows = A.shape[0]
    ones = [float(i == j) for i in range(rows) for j in range(rows)]
    return _nearest(A, new(ones, (rows, rows), A.dtype))


def _by_columns(x: Tensor) -> Tensor:
    """Lay a matrix column by column, as LAPACK leaves it."""
    return transpose(contiguous(transpose(x, 0, 1)), 0, 1) if len(x.shape) == 2 else x


def _nearest(a: Tensor, b: Tensor) -> Tensor:
    """Return the least-squares solution for a matrix of full column rank."""
    size, many = a.shape[1], b.shape[1]
    triangle, reduced = _triangular(_columns(a), _columns(b), SMALLEST[a.dtype])
    found = [[0.0] * many for _ in range(size)]
    for n in reversed(range(size)):
        for k in range(many):
            known = math.fsum(triangle[n][i] * found[i][k] for i in range(n + 1, size))
            found[n][k] = (reduced[n][k] - known) / triangle[n][n]
    return rounded([value for row in found for value in row], (size, many), a.dtype, (a, b))


def _triangular(columns: Columns, wanted: Columns, small: float) -> tuple[Columns, Columns]:
    """Return the rows of a triangle, and of what is wanted, by Gram and Schmidt's modified way."""
    size, work = len(columns), [*columns, *wanted]
    triangle, reduced = [], []
    longest = max((math.hypot(*column) for column in columns), default=0.0)
    for n in range(size):
        length = math.hypot(*work[n])
        if n >= len(work[n]) or length <= small * len(work[n]) * longest:
            raise missing("solution where one column follows from the others")
        unit = [value / length for value in work[n]]
        row = [0.0] * n + [length]
        for at in range(n + 1, len(work)):
            share = math.fsum(u * v for u, v in zip(unit, work[at], strict=True))
            work[at] = [v - share * u for u, v in zip(unit, work[at], strict=True)]
            row.append(share)
        triangle.append(row[:size])
        reduced.append(row[size:])
    return triangle, reduced


def _columns(x: Tensor) -> Columns:
    """Return the columns of a matrix."""
    rows, columns = x.shape
    flat = numbers(x)
    return [[flat[i * columns + j] for i in range(rows)] for j in range(columns)]

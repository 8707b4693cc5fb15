"""`torch.linalg`, as far as the exercises need it: lengths, powers, exponentials, least squares."""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from .axes import transpose, unsqueeze
from .dtypes import FLOAT32, FLOAT64, INT64, dtype
from .missing import absent_from, missing
from .operation import called, operation
from .products import matmul
from .ranges import eye
from .reducing import vector_norm as _vector_norm
from .tensor import Tensor, new, numbers, rounded
from .views import contiguous, expanded

Rows = Sequence[Sequence[float]]
Columns = list[list[float]]
SMALLEST = {FLOAT32: 2.0**-23, FLOAT64: 2.0**-52}

vector_norm = called(_vector_norm, 1)


def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *,
    dtype: dtype | None = None,
) -> Tensor:  # fmt: skip
    """Return the norm of vectors; of matrices, the root of the sum of the squares."""
    axes = len(A.shape) if dim is None else len(dim) if isinstance(dim, tuple | list) else 1
    if ord is not None and axes > 1:
        raise missing("torch.linalg.matrix_norm")
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def _check_square(name: str, x: Tensor) -> None:
    """Raise RuntimeError unless it is square in its last two axes."""
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"{name}: expected square matrices, but got shape {list(x.shape)}")


@operation
def matrix_power(input: Tensor, n: int) -> Tensor:
    _check_square("linalg.matrix_power", input)
    one = eye(input.shape[-1], dtype=input.dtype)
    if n == 0:
        same = expanded(one, tuple(input.shape))
        return new(numbers(same), input.shape, input.dtype, (input,))
    base = lstsq(input, one).solution if n < 0 else input
    return reduce(matmul, [base] * abs(n)) if abs(n) > 1 else base.clone()


@operation
def matrix_exp(input: Tensor) -> Tensor:
    _check_square("linalg.matrix_exp", input)
    if input.dtype not in SMALLEST:
        raise missing(f"torch.matrix_exp of {input.dtype}")
    size, flat = input.shape[-1], numbers(input)
    values: list[float] = []
    for start in range(0, len(flat), size * size or 1):
        rows = [flat[start + n * size : start + (n + 1) * size] for n in range(size)]
        values += [v for line in _exponential(rows) for v in line]
    return rounded(values, input.shape, input.dtype, (input,))


def _exponential(rows: Rows) -> Rows:
    """Sum the powers of a scaled-down matrix, of which few are needed, and square it again."""
    size = len(rows)
    largest = max((sum(map(abs, line)) for line in rows), default=0.0)
    halvings = max(0, math.ceil(math.log2(largest)) + 4) if largest else 0
    small = [[v / 2**halvings for v in line] for line in rows]
    total: Rows = [[float(i == j) for j in range(size)] for i in range(size)]
    term = total
    for n in range(1, 16):
        term = [[v / n for v in line] for line in _product(term, small)]
        pairs = zip(total, term, strict=True)
        total = [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs]
    for _ in range(halvings):
        total = _product(total, total)
    return total


def _product(a: Rows, b: Rows) -> Rows:
    columns: Any = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in columns] for row in a]


class LeastSquares(NamedTuple):
    """The result of `lstsq`; PyTorch's default solver leaves two of its fields empty."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def _check(name: str, a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError for what cannot be solved, NotOnThisPage for several matrices."""
    if a.dtype is not b.dtype or a.dtype not in SMALLEST:
        raise RuntimeError(f"{name}: expected floats of one type, not {a.dtype}, {b.dtype}")
    if len(a.shape) < 2 or not b.shape or (len(a.shape) == 2 and a.shape[0] != b.shape[0]):
        raise RuntimeError(f"{name}: {list(a.shape)} and {list(b.shape)} do not fit")
    if len(a.shape) > 2 or len(b.shape) > 2:
        raise missing(f"{name} of more than one matrix")


def solve(A: Tensor, B: Tensor) -> Tensor:
    """Solve A X = B."""
    _check_square("linalg.solve", A)
    return lstsq(A, B).solution


def lstsq(A: Tensor, B: Tensor) -> LeastSquares:
    """Return the X for which A X is nearest to B."""
    _check("torch.linalg.lstsq", A, B)
    x = _nearest(A, B if len(B.shape) == 2 else unsqueeze(B, 1))
    residuals, values = new([], (0,), A.dtype, (A, B)), new([], (0,), A.dtype)
    rank = new([A.shape[1]], (), INT64)
    return LeastSquares(x if len(B.shape) == 2 else x.squeeze(1), residuals, rank, values)


def pinv(A: Tensor) -> Tensor:
    """Return the pseudoinverse."""
    _check("torch.linalg.pinv", A, A)
    if A.shape[0] < A.shape[1]:
        return contiguous(transpose(pinv(transpose(A, 0, 1)), 0, 1))
    return _nearest(A, eye(A.shape[0], dtype=A.dtype))


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
    """Return the rows of a triangle, and of the right-hand side, by modified Gram-Schmidt."""
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
    flat, count = numbers(x), x.shape[1]
    return [flat[n::count] for n in range(count)]


solve, lstsq, pinv = called(solve, 1), called(lstsq, 1), called(pinv, 1)
matrix_power, matrix_exp = called(matrix_power, 1), called(matrix_exp, 1)
__getattr__ = absent_from("linalg")

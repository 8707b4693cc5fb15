"""Powers, inverses and exponentials of square matrices, one or a batch of them."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .axes import transpose
from .dtypes import FLOAT64
from .elementwise import rounded_as
from .missing import missing
from .operation import operation
from .products import matmul
from .ranges import eye
from .tensor import Tensor, new, numbers, rounded
from .views import expanded

Rows = Sequence[Sequence[float]]


def check_square(name: str, x: Tensor, floats: bool = True) -> None:
    """Refuse what is no square matrix. Raises RuntimeError."""
    if len(x.shape) < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {x.shape[-2]} by "
            f"{x.shape[-1]} matrices"
        )
    if floats and not x.dtype.is_floating_point:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input.")


def _each(x: Tensor, function: Callable[[Rows], Rows]) -> Tensor:
    """Apply a function to each matrix."""
    size, flat = x.shape[-1], numbers(x)
    values: list[float] = []
    for start in range(0, len(flat), size * size or 1):
        lines = [flat[start + n * size : start + (n + 1) * size] for n in range(size)]
        values += [v for line in function(lines) for v in line]
    return rounded(values, x.shape, x.dtype, (x,))


def _inverted(rows: Rows) -> Rows:
    """Invert by Gauss and Jordan's way, with the largest pivot of each column."""
    size = len(rows)
    work = [[*line, *(float(i == n) for i in range(size))] for n, line in enumerate(rows)]
    for n in range(size):
        best = max(range(n, size), key=lambda i: abs(work[i][n]))
        work[n], work[best] = work[best], work[n]
        pivot = work[n][n]
        if pivot == 0:
            raise RuntimeError(
                "linalg.inv: The diagonal element "
                f"{n + 1} is zero, the inversion could not be completed because the input matrix "
                "is singular."
            )
        work[n] = [v / pivot for v in work[n]]
        for i in range(size):
            if i != n and work[i][n]:
                factor = work[i][n]
                work[i] = [a - factor * b for a, b in zip(work[i], work[n], strict=True)]
    return [line[size:] for line in work]


@operation
def inverse(input: Tensor) -> Tensor:
    check_square("linalg.inv", input)
    if input.dtype.itemsize < 4:
        raise RuntimeError(
            f"linalg.inv: Low precision dtypes not supported. Got {input.dtype.spoken}"
        )
    turned = _each(input, lambda rows: list(zip(*_inverted(rows), strict=True)))
    return transpose(turned, -2, -1)  # column by column, as LAPACK leaves it


@operation
def matrix_power(input: Tensor, n: int) -> Tensor:
    check_square("linalg.matrix_power", input, floats=False)
    if n == 0:
        result = expanded(eye(input.shape[-1], dtype=input.dtype), tuple(input.shape))
        return new(numbers(result), input.shape, input.dtype, (input,))
    base = inverse(input) if n < 0 else input
    if n == 1:
        return base.clone()
    return reduce(matmul, [base] * abs(n))


@operation
def matrix_exp(input: Tensor) -> Tensor:
    check_square("linalg.matrix_exp", input)
    if input.dtype.itemsize < 4:
        raise missing("torch.matrix_exp in half precision")
    return rounded_as(_each(rounded_as(input, FLOAT64), _exponential), input.dtype)


def _exponential(rows: Rows) -> Rows:
    """Add up the powers of a part so small that few are needed, and square the sum again."""
    size = len(rows)
    largest = max((sum(map(abs, line)) for line in rows), default=0.0)
    halvings = max(0, math.ceil(math.log2(largest)) + 4) if largest else 0
    small = [[v / 2**halvings for v in line] for line in rows]
    total: Rows = [[float(i == j) for j in range(size)] for i in range(size)]
    term = total
    for n in range(1, 16):
        term = [[v / n for v in line] for line in _product(term, small)]
        total = [
            [a + b for a, b in zip(*pair, strict=True)] for pair in zip(total, term, strict=True)
        ]
    for _ in range(halvings):
        total = _product(total, total)
    return total


def _product(a: Rows, b: Rows) -> Rows:
    columns: Any = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, c, strict=True)) for c in columns] for row in a]

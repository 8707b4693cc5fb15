"""Matrix products."""

import math
import operator
from typing import Any

from .axes import transpose, unsqueeze
from .dtypes import no_bools
from .elementwise import together
from .layout import broadcast
from .operation import operation
from .storage import Nowhere
from .tensor import Tensor, numbers, rounded, unknown, without_numbers
from .views import expand, expanded

MOST = 20_000_000  # multiplications


def check_types(a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError unless two factors have the same dtype."""
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {a.dtype.in_c} != {b.dtype.in_c}"
        )


def multiplied(a: Tensor, b: Tensor) -> Tensor:
    """Multiply matrices, (..., n, k) and (..., k, m), whose sizes fit."""
    lead = broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    (n, inner), m = a.shape[-2:], b.shape[-1]
    nowhere = unknown(a, b)
    if math.prod(lead) * n * inner * m > MOST:
        nowhere = nowhere or Nowhere("patience for products of such large tensors")
    if nowhere:
        return without_numbers(nowhere, (*lead, n, m), a.dtype, (a, b), ("matmul", [a, b], ()))
    rows = expanded(a, (*lead, n, inner))
    columns = expanded(transpose(b, -2, -1), (*lead, m, inner))
    batches = math.prod(lead)
    left, right = _matrices(numbers(rows), batches, n), _matrices(numbers(columns), batches, m)
    zero = 0.0 if a.dtype.is_floating_point else 0

    def back(gradient: list) -> list:
        d = _matrices(gradient, batches, n)
        turned = [_turned(matrix, m) for matrix in d]
        pairs = (
            (d, [_turned(matrix, inner) for matrix in right]),
            (
                turned,
                [_turned(matrix, inner) for matrix in left],
            ),
        )
        wanted = (a.requires_grad, b.requires_grad)
        return [_dots(*pair, 0.0) if w else None for w, pair in zip(wanted, pairs, strict=True)]

    return rounded(_dots(left, right, zero), (*lead, n, m), a.dtype, (rows, columns), None, back)


Matrix = list[list]


def _matrices(flat: list, batches: int, rows: int) -> list[Matrix]:
    """Return the rows of so many matrices."""
    width = len(flat) // (batches * rows or 1)
    cut = [flat[start : start + width] for start in range(0, len(flat), width or 1)]
    cut = cut or [[] for _ in range(batches * rows)]
    return [cut[batch * rows : (batch + 1) * rows] for batch in range(batches)]


def _turned(matrix: Matrix, width: int) -> Matrix:
    """Return the columns of a matrix."""
    return list(map(list, zip(*matrix, strict=True))) or [[] for _ in range(width)]


def _dots(left: list[Matrix], right: list[Matrix], zero: float) -> list:
    """Return the product of each row of a matrix and each row of another, for pairs of these."""
    return [
        sum(map(operator.mul, row, column), zero)
        for a, b in zip(left, right, strict=True)
        for row in a
        for column in b
    ]


@operation
def matmul(input: Tensor, other: Tensor) -> Tensor:
    if not input.shape or not other.shape:
        raise RuntimeError("both arguments to matmul need to be at least 1D")
    if len(input.shape) == len(other.shape) == 1:
        return dot(input, other)
    a = unsqueeze(input, 0) if len(input.shape) == 1 else input
    b = unsqueeze(other, 1) if len(other.shape) == 1 else other
    _check_fit(other, a, b)
    check_types(input, other)
    no_bools("addmm_impl_cpu_", input.dtype)
    product = multiplied(a, b)
    if len(input.shape) == 1:
        product = product.squeeze(-2)
    return product.squeeze(-1) if len(other.shape) == 1 else product


def _check_fit(other: Tensor, a: Tensor, b: Tensor) -> None:
    """Raise RuntimeError unless the sizes of two factors fit."""
    inner, (depth, m) = a.shape[-1], b.shape[-2:]
    if inner == depth:
        return
    if len(other.shape) <= 2:
        count = math.prod(a.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({count}x{inner} and {depth}x{m})"
        )
    lead = math.prod(broadcast(tuple(a.shape[:-2]), tuple(b.shape[:-2])))
    raise RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{lead}, {inner}] but "
        f"got: [{lead}, {depth}]."
    )


@operation
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    if len(input.shape) != 1 or len(tensor.shape) != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {len(input.shape)}D and {len(tensor.shape)}D"
        )
    check_types(input, tensor)
    no_bools("dot", input.dtype)
    if input.shape != tensor.shape:
        raise RuntimeError(f"dot: got {len(input)} and {len(tensor)} elements")
    a, b = numbers(input), numbers(tensor)
    value = sum(map(operator.mul, a, b))

    def back(gradient: list) -> list:
        return [[v * gradient[0] for v in other] for other in (b, a)]

    return rounded([value], (), input.dtype, (input, tensor), None, back)


@operation
def inner(input: Tensor, other: Tensor) -> Tensor:
    if not input.shape or not other.shape:
        return input * other
    a, b = (x.reshape(math.prod(x.shape[:-1]), x.shape[-1]) for x in (input, other))
    return matmul(a, b.t()).reshape(*input.shape[:-1], *other.shape[:-1])


@operation
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    if len(input.shape) != 2 or len(mat2.shape) != 2:
        raise RuntimeError("mm: both must be matrices")
    return matmul(input, mat2)


@operation
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    if len(input.shape) != 3 or len(mat2.shape) != 3:
        raise RuntimeError("bmm: both must be 3D tensors")
    if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input.shape[0]}, "
            f"{input.shape[2]}] but got: [{mat2.shape[0]}, {mat2.shape[1]}]."
        )
    return matmul(input, mat2)


@operation
def mv(input: Tensor, vec: Tensor) -> Tensor:
    if len(input.shape) != 2 or len(vec.shape) != 1:
        raise RuntimeError(
            f"mv: expected a matrix and a vector, not {len(input.shape)}D, {len(vec.shape)}D"
        )
    return matmul(input, vec)


@operation
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    for name, x in (("self", input), ("vec2", vec2)):
        if len(x.shape) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(x.shape)}-D")
    return input.reshape(-1, 1) * vec2


@operation
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    product = bmm(batch1, batch2)
    check_types(input, product)
    wide = expand(input, product.shape)
    if beta == 0:
        return together(lambda _, p: alpha * p, (wide, product), product.dtype)
    return wide * beta + product * alpha


@operation
def kron(input: Tensor, other: Tensor) -> Tensor:
    width = max(len(input.shape), len(other.shape))
    a = [1] * (width - len(input.shape)) + list(input.shape)
    b = [1] * (width - len(other.shape)) + list(other.shape)
    left = input.reshape([n for size in a for n in (size, 1)])
    right = other.reshape([n for size in b for n in (1, size)])
    return (left * right).reshape([x * y for x, y in zip(a, b, strict=True)])

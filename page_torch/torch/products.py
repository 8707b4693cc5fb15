"""Matrix products."""

import math
import operator
from typing import Any

from .axes import transpose, unsqueeze
from .dtypes import BOOL, dtype
from .elementwise import together
from .layout import broadcast
from .missing import missing
from .operation import operation, torch_function
from .storage import Nowhere
from .tensor import Tensor, numbers, rounded, unknown, without_numbers
from .views import expanded

MOST = 20_000_000  # multiplications


def check_types(name: str, a: Tensor, b: Tensor) -> None:
    """Refuse factors of two types. Raises RuntimeError."""
    if a.dtype is not b.dtype:
        if max(len(a.shape), len(b.shape)) > 2 and 0 in (*a.shape, *b.shape):
            raise missing("product of no numbers in several dtypes")  # PyTorch allows some
        if name == "dot":
            raise RuntimeError(
                f"dot : expected both vectors to have same dtype, but found {a.dtype.spoken} and "
                f"{b.dtype.spoken}"
            )
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
        return without_numbers(nowhere, (*lead, n, m), a.dtype, (a, b))
    left = numbers(expanded(a, (*lead, n, inner)))
    turned = transpose(b, -2, -1)
    right = numbers(expanded(turned, (*lead, m, inner)))
    zero = 0.0 if a.dtype.is_floating_point else 0
    values: list = []
    for batch in range(math.prod(lead)):
        start = batch * m * inner
        columns = [right[start + j * inner : start + (j + 1) * inner] for j in range(m)]
        for i in range(batch * n, batch * n + n):
            row = left[i * inner : (i + 1) * inner]
            values += [sum(map(operator.mul, row, column), zero) for column in columns]
    return rounded(values, (*lead, n, m), a.dtype, (a, b))


@operation
def matmul(input: Tensor, other: Tensor) -> Tensor:
    if not input.shape or not other.shape:
        raise RuntimeError(
            "both arguments to matmul need to be at least 1D, but they are "
            f"{len(input.shape)}D and {len(other.shape)}D"
        )
    if len(input.shape) == len(other.shape) == 1:
        return dot(input, other)
    a = unsqueeze(input, 0) if len(input.shape) == 1 else input
    b = unsqueeze(other, 1) if len(other.shape) == 1 else other
    _check_fit(input, other, a, b)
    check_types("matmul", input, other)
    if input.dtype is BOOL:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    product = multiplied(a, b)
    if len(input.shape) == 1:
        product = product.squeeze(-2)
    return product.squeeze(-1) if len(other.shape) == 1 else product


def _check_fit(input: Tensor, other: Tensor, a: Tensor, b: Tensor) -> None:
    """Refuse factors whose sizes do not fit. Raises RuntimeError."""
    (n, inner), (depth, m) = a.shape[-2:], b.shape[-2:]
    if inner == depth:
        return
    if len(input.shape) <= 2 and len(other.shape) == 1:
        raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{inner}), vec ({depth})")
    if len(other.shape) <= 2:
        count = math.prod(a.shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({count}x{inner} and {depth}x{m})"
        )
    if len(input.shape) <= 2 and len(other.shape) >= 3:
        count = math.prod(b.shape[:-2]) * m
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({count}x{depth} and {inner}x{n})"
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
            f"1D tensors expected, but got {len(input.shape)}D and {len(tensor.shape)}D tensors"
        )
    check_types("dot", input, tensor)
    if input.dtype is BOOL:
        raise NotImplementedError("\"dot\" not implemented for 'Bool'")
    if input.shape != tensor.shape:
        a, b = input.shape[0], tensor.shape[0]
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a}] and src [{b}] to have the same "
            f"number of elements, but got {a} and {b} elements respectively"
        )
    value = sum(map(operator.mul, numbers(input), numbers(tensor)))
    return rounded([value], (), input.dtype, (input, tensor))


@torch_function
def vdot(input: Tensor, other: Tensor) -> Tensor:
    return dot(input, other)


@operation
def inner(input: Tensor, other: Tensor) -> Tensor:
    if not input.shape or not other.shape:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if len(input.shape) == len(other.shape) == 1:
        return dot(input, other)
    a, b = (x.reshape(math.prod(x.shape[:-1]), x.shape[-1]) for x in (input, other))
    if input.dtype is BOOL and 0 not in (*input.shape, *other.shape):
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    product = multiplied(a, b.t())
    return product.reshape(*input.shape[:-1], *other.shape[:-1])


@operation
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    if len(input.shape) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2.shape) != 2:
        raise RuntimeError("mat2 must be a matrix")
    return matmul(input, mat2)


@operation
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    if len(input.shape) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(mat2.shape) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
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
            f"vector + matrix @ vector expected, got 1, {len(input.shape)}, {len(vec.shape)}"
        )
    return matmul(input, vec)


@operation
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    for name, x in (("self", input), ("vec2", vec2)):
        if len(x.shape) != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {len(x.shape)}-D")
    return input.reshape(-1, 1) * vec2


@operation
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    return outer(input, vec2)


@operation
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _plus(input, mm(mat1, mat2), beta, alpha)


@operation
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _plus(input, mv(mat, vec), beta, alpha)


@operation
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    return _plus(input, bmm(batch1, batch2), beta, alpha)


def _plus(input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """Add a multiple of a product to a multiple of something; no multiple of it if that is 0."""
    kind: dtype = product.dtype
    if input.dtype is not kind:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {input.dtype.spoken} and "
            f"{kind.spoken}"
        )
    if broadcast(tuple(input.shape), tuple(product.shape)) != product.shape:
        raise RuntimeError(
            f"The expanded size of the tensor must match the existing size: {list(input.shape)} "
            f"does not broadcast to {list(product.shape)}"
        )
    if not kind.is_floating_point:
        beta, alpha = int(beta), int(alpha)
    if beta == 0:
        return together(lambda _, p: alpha * p, (input, product), kind)
    return together(lambda x, p: beta * x + alpha * p, (input, product), kind)


@operation
def kron(input: Tensor, other: Tensor) -> Tensor:
    width = max(len(input.shape), len(other.shape))
    a = [1] * (width - len(input.shape)) + list(input.shape)
    b = [1] * (width - len(other.shape)) + list(other.shape)
    left = input.reshape([n for size in a for n in (size, 1)])
    right = other.reshape([n for size in b for n in (1, size)])
    return (left * right).reshape([x * y for x, y in zip(a, b, strict=True)])

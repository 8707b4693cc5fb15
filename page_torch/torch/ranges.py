"""Ranges, identities and grids; triangles, diagonals and blocks of matrices."""

import math
from typing import Any

from .creation import bare, made, plain_number, whole_or_float
from .dtypes import FLOAT32, FLOAT64, INT64, dtype, no_bools
from .elementwise import result_type, rounded_as
from .indexing import get
from .joining import at_least
from .operation import operation, torch_function
from .rounding import check_fits, keep
from .tensor import Tensor, copied, new, numbers, whole
from .views import expanded, reshaped


@torch_function
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    start, end = (0, start) if end is None else (start, end)
    start, end, step = map(plain_number, (start, end, step))
    kind = dtype or whole_or_float(start, end, step)
    no_bools("arange_cpu", kind)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not math.isfinite(start) or not math.isfinite(end):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if kind.kind == 1:
        start, end, step = int(start), int(end), int(step)
        count = max(-((start - end) // step), 0)
    else:
        count = math.ceil((end - start) / step)
    return made(
        keep([start + n * step for n in range(count)], kind), (count,), kind, requires_grad, device
    )


@torch_function
def linspace(
    start: Any, end: Any, steps: int, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    start, end, steps = plain_number(start), plain_number(end), whole(steps, "steps")
    kind = dtype or FLOAT32
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    values = _between(start, end, steps, kind)
    return made(keep(values, kind), (steps,), kind, requires_grad, device)


def _between(start: Any, end: Any, steps: int, kind: dtype) -> list:
    """Count from both ends, in the precision of the result."""
    if steps < 2:
        return [start] * steps
    for one in (start, end):
        check_fits(one, kind)
    precise = FLOAT64 if kind is FLOAT64 else FLOAT32
    start, end = keep([start, end], precise)
    (step,) = keep([(end - start) / (steps - 1)], precise)
    middle = steps // 2
    return [start + step * n if n < middle else end - step * (steps - 1 - n) for n in range(steps)]


@torch_function
def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    rows = whole(n, "n")
    columns = rows if m is None else whole(m, "m")
    if rows < 0 or columns < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {min(rows, columns)}")
    kind = dtype or FLOAT32
    ones = [i == j for i in range(rows) for j in range(columns)]
    return made(keep(ones, kind), (rows, columns), kind, requires_grad, device)


def _band(name: str, input: Tensor, diagonal: int, upper: bool) -> Tensor:
    """Keep what lies on one side of a diagonal, row by row."""
    if len(input.shape) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    rows, columns = input.shape[-2:]
    zero = keep([0], input.dtype)

    def kept(flat: list) -> list:
        values: list = []
        for n in range(math.prod(input.shape[:-1])):
            start, edge = n * columns, n % rows + diagonal + (not upper)
            edge = min(max(edge, 0), columns)
            if upper:
                values += zero * edge + flat[start + edge : start + columns]
            else:
                values += flat[start : start + edge] + zero * (columns - edge)
        return values

    values = kept(numbers(input))
    return new(values, input.shape, input.dtype, (input,), None, lambda d: [kept(d)], False)


@operation
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    return _band("tril", input, diagonal, upper=False)


@operation
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    return _band("triu", input, diagonal, upper=True)


@torch_function
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Any = None
) -> Tensor:
    if row < 0 or col < 0:
        raise RuntimeError(f"row and col must be non-negative, got {row} and {col}")
    pairs = [(i, j) for i in range(row) for j in range(col) if j - i <= offset]
    return new([p[0] for p in pairs] + [p[1] for p in pairs], (2, len(pairs)), dtype or INT64)


@torch_function
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    given = (
        list(tensors[0])
        if len(tensors) == 1 and not isinstance(tensors[0], Tensor)
        else list(tensors)
    )
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    for x in given:
        if len(x.shape) > 1:
            raise RuntimeError(f"meshgrid: expected 0D or 1D tensors, but got {len(x.shape)}D")
        if x.dtype is not given[0].dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    swap = indexing == "xy" and len(given) > 1
    if swap:
        given[:2] = given[1::-1]
    shape = [math.prod(x.shape) for x in given]
    grids = [
        expanded(reshaped(x, [-1 if i == n else 1 for i in range(len(given))]), shape)
        for n, x in enumerate(given)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


@operation
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    if len(input.shape) == 2:
        line = input.diagonal(diagonal)
        return copied(line, line.shape)
    if len(input.shape) != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {len(input.shape)}D")
    return diag_embed(input, diagonal)


@operation
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    size = input.shape[-1] + abs(offset)
    moved = bare((*input.shape[:-1], size, size), input.dtype).movedim((-2, -1), (dim1, dim2))
    result = bare(moved.shape, input.dtype)
    result.diagonal(offset, dim1, dim2).copy_(input)
    result._storage.version = 0
    return result


@torch_function
def block_diag(*tensors: Any) -> Tensor:
    if not tensors:
        return bare((1, 0), FLOAT32)
    blocks = [at_least(x, 2) for x in tensors]
    rows, columns = (sum(x.shape[d] for x in blocks) for d in (0, 1))
    result = bare((rows, columns), result_type(*blocks))
    i = j = 0
    for x in blocks:
        target = get(result, (slice(i, i + x.shape[0]), slice(j, j + x.shape[1])))
        target.copy_(rounded_as(x, result.dtype))
        i, j = i + x.shape[0], j + x.shape[1]
    result._storage.version = 0
    return result

"""Tensors made by counting: ranges, identities, grids, and the triangles of a matrix."""

import math
from typing import Any

from .dtypes import BOOL, FLOAT32, FLOAT64, INT64, dtype
from .joining import stack
from .making import made, plain_number, whole_or_float
from .operation import operation, torch_function
from .rounding import check_fits, keep
from .tensor import Tensor, new, numbers, whole
from .views import expanded, reshaped


@torch_function
def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: dtype | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    start, end = (0, start) if end is None else (start, end)
    start, end, step = map(plain_number, (start, end, step))
    kind = dtype or whole_or_float(start, end, step)
    if kind is BOOL:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
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
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: dtype | None = None
) -> Tensor:
    kind, steps = dtype or FLOAT32, whole(steps, "steps")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    powers = _between(plain_number(start), plain_number(end), steps, kind)
    return new(keep([base**p for p in powers], kind), (steps,), kind)


@torch_function
def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    rows = whole(n, "n")
    columns = rows if m is None else whole(m, "m")
    if rows < 0 or columns < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {min(rows, columns)}")
    kind = dtype or FLOAT32
    ones = [i == j for i in range(rows) for j in range(columns)]
    return made(keep(ones, kind), (rows, columns), kind, requires_grad, device)


def _band(name: str, input: Tensor, diagonal: int, upper: bool) -> Tensor:
    """Keep what stands on one side of a diagonal, row by row."""
    if len(input.shape) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    rows, columns = input.shape[-2:]
    zero, flat, values = keep([0], input.dtype), numbers(input), []
    for n in range(math.prod(input.shape[:-1])):
        start, edge = n * columns, n % rows + diagonal + (not upper)
        edge = min(max(edge, 0), columns)
        if upper:
            values += zero * edge + flat[start + edge : start + columns]
        else:
            values += flat[start : start + edge] + zero * (columns - edge)
    return new(values, input.shape, input.dtype, (input,))


@operation
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    return _band("tril", input, diagonal, upper=False)


@operation
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    return _band("triu", input, diagonal, upper=True)


def _indices(row: int, col: int, inside: Any, kind: dtype | None) -> Tensor:
    if row < 0 or col < 0:
        raise RuntimeError(f"row and col must be non-negative, got {row} and {col}")
    pairs = [(i, j) for i in range(row) for j in range(col) if inside(j - i)]
    return new([p[0] for p in pairs] + [p[1] for p in pairs], (2, len(pairs)), kind or INT64)


@torch_function
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Any = None
) -> Tensor:
    return _indices(row, col, lambda d: d <= offset, dtype)


@torch_function
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: dtype | None = None, device: Any = None
) -> Tensor:
    return _indices(row, col, lambda d: d >= offset, dtype)


@torch_function
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    given = (
        list(tensors[0])
        if len(tensors) == 1 and not isinstance(tensors[0], Tensor)
        else list(tensors)
    )
    if indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for x in given:
        if len(x.shape) > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x}"
            )
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


@torch_function
def cartesian_prod(*tensors: Tensor) -> Tensor:
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshaped(grid, [-1]) for grid in meshgrid(*tensors)], 1)

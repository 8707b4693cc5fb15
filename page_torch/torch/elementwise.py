"""Functions of numbers applied to tensors element by element: broadcasting, promotion, layout."""

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

from .derivatives import SEVERAL, UNARY, elementwise
from .dtypes import BFLOAT16, FLOAT16, FLOAT32, dtype, promote_types, type_of
from .graph import Mode, same
from .layout import Sizes, broadcast, expanded_strides, gathered, is_contiguous, result_strides
from .missing import missing
from .rounding import keep
from .storage import too_many
from .tensor import Tensor, new, numbers, rounded, unknown, without_numbers
from .views import expanded

NUMBERS = (bool, int, float)
UNKNOWN: tuple[Any, bool] = None, True  # the way back through a step, and whether it saves numbers


def result_type(*operands: Any) -> dtype:
    """Return a result's dtype: that of tensors with axes, unless others have a higher kind."""
    best: list[dtype | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            level, kind = (0 if operand.shape else 1), operand.dtype
        elif isinstance(operand, complex):
            raise missing("complex numbers")
        else:
            level, kind = 2, type_of(operand)
        before = best[level]
        best[level] = kind if before is None else promote_types(before, kind)
    result: dtype | None = None
    for found in best:
        if found is not None and (result is None or found.kind > result.kind):
            result = found
    assert result is not None
    if result.is_complex:
        raise missing("such operation on complex numbers")
    return result


def mapped(x: Tensor, function: Callable, kind: dtype | None = None, cut: bool = False) -> Tensor:
    """Apply a function to each number; gradients flow through unless they are cut."""
    of = () if cut else (x,)
    if nowhere := unknown(x):
        step = (function.__name__, [x], ())
        return without_numbers(nowhere, x.shape, kind or x.dtype, of, step)
    given = numbers(x)
    values = keep(map(function, given), kind or x.dtype)
    back = UNKNOWN
    if of and x.requires_grad and (grow := UNARY.get(function.__name__)) is not None:
        back = elementwise([grow], [given], values)
    return new(values, x.shape, kind or x.dtype, of, laid_as(x), *back)


def laid_as(x: Tensor) -> Sizes | None:
    """Return the strides of a result with a tensor's layout, or None for row-major order."""
    shape = tuple(x.shape)
    return None if is_contiguous(shape, x._strides) else result_strides(shape, x._strides)


def spread(x: Tensor, shape: Sizes) -> list:
    """Return a tensor's numbers as it broadcasts to a shape."""
    if x.shape == shape:
        return numbers(x)
    strides = expanded_strides(tuple(x.shape), x._strides, shape)
    return gathered(x._storage, x._offset, shape, strides)


def together(
    function: Callable, operands: Sequence[Any], kind: dtype, kept: bool = False
) -> Tensor:
    """Apply a function to the numbers of several tensors and numbers, after broadcasting.

    If `kept`, the dtype holds the values exactly, and nothing is rounded.
    """
    tensors = [x for x in operands if isinstance(x, Tensor)]
    shapes = [tuple(x.shape) for x in tensors]
    shape = shapes[0] if len(set(shapes)) == 1 else broadcast(*shapes)
    if nowhere := unknown(*tensors) or too_many(shape):
        return without_numbers(nowhere, shape, kind, tensors, (function.__name__, operands, ()))
    given = [spread(x, shape) if isinstance(x, Tensor) else repeat(x) for x in operands]
    strides = next((laid_as(x) for x in tensors if x.shape == shape), None)
    values = list(map(function, *given))
    values = values if kept else keep(values, kind)
    of, back = operands, UNKNOWN
    if Mode.enabled and any(x.requires_grad for x in tensors):
        of = [expanded(x, shape) if isinstance(x, Tensor) else x for x in operands]
        if grows := SEVERAL.get(function.__name__):
            back = elementwise(grows, given, values)
    return new(values, shape, kind, of, strides, *back)


def paired(function: Callable, a: Any, b: Any, kind: dtype | None = None) -> Tensor:
    """Apply a function of two numbers, after type promotion."""
    common = result_type(a, b)
    both = as_type(a, common), as_type(b, common)
    return together(function, both, kind or common)


def as_type(x: Any, common: dtype) -> Any:
    """Return an operand in the dtype of the computation: the common one, or float32 for half."""
    if isinstance(x, Tensor):
        return rounded_as(x, common)
    if common in (FLOAT16, BFLOAT16):
        common = FLOAT32
    return keep([x], common)[0]


def rounded_as(x: Tensor, kind: dtype) -> Tensor:
    """Return a tensor in another dtype."""
    if kind is x.dtype:
        return x
    if nowhere := unknown(x):
        step = ("copy" if kind.is_floating_point else "", [x], ())
        return without_numbers(nowhere, x.shape, kind, (x,), step)
    of = (x,) if kind.is_floating_point else ()
    return rounded(numbers(x), x.shape, kind, of, laid_as(x), same, False)


def check_operand(name: str, value: Any) -> None:
    """Raise TypeError unless it is a tensor or a number."""
    if not isinstance(value, (Tensor, *NUMBERS)):
        if isinstance(value, complex):
            raise missing("complex numbers")
        raise TypeError(f"{name}(): argument 'other' must be Tensor, not {type(value).__name__}")

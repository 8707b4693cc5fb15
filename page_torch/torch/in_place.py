"""In-place operations: all views that share the storage change, with PyTorch's checks."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import dtype
from .elementwise import spread
from .graph import Mode, Node, Way, no_grad, root_of, spots, view_of, ways
from .layout import is_dense, overlaps
from .missing import missing
from .names import NAMES
from .operation import TENSOR, TORCH, called, method
from .rounding import check_fills, keep
from .tensor import Tensor, numbers
from .views import expand, expanded

#: Operations that return a view: in place, they change the tensor's axes.
TURNS = ("transpose", "swapaxes", "swapdims", "t", "squeeze", "unsqueeze")


def check_may_write(x: Tensor) -> None:
    """Raise RuntimeError for a leaf that requires gradients."""
    if not x.requires_grad or not Mode.enabled:
        return
    root = x if x._base is None else x._base
    if root._wants and root._node is None:
        what = "a leaf Variable" if root is x else "a view of a leaf Variable"
        raise RuntimeError(f"{what} that requires grad is being used in an in-place operation.")


def meet(x: Tensor, source: Tensor) -> bool:
    """Return whether two tensors share numbers, where PyTorch checks: if they are dense."""
    if x._storage is not source._storage or not (x.shape.numel() and source.shape.numel()):
        return False
    one, other = ((y._offset, y._offset + y.shape.numel()) for y in (x, source))
    dense = all(is_dense(tuple(y.shape), y._strides) for y in (x, source))
    return dense and one[0] < other[1] and other[0] < one[1]


def check_apart(x: Tensor, source: Tensor) -> None:
    """Raise RuntimeError if the target overlaps a part of the source."""
    one, other = ((y._offset, y.shape.numel(), y._strides) for y in (x, source))
    if one != other:
        check_none_shared(x, source)


def check_none_shared(x: Tensor, source: Tensor) -> None:
    """Raise RuntimeError if the target overlaps the source."""
    if meet(x, source):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to tensor "
            "refer to a single memory location. Please clone() the tensor before performing the "
            "operation."
        )


def _check_each_once(x: Tensor) -> None:
    if overlaps(tuple(x.shape), x._strides):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        )


def check_separate(x: Tensor, *sources: Tensor) -> None:
    """Raise RuntimeError unless each number is written once, and none of them is read."""
    _check_each_once(x)
    for source in sources:
        check_none_shared(x, source)


def write(x: Tensor, values: Sequence, of: Tensor | None = None) -> Tensor:
    """Write numbers in row-major order, converted to the dtype: those of a tensor, perhaps."""
    _check_each_once(x)
    put(x, spots(*view_of(x)), keep(values, x.dtype), of)
    return x


def put(x: Tensor, where: Sequence[int], values: Sequence, of: Tensor | None = None) -> None:
    """Write numbers to these places of a tensor's storage: those of a tensor, perhaps."""
    check_may_write(x)
    storage = x._storage
    if isinstance(where, range):
        storage[where.start : where.stop] = values
    else:
        for place, value in zip(where, values, strict=True):
            storage[place] = value
    storage.version += 1
    if Mode.enabled and x.dtype.is_floating_point:
        _record(x, where, of)


def _record(x: Tensor, where: Sequence[int], of: Tensor | None) -> None:
    """Record that numbers were written: what was there before has no gradient any more."""
    root, size = root_of(x), len(x._storage)
    found = [] if of is None else ways([of])
    if root._node is not None:
        found.append(Way(1, root._node, range(size)))
    if not found:
        return

    def back(gradient: list) -> list:
        written = set(where)
        before = [0.0 if place in written else d for place, d in enumerate(gradient)]
        return [[gradient[place] for place in where], before]

    name = "CopySlices" if root is not x else "CopyBackwards"
    root._node = Node(name, found, size, None, back, False)


def check_result(x: Tensor, shape: Sequence[int], kind: dtype) -> None:
    """Raise RuntimeError unless a result has the shape of its target and a castable dtype."""
    if tuple(shape) != tuple(x.shape):
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    if kind.kind > x.dtype.kind:
        raise RuntimeError(
            f"result type {kind.spoken} can't be cast to the desired output type {x.dtype.spoken}"
        )


def in_place(function: Callable) -> Callable:
    """Return the in-place version of an operation, which writes into its first argument."""

    def write_result(self: Tensor, *args: Any, **options: Any) -> Tensor:
        logical = function.__name__.startswith("logical")  # these have no gradient
        if not logical:
            check_may_write(self)
        result = function(self, *args, **options)
        check_result(self, result.shape, result.dtype)
        if logical:
            with no_grad():
                return write(self, numbers(result))
        given = [x for x in (*args, *options.values()) if isinstance(x, Tensor)]
        to_part = self._base is not None and any(source.requires_grad for source in given)
        if to_part and function.__name__ == "floor_divide":
            raise missing("//= into a part of a tensor, by what wants gradients")
        for source in given:
            check_apart(self, source)
        return write(self, numbers(result), result)

    write_result.__name__ = f"{function.__name__}_"
    write_result.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return write_result


def turned_in_place(function: Callable) -> Callable:
    """Return the in-place version of an operation that permutes or drops axes."""

    def turn(self: Tensor, *args: Any, **options: Any) -> Tensor:
        check_may_write(self)
        if self.requires_grad:
            raise missing(f"Tensor.{function.__name__}_ of what wants gradients")
        result = function(self, *args, **options)
        self.shape, self._strides = result.shape, result._strides
        self._storage.version += 1
        return self

    turn.__name__ = f"{function.__name__}_"
    turn.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return turn


def define_in_place() -> None:
    """Define `NAME_` for every operation for which PyTorch has one, and no file defines it."""
    for name, function in list(TENSOR.items()):
        under = f"{name}_"
        if under in NAMES["Tensor"] and under not in TENSOR and name != "detach":
            method((turned_in_place if name in TURNS else in_place)(function.__wrapped__))
            if under in NAMES[""]:
                TORCH[under] = called(in_place(function.__wrapped__), 1)


@method
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): expected a Tensor, but got {type(src).__name__}")
    expand(src, *self.shape)  # raises if it does not broadcast
    check_apart(self, src)
    return write(self, spread(src, tuple(self.shape)), expanded(src, tuple(self.shape)))


@method
def fill_(self: Tensor, value: Any) -> Tensor:
    if isinstance(value, Tensor):
        if value.shape:
            raise RuntimeError(f"fill_: the value has to be one number, not {list(value.shape)}")
        return write(self, spread(value, self.shape), expanded(value, self.shape))
    check_fills(value, self.dtype, self.shape.numel())
    return write(self, [value] * self.shape.numel())


@method
def zero_(self: Tensor) -> Tensor:
    return fill_(self, 0)


@method
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    if len(self.shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if wrap or len(self.shape) > 2:
        raise missing("Tensor.fill_diagonal_ of other than plain matrices")
    fill_(self.diagonal(), fill_value)
    return self

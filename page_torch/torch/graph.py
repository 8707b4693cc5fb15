"""The graph of operations, and the way back along it: gradients.

Operations that compute floats from a tensor with requires_grad create a node, as in PyTorch, which
links to those of its operands. A gradient is a list with a number for each place of a storage, so
that views need no steps of their own.
"""

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from operator import add
from typing import Any, NamedTuple

from .layout import contiguous_strides, gathered, is_contiguous, places
from .missing import missing

Flat = list[float]
#: From the gradient of a result to those of its operands, each in row-major order.
Back = Callable[[Flat], Sequence[Flat | None]]


UNNAMED = "Backward0"  # until an operation names it


class Way(NamedTuple):
    """Where the gradient of an operand is added: to which node, and at which of its places.

    These are listed, or they are those of a view: its shape, its strides and its offset.
    """

    number: int
    node: "Node"
    where: Any


class Node:
    """A step of a computation, the steps before it, and how gradients get back to them."""

    __slots__ = ("_kept", "_name", "back", "saves", "shape", "size", "strides", "variable", "ways")

    def __init__(
        self, name: str, ways: Sequence[Way], size: int = 0, view: tuple | None = None,
        back: Back | None = None, saves: bool = True,
    ):  # fmt: skip
        """Store a name, the operands, and the size of the result's storage, and how it is read.

        A step that `saves` numbers for the way back forgets them when it has been taken.
        """
        self._name, self.ways, self.size = name, tuple(ways), size
        self.shape, self.strides = view or ((size,), (1,))
        self.back, self.saves = back, saves
        self._kept: list[tuple[Any, int]] = []

    @property
    def next_functions(self) -> tuple:
        """The nodes of the operands, as PyTorch lists them."""
        return tuple((way.node, 0) for way in self.ways)

    def keep(self, tensors: Sequence[Any]) -> None:
        """Save tensors from which the gradient is computed, with their versions."""
        self._kept = [(tensor, tensor._storage.version) for tensor in tensors]

    @property
    def _saved_tensors(self) -> list[Any]:
        """Return the saved tensors. Raises RuntimeError if one was modified since."""
        for tensor, version in self._kept:
            if tensor._storage.version != version:
                raise RuntimeError(
                    "one of the variables needed for gradient computation has been modified by an "
                    f"inplace operation: a tensor of shape {list(tensor.shape)} is at version "
                    f"{tensor._storage.version}; expected version {version} instead."
                )
        return [tensor for tensor, _ in self._kept]

    def name(self) -> str:
        """Return the name."""
        return self._name

    def rename(self, name: str) -> None:
        """Set the name."""
        self._name = name

    def __repr__(self) -> str:
        """Return the name as PyTorch does."""
        return f"<{self._name} object at {id(self):#x}>"


class Mode:
    """Whether operations are recorded."""

    enabled = True


class _Switch(contextlib.ContextDecorator):
    """Switches recording for a while, as a context manager or as a decorator."""

    on = False

    def __init__(self, mode: bool | Callable = True):
        self._on = self.on if mode is True or callable(mode) else not self.on
        self._before: list[bool] = []

    def __new__(cls, mode: Any = True) -> Any:
        """Decorate a function at once if used without parentheses."""
        if callable(mode):
            return cls()(mode)
        return super().__new__(cls)

    def __enter__(self) -> None:
        self._before.append(Mode.enabled)
        Mode.enabled = self._on

    def __exit__(self, *_: object) -> None:
        Mode.enabled = self._before.pop()


class no_grad(_Switch):  # noqa: N801 -- PyTorch's name
    """Stops recording."""


class inference_mode(_Switch):  # noqa: N801 -- PyTorch's name
    """Stops recording."""


class enable_grad(_Switch):  # noqa: N801 -- PyTorch's name
    """Records operations."""

    on = True


class set_grad_enabled:  # noqa: N801 -- PyTorch's name
    """Switches recording on or off, at once, and back where it is a context."""

    def __init__(self, mode: bool):
        """Switch."""
        self._before, Mode.enabled = Mode.enabled, bool(mode)

    def __enter__(self) -> None:
        """Do nothing more."""

    def __exit__(self, *_: object) -> None:
        """Switch back."""
        Mode.enabled = self._before


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return Mode.enabled


def root_of(tensor: Any) -> Any:
    """Return the tensor that a view shows a part of."""
    return tensor if tensor._base is None else tensor._base


def node_of(tensor: Any) -> Node | None:
    """Return the node of the numbers that a tensor shows, or None if it requires no gradient."""
    root = root_of(tensor)
    if root._wants and root._leaf is None:
        size = 0 if hasattr(root._storage, "what") else len(root._storage)
        root._leaf = Node("torch::autograd::AccumulateGrad", (), size)
        root._leaf.variable = root
    return root._leaf if root._wants else root._node


def ways(operands: Iterable[Any]) -> list[Way]:
    """Return the ways back to those operands that require gradients.

    An operand is a tensor, whose gradient comes in row-major order, or a tensor and the places of
    its storage that were read.
    """
    found = []
    for number, operand in enumerate(operands):
        x, where = operand if isinstance(operand, tuple) else (operand, None)
        if hasattr(x, "_strides") and (node := node_of(x)) is not None:
            found.append(Way(number, node, view_of(x) if where is None else where))
    return found


def view_of(x: Any) -> tuple:
    """Return what a tensor shows of its storage."""
    return tuple(x.shape), x._strides, x._offset


def spots(shape: tuple, strides: tuple, offset: int) -> Sequence[int]:
    """Return the places of a view in its storage, in row-major order."""
    if is_contiguous(shape, strides):
        return range(offset, offset + math.prod(shape))
    return [offset + place for place in places(shape, strides)]


def same(gradient: Flat) -> tuple[Flat]:
    """Return a gradient as it is: the way back through a copy."""
    return (gradient,)


def connect(
    result: Any, operands: Sequence[Any], back: Back | None = None, saves: bool = True
) -> None:
    """Record that a tensor was computed from others, if one of them requires gradients."""
    if Mode.enabled and result.dtype.is_floating_point and (found := ways(operands)):
        shape = tuple(result.shape)
        view = shape, result._strides
        result._node = Node(UNNAMED, found, result.shape.numel(), view, back, saves)


def flow(starts: Iterable[tuple[Node, Flat]], again: bool) -> dict[Node, Flat]:
    """Return the gradients of all nodes before some. Raises RuntimeError if it's the second time.

    If it has to be possible `again`, nothing is forgotten.
    """
    found: dict[Node, Flat] = {}
    for node, gradient in starts:
        _add(found, node, range(len(gradient)), gradient)
    for node in _ordered(found):
        if not node.ways or node not in found:
            continue
        assert node._saved_tensors is not None
        if node.back is None:
            raise missing(f"gradient of {node.name().removesuffix(UNNAMED).lower()}")
        gradient = found[node]
        if node.strides != contiguous_strides(node.shape):
            gradient = gathered(gradient, 0, node.shape, node.strides)
        parts = node.back(gradient)
        for number, before, where in node.ways:
            if (part := parts[number]) is not None:
                _add(found, before, spots(*where) if isinstance(where, tuple) else where, part)
        if node.saves and not again:
            node.back = _forgotten
    return found


def _add(found: dict[Node, Flat], node: Node, where: Sequence[int], values: Flat) -> None:
    """Add numbers to a node's gradient at some places."""
    gradient = found.get(node)
    if gradient is None:
        gradient = found[node] = [0.0] * node.size
    if isinstance(where, range):
        part = slice(where.start, where.stop)
        gradient[part] = map(add, gradient[part], values)
    else:
        for place, value in zip(where, values, strict=True):
            gradient[place] += value


def _forgotten(_: Flat) -> Sequence[Flat | None]:
    raise RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Specify retain_graph=True if you need to backward "
        "through the graph a second time."
    )


def _ordered(starts: Iterable[Node]) -> list[Node]:
    """Return nodes and all before them, each before those that it was computed from."""
    order, seen, waiting = [], set(), [(node, False) for node in starts]
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            waiting += [(node, True), *((way.node, False) for way in node.ways)]
    return order[::-1]

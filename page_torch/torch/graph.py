"""The graph of operations: enough to know whether gradients would flow back to a tensor.

No gradient is ever computed. Operations that compute floats from a tensor with requires_grad create
a node, as in PyTorch, which links to those of its operands.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any


class Node:
    """A step of a computation, and the steps before it."""

    __slots__ = ("_kept", "_name", "next_functions", "variable")

    def __init__(self, name: str, following: Sequence["Node"]):
        """Store a name, and the nodes of the operands."""
        self._name = name
        self.next_functions = tuple((node, 0) for node in following)
        self._kept: list[tuple[Any, int]] = []

    def keep(self, tensors: Sequence[Any]) -> None:
        """Save tensors from which the gradient would be computed, with their versions."""
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


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return Mode.enabled


def node_of(tensor: Any) -> Node | None:
    """Return the node of a tensor, or None if it requires no gradient."""
    root = tensor if tensor._base is None else tensor._base
    if root._wants:
        if root._leaf is None:
            root._leaf = Node("torch::autograd::AccumulateGrad", ())
            root._leaf.variable = root
        node = root._leaf
    else:
        node = root._node
    return node if root is tensor or node is None else Node("ViewBackward0", [node])


def connect(result: Any, operands: Sequence[Any], name: str = "Backward0") -> None:
    """Record that a tensor was computed from others, if one of them requires gradients."""
    if Mode.enabled and result.dtype.is_floating_point:
        following = [node for node in map(node_of, operands) if node is not None]
        if following:
            result._node = Node(name, following)

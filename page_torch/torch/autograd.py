"""`torch.autograd`: gradients along the graph of operations."""

from collections.abc import Sequence
from typing import Any, cast

from .elementwise import laid_as
from .graph import (
    Node,
    enable_grad,
    flow,
    no_grad,
    node_of,
    root_of,
    set_grad_enabled,
    spots,
    view_of,
)
from .layout import gathered
from .missing import Absent, missing
from .operation import TORCH, method, named
from .tensor import Tensor, numbers, rounded

__all__ = ["backward", "enable_grad", "grad", "no_grad", "set_grad_enabled"]


def _listed(given: Any) -> list:
    return list(given) if isinstance(given, Sequence) else [given]


def _begun(outputs: list, given: Any) -> list[tuple[Node, list[float]]]:
    """Return the nodes of outputs with their gradients: 1, if there are none for a number."""
    starts = []
    gradients = [None] * len(outputs) if given is None else _listed(given)
    for output, gradient in zip(outputs, gradients, strict=True):
        if (node := node_of(output)) is None:
            raise RuntimeError(
                "element 0 of tensors does not require grad and does not have a grad_fn"
            )
        if gradient is None and output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if gradient is not None and gradient.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output has a shape of {gradient.shape} and output has a "
                f"shape of {output.shape}."
            )
        flat = [0.0] * node.size
        values = [1.0] if gradient is None else numbers(gradient)
        for place, value in zip(spots(*view_of(output)), values, strict=True):
            flat[place] += value
        starts.append((node, flat))
    return starts


def _gradient(x: Tensor, flat: list[float]) -> Tensor:
    """Return the gradient of a tensor from that of its storage."""
    values = gathered(flat, x._offset, tuple(x.shape), x._strides)
    return rounded(values, x.shape, x.dtype, strides=laid_as(x))


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, inputs: Any = None,
) -> None:  # fmt: skip
    """Add to `.grad` of each leaf its gradient."""
    if create_graph:
        raise missing("gradients of gradients")
    found = flow(_begun(_listed(tensors), grad_tensors), bool(retain_graph))
    wanted = None if inputs is None else [node_of(x) for x in _listed(inputs)]
    for node, flat in found.items():
        leaf = getattr(node, "variable", None)
        if leaf is None or (wanted is not None and node not in wanted):
            continue
        with no_grad():
            gradient = _gradient(leaf, flat)
            leaf.grad = gradient if leaf.grad is None else leaf.grad.add_(gradient)


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
    is_grads_batched: bool = False, materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """Return the gradients of outputs in some inputs."""
    if create_graph or is_grads_batched:
        raise missing("gradients of gradients, or of several at once")
    nodes, given = [], _listed(inputs)
    for x in given:
        if not x.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        if root_of(x) is not x:
            raise missing("gradient in a view of another tensor")
        nodes.append(cast("Node", node_of(x)))
    retained = create_graph if retain_graph is None else retain_graph
    found = flow(_begun(_listed(outputs), grad_outputs), retained)
    gradients = []
    for n, (x, node) in enumerate(zip(given, nodes, strict=True)):
        if node not in found and not (allow_unused or materialize_grads):
            raise RuntimeError(
                f"The differentiated Tensor at index {n} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        flat = found.get(node)
        unused = TORCH["zeros_like"](x) if materialize_grads else None
        gradients.append(unused if flat is None else _gradient(x, flat))
    return tuple(gradients)


@method
@named("backward")
def _backward(
    self: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None,
    create_graph: bool = False, inputs: Any = None,
) -> None:  # fmt: skip
    backward(self, gradient, retain_graph, create_graph, inputs)


def __getattr__(name: str) -> Any:
    """Return a stand-in for what the page has not, which raises when it is used."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"torch.autograd.{name}")

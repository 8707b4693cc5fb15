"""How gradients flow from a function's results to its arguments.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

from typing import Any

from torch import Tensor

RESULTS_LIMIT = 8  # no exercise needs more


def arguments(args: tuple, trains: tuple[int, ...], leaves: list[Tensor]) -> tuple:
    """Copy the arguments through which a model trains, by their numbers, as `moving` does."""
    return tuple(moving(arg, leaves) if n in trains else arg for n, arg in enumerate(args))


def moving(value: Any, leaves: list[Tensor]) -> Any:
    """Copy a value so that its float tensors require gradients; list the leaves they come from."""
    if isinstance(value, Tensor) and value.is_floating_point():
        leaves.append(value.requires_grad_())
        return value.clone()  # not a leaf itself: modifying it is another property's concern
    if isinstance(value, tuple | list):
        return type(value)(moving(item, leaves) for item in value)
    if isinstance(value, dict):
        return {key: moving(item, leaves) for key, item in value.items()}
    return value


def origins(result: Any, leaves: list[Tensor]) -> tuple[tuple[int, ...], ...]:
    """Return for each result the numbers of the leaves that its gradient reaches.

    Raises RuntimeError, as a backward pass would, if a saved tensor was modified in place.
    """
    results = result[:RESULTS_LIMIT] if isinstance(result, tuple | list) else (result,)
    reached = [_reached(part.grad_fn) if isinstance(part, Tensor) else set() for part in results]
    return tuple(tuple(n for n, leaf in enumerate(leaves) if id(leaf) in ids) for ids in reached)


def _reached(grad_fn: Any) -> set[int]:
    """Return the ids of the leaves that a backward pass from here would reach."""
    nodes = [grad_fn]
    seen, found = {None}, set()
    while nodes:
        node = nodes.pop()
        if node not in seen:
            seen.add(node)
            _look_at_what_is_kept(node)
            found.add(id(getattr(node, "variable", None)))
            nodes += [following for following, _ in node.next_functions]
    return found


def _look_at_what_is_kept(node: Any) -> None:
    """Access all saved tensors of a step, so that PyTorch compares their versions."""
    for name in dir(node):
        if name.startswith("_saved_"):
            getattr(node, name)

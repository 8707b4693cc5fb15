"""Parameters: tensors that a module owns and that require gradients."""

from typing import Any

from ..creation import tensor
from ..tensor import Tensor, over


class Parameter(Tensor):
    """A tensor that a module registers as a parameter."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> "Parameter":
        """Return a parameter with a tensor's storage and no history."""
        given = tensor([]) if data is None else data
        made = over(given._storage, given.shape, given._strides, given._offset, given.dtype, cls)
        made.requires_grad = requires_grad
        return made  # type: ignore[return-value]

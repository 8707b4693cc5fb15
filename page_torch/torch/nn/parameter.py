"""Parameters: tensors that a module owns and that want gradients."""

from typing import Any

from ..creation import tensor
from ..tensor import Tensor, over


class Parameter(Tensor):
    """A tensor that a module lists among its parameters."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> "Parameter":
        """Take the storage of a tensor, and start anew with it."""
        given = tensor([]) if data is None else data
        made = over(given._storage, given.shape, given._strides, given._offset, given.dtype, cls)
        made.requires_grad = requires_grad
        return made  # type: ignore[return-value]

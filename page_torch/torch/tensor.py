"""A tensor: a storage of numbers, and the places of its own."""

import math
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .descriptions import CPU, META, Size, device, strided
from .dtypes import BOOL, dtype
from .graph import Back, Mode, Node, Way, connect, node_of, root_of, same, view_of
from .layout import Sizes, contiguous_strides, gathered, is_contiguous, places
from .missing import missing
from .names import NAMES
from .rounding import keep
from .storage import ON_META, Nowhere, Storage


class Tensor:
    """Numbers of one dtype in a grid; its operations are defined in other files."""

    __slots__ = (
        "__dict__", "__weakref__", "_base", "_leaf", "_node", "_offset", "_storage", "_strides",
        "_wants", "dtype", "grad", "shape",
    )  # fmt: skip
    is_a_tensor = True
    is_cuda = is_sparse = is_quantized = is_complex_ = is_mps = is_nested = False

    if TYPE_CHECKING:  # defined by `operators`
        __add__: Any
        __sub__: Any
        __mul__: Any
        __truediv__: Any
        __gt__: Any
        __neg__: Any

    _base: "Tensor | None"
    _leaf: Node | None
    _node: Node | None
    _offset: int
    _storage: Storage
    _strides: Sizes
    _wants: bool
    dtype: dtype
    grad: "Tensor | None"
    shape: Size

    def __getattr__(self, name: str) -> Any:
        """Raise NotOnThisPage for an attribute of PyTorch, AttributeError otherwise."""
        if name in NAMES["Tensor"]:
            raise missing(f"Tensor.{name}")
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")

    @property
    def device(self) -> device:
        """Where the numbers are."""
        return META if self.is_meta else CPU

    @property
    def layout(self) -> Any:
        """The memory layout: strided."""
        return strided

    @property
    def is_cpu(self) -> bool:
        """Return whether there are numbers."""
        return not self.is_meta

    @property
    def is_meta(self) -> bool:
        """Return whether there are no numbers, only a shape."""
        return isinstance(self._storage, Nowhere) and self._storage.what == ON_META

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """The bytes of a number."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of all numbers."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def _version(self) -> int:
        """How often the storage was modified."""
        return self._storage.version

    @property
    def requires_grad(self) -> bool:
        """Return whether gradients are required."""
        root = root_of(self)
        return root._wants or root._node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        if wanted and not self.dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        root = root_of(self)
        if root._node is not None and not wanted:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        if root._node is None:
            self._base, self._wants = (None if wanted else self._base), bool(wanted)

    @property
    def grad_fn(self) -> Node | None:
        """Return the step that computed the tensor, if gradients would flow through it."""
        if self.is_leaf or (node := node_of(self)) is None or self._base is None:
            return None if self.is_leaf else self._node
        return Node("ViewBackward0", [Way(0, node, view_of(self))])

    @property
    def is_leaf(self) -> bool:
        """Return whether it was not computed from tensors that require gradients."""
        root = root_of(self)
        return root._node is None and (root is self or not root._wants)

    __hash__ = object.__hash__


def over(
    storage: Storage, shape: Sequence[int], strides: Sizes, offset: int, kind: dtype,
    cls: type[Tensor] = Tensor,
) -> Tensor:  # fmt: skip
    """Return a tensor over a storage."""
    tensor = object.__new__(cls)
    tensor._storage, tensor._offset, tensor._strides = storage, offset, strides
    tensor.shape, tensor.dtype = Size(shape), kind
    tensor._base = tensor._leaf = tensor._node = tensor.grad = None
    tensor._wants = False
    return tensor


def new(
    values: list, shape: Sequence[int], kind: dtype, of: Sequence[Any] = (),
    strides: Sizes | None = None, back: Back | None = None, saves: bool = True,
) -> Tensor:  # fmt: skip
    """Return a tensor of numbers in row-major order, which its dtype holds exactly.

    `of` are the tensors it was computed from, to which gradients get `back` (see `graph`).
    """
    shape = tuple(shape)
    plain = contiguous_strides(shape)
    if strides is not None and strides != plain:
        values = _arranged(values, shape, strides)
        plain = strides
    tensor = over(Storage(values), shape, plain, 0, kind)
    if of:
        connect(tensor, of, back, saves)
    return tensor


def copied(x: Tensor, shape: Sequence[int], strides: Sizes | None = None) -> Tensor:
    """Return a copy of the numbers, perhaps in another shape."""
    return new(numbers(x), shape, x.dtype, (x,), strides, same, False)


def read_at(x: Tensor, places: Sequence[int], shape: Sequence[int]) -> Tensor:
    """Return a copy of the numbers at some places of the storage."""
    values = [x._storage[place] for place in places]
    return new(values, shape, x.dtype, ((x, places),), None, same)


def _arranged(values: list, shape: Sizes, strides: Sizes) -> list:
    """Return numbers, given in row-major order, arranged by strides."""
    storage = [0] * len(values)
    for place, value in zip(places(shape, strides), values, strict=True):
        storage[place] = value
    return storage


def unknown(*tensors: Tensor) -> Nowhere | None:
    """Return the storage of a tensor that has no numbers, if there is one."""
    found = [x._storage for x in tensors if isinstance(x._storage, Nowhere)]
    return max(found, key=lambda storage: storage.what == ON_META) if found else None


def without_numbers(
    nowhere: Nowhere, shape: Sequence[int], kind: dtype, of: Sequence[Tensor] = (),
    step: tuple[str, Sequence[Any], Sequence[int]] | None = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of which only shape, dtype and the step that made it are known."""
    storage = type(nowhere)(nowhere.what)
    storage.step = (*step, tuple(shape)) if step else None
    tensor = over(storage, shape, contiguous_strides(tuple(shape)), 0, kind)
    connect(tensor, of)
    return tensor


def rounded(
    values: Iterable, shape: Sequence[int], kind: dtype, of: Sequence[Any] = (),
    strides: Sizes | None = None, back: Back | None = None, saves: bool = True,
) -> Tensor:  # fmt: skip
    """Return a tensor of numbers in row-major order, converted to its dtype."""
    return new(keep(values, kind), shape, kind, of, strides, back, saves)


def show(x: Tensor, shape: Sequence[int], strides: Sizes, further: int = 0) -> Tensor:
    """Return a view of the same numbers."""
    view = over(x._storage, shape, strides, x._offset + further, x.dtype)
    if Mode.enabled:
        view._base = x if x._base is None else x._base
    return view


def numbers(x: Tensor) -> list:
    """Return the numbers in row-major order."""
    storage, offset = x._storage, x._offset
    if is_contiguous(x.shape, x._strides):
        return storage[offset : offset + math.prod(x.shape)]
    return gathered(storage, offset, x.shape, x._strides)


def item(x: Tensor) -> Any:
    """Return the only number. Raises RuntimeError if there are more, or none."""
    if math.prod(x.shape) != 1:
        count = math.prod(x.shape)
        raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")
    return x._storage[x._offset]


def axis(x: Tensor, dim: Any, more: int = 0) -> int:
    """Return an axis counted from the front. Raises IndexError if there is none."""
    count = max(len(x.shape) + more, 1)
    dim = dim if type(dim) is int else whole(dim, "dim")
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    return dim % count


def real_axis(x: Tensor, dim: Any) -> int:
    """Return an axis counted from the front. Raises IndexError for none, or without any axis."""
    if not x.shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return axis(x, dim)


def whole(value: Any, name: str) -> int:
    """Return an integer. Raises TypeError for anything else."""
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"argument '{name}' must be int, not {type(value).__name__}")
    return operator.index(value)


def sizes(given: tuple) -> tuple[int, ...]:
    """Read sizes that are given one by one, or as one tuple or list."""
    if len(given) == 1 and isinstance(given[0], tuple | list):
        given = tuple(given[0])
    return tuple(n if type(n) is int else whole(n, "size") for n in given)


def is_bool(x: Any) -> bool:
    """Return whether it is a boolean tensor."""
    return isinstance(x, Tensor) and x.dtype is BOOL

"""Settings of PyTorch's, as far as anyone asks for them, and the oldest names of types."""

from types import SimpleNamespace
from typing import Any

from .dtypes import (
    ALL,
    COMPLEX64,
    COMPLEX128,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    dtype,
)
from .kinds import Size
from .layout import broadcast
from .making import bare, tensor
from .missing import missing
from .operation import torch_function
from .tensor import Tensor

#: Types by the names that C has for them.
SPOKEN: dict[str, Any] = {
    "half": FLOAT16, "float": FLOAT32, "double": FLOAT64,
    "short": INT16, "int": INT32, "long": INT64,
    "complex64": COMPLEX64, "cfloat": COMPLEX64, "complex128": COMPLEX128, "cdouble": COMPLEX128,
}  # fmt: skip

_C = SimpleNamespace(
    _functorch=SimpleNamespace(is_functorch_wrapped_tensor=lambda _: False),
    _get_tracing_state=lambda: None,
)


class SymInt:
    """A size that is not known yet: none is."""


SPOKEN["SymInt"] = SymInt


@torch_function
def get_default_dtype() -> dtype:
    return FLOAT32


@torch_function
def set_default_dtype(d: dtype) -> None:
    if d is not FLOAT32:
        raise missing(f"set_default_dtype({d})")


@torch_function
def is_autocast_enabled(device_type: str = "cpu") -> bool:
    return False


@torch_function
def get_num_threads() -> int:
    return 1


@torch_function
def set_num_threads(int: int) -> None:
    """Stay with one."""


@torch_function
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Stay so."""


@torch_function
def broadcast_shapes(*shapes: Any) -> Any:
    return Size(
        broadcast(*((shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes))
    )


def _oldest(kind: dtype) -> Any:
    """Make `torch.LongTensor` and its like: of a list, or of a size."""

    def make(*data: Any) -> Tensor:
        if len(data) == 1 and not isinstance(data[0], int):
            return tensor(data[0], dtype=kind)
        return bare(tuple(map(int, data)) or (0,), kind)

    make.__name__ = f"{kind.spoken}Tensor"
    return make


SPOKEN |= {f"{kind.spoken}Tensor": _oldest(kind) for kind in ALL.values()}

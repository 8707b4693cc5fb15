"""What describes a tensor: Size, device, layout, and pairs of values and indices."""

import math
from functools import cache
from typing import Any, NoReturn

from .missing import missing


class Size(tuple):
    """The lengths of the axes."""

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        """Return the lengths as PyTorch does."""
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, at: Any) -> Any:
        """Return a length, or a part, which is a Size again."""
        got = tuple.__getitem__(self, at)
        return Size(got) if isinstance(at, slice) else got

    def __add__(self, other: Any) -> Any:
        """Append another tuple."""
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        """Prepend another tuple."""
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        """Repeat the lengths."""
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


class device:  # noqa: N801 -- PyTorch's name
    """Where the numbers are: on the CPU, or nowhere ("meta")."""

    def __init__(self, type: Any = "cpu", index: int | None = None):
        """Parse a name, with or without an index."""
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "meta", "cuda", "mps", "xpu"):
            raise RuntimeError(f"Expected one of cpu, cuda, mps, xpu, meta as device, not {name}")
        self.type = name
        self.index = int(number) if number else index

    def __str__(self) -> str:
        """Return the name, with the index if there is one."""
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        """Return the device as PyTorch does."""
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __enter__(self) -> NoReturn:
        """Raise NotOnThisPage: there is no default device to change."""
        raise missing("torch.device in a with statement")

    def __exit__(self, *_: object) -> None:
        """Do nothing: `with` requires it, but `__enter__` raises."""

    def __eq__(self, other: object) -> bool:
        """Compare names and numbers."""
        return isinstance(other, device) and str(self) == str(other)

    def __hash__(self) -> int:
        """Return a hash that agrees with `__eq__`."""
        return hash(str(self))


CPU, META = device("cpu"), device("meta")


def is_meta(wanted: Any) -> bool:
    """Return whether a device is "meta"; the only other one is the CPU."""
    found = device(wanted or "cpu")
    if found.type not in ("cpu", "meta"):
        raise missing(f"device '{found}'")
    return found.type == "meta"


class Named:
    """An object with a name and nothing else."""

    def __init__(self, name: str):
        """Store the name."""
        self._name = name

    def __repr__(self) -> str:
        """Return the name as PyTorch does."""
        return f"torch.{self._name}"


strided = Named("strided")
contiguous_format, preserve_format = Named("contiguous_format"), Named("preserve_format")
channels_last = Named("channels_last")


class Pair(tuple):
    """Values and their indices."""

    __slots__ = ()
    name = ""
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self) -> str:
        """Return both as PyTorch does."""
        return f"torch.return_types.{self.name}(\nvalues={self[0]!r},\nindices={self[1]!r})"


@cache
def _pair_of(name: str) -> type[Pair]:
    return type(name, (Pair,), {"name": name, "__slots__": ()})


def pair(name: str, values: Any, indices: Any) -> Pair:
    """Return values and indices as the result of an operation of this name."""
    return _pair_of(name)((values, indices))

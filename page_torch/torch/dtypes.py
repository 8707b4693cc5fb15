"""Types of numbers: their names and sizes, and the promotion of two of them."""

from typing import Any

from .missing import missing

NAMES = {
    "bool": ("Bool", "bool", 1),
    "uint8": ("Byte", "unsigned char", 1),
    "int8": ("Char", "signed char", 1),
    "int16": ("Short", "short", 2),
    "int32": ("Int", "int", 4),
    "int64": ("Long", "long", 8),
    "float16": ("Half", "c10::Half", 2),
    "bfloat16": ("BFloat16", "c10::BFloat16", 2),
    "float32": ("Float", "float", 4),
    "float64": ("Double", "double", 8),
    "complex64": ("ComplexFloat", "c10::complex<float>", 8),
    "complex128": ("ComplexDouble", "c10::complex<double>", 16),
}


class dtype:  # noqa: N801 -- PyTorch's name
    """A type of numbers. There is one object of each.

    `kind` is 0 for booleans, 1 for integers, 2 for floats, 3 for complex numbers; `spoken` and
    `in_c` are the names in PyTorch's messages.
    """

    def __init__(self, name: str):
        """Look up the properties of a dtype of this name."""
        self.name = name
        self.spoken, self.in_c, self.itemsize = NAMES[name]
        self.rank = list(NAMES).index(name)
        self.is_floating_point = "float" in name
        self.is_signed = name not in ("bool", "uint8")
        self.is_complex = "complex" in name
        self.kind = 3 if self.is_complex else 2 if self.is_floating_point else int(name != "bool")

    def __repr__(self) -> str:
        """Return its name as PyTorch does."""
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        """Return the name, so that copies are the same object."""
        return self.name


(BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64,
 COMPLEX64, COMPLEX128) = map(dtype, NAMES)  # fmt: skip
#: The dtypes whose numbers a tensor stores one by one.
ALL = {d.name: d for d in (BOOL, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16)}
ALL |= {d.name: d for d in (FLOAT32, FLOAT64)}
#: Dtypes by their names in C.
SPOKEN = {
    "half": FLOAT16, "float": FLOAT32, "double": FLOAT64,
    "short": INT16, "int": INT32, "long": INT64,
    "complex64": COMPLEX64, "cfloat": COMPLEX64, "complex128": COMPLEX128, "cdouble": COMPLEX128,
}  # fmt: skip


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest type that holds what both hold."""
    low, high = sorted((type1, type2), key=lambda d: d.rank)
    if low.kind == high.kind:
        if (low, high) == (UINT8, INT8):
            return INT16
        if (low, high) == (FLOAT16, BFLOAT16):
            return FLOAT32
    return COMPLEX128 if (low, high) == (FLOAT64, COMPLEX64) else high


#: Binary digits of a float dtype, and the maximum exponent.
BITS = {"float64": (53, 1023), "float32": (24, 127), "float16": (11, 15), "bfloat16": (8, 127)}


class finfo:  # noqa: N801 -- PyTorch's name
    """Limits of a float dtype."""

    def __init__(self, type: dtype | None = None):
        """Compute the limits from the number of bits."""
        kind = type or FLOAT32
        if isinstance(kind, dtype) and kind.is_complex:
            raise missing("finfo of complex numbers")
        if not isinstance(kind, dtype) or not kind.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point type, not '{kind}'")
        digits, exponent = BITS[kind.name]
        self.dtype, self.bits = kind.name, 8 * kind.itemsize
        self.max = (2 - 2.0 ** (1 - digits)) * 2.0**exponent
        self.min, self.eps = -self.max, 2.0 ** (1 - digits)
        self.tiny = self.smallest_normal = 2.0 ** (1 - exponent)


def limits(kind: dtype) -> tuple[int, int]:
    """Return the minimum and the maximum of an integer dtype."""
    bits = 8 * kind.itemsize - kind.is_signed
    return (-(1 << bits) if kind.is_signed else 0), (1 << bits) - 1


def type_of(value: Any) -> dtype:
    """Return the dtype that a Python number gets by default."""
    if isinstance(value, bool):
        return BOOL
    return INT64 if isinstance(value, int) else FLOAT32


def no_bools(name: str, kind: dtype) -> None:
    """Raise NotImplementedError for booleans, as a kernel of this name does."""
    if kind is BOOL:
        raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")


def only_floats(name: str, kind: dtype) -> None:
    """Raise NotImplementedError for anything but floats, as a kernel of this name does."""
    if not kind.is_floating_point:
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.spoken}'")

"""Shapes of complex tensors, as those of their pairs, and their numbers as Python's."""

from typing import Any

from .. import axes, casting, indexing, views
from ..missing import missing
from ..operation import COMPLEX, named
from ..tensor import axis, numbers, sizes
from .pairs import Complex, of_complex, over


@of_complex
def size(input: Complex, dim: Any = None) -> Any:
    return input.shape if dim is None else input.shape[axis(input, dim)]


@of_complex
def reshape(input: Complex, *shape: Any) -> Complex:
    return over(views.reshape(input.pairs, *sizes(shape), 2))


@of_complex
def view(input: Complex, *shape: Any) -> Complex:
    return over(views.view(input.pairs, *sizes(shape), 2))


@of_complex
def flatten(input: Complex, start_dim: int = 0, end_dim: int = -1) -> Complex:
    ends = axis(input, start_dim), axis(input, end_dim)
    return over(views.flatten(input.pairs, *ends)) if input.shape else reshape(input, 1)


@of_complex
def unsqueeze(input: Complex, dim: int) -> Complex:
    return over(axes.unsqueeze(input.pairs, axis(input, dim, 1)))


@of_complex
def transpose(input: Complex, dim0: int, dim1: int) -> Complex:
    if not input.shape:
        raise missing("transpose of one complex number")
    return over(axes.transpose(input.pairs, axis(input, dim0), axis(input, dim1)))


@of_complex
def contiguous(input: Complex) -> Complex:
    pairs = views.contiguous(input.pairs)
    return input if pairs is input.pairs else over(pairs)


@of_complex
def clone(input: Complex) -> Complex:
    return over(casting.clone(input.pairs))


@of_complex
def detach(input: Complex) -> Complex:
    return over(casting.detach(input.pairs))


@of_complex
def item(input: Complex) -> Any:
    flat = numbers(input.pairs)
    if len(flat) != 2:
        raise RuntimeError(f"a Tensor with {len(flat) // 2} elements cannot be converted to Scalar")
    return complex(*flat)


@of_complex
def tolist(input: Complex) -> Any:
    def paired(nested: Any) -> Any:
        return list(map(paired, nested)) if isinstance(nested[0], list) else complex(*nested)

    if 0 in input.shape:
        return casting.tolist(input.real)
    return paired(casting.tolist(input.pairs))


COMPLEX |= {
    "dim": lambda input: len(input.shape),
    "numel": lambda input: input.shape.numel(),
    "is_contiguous": lambda input: views.is_contiguous(input.pairs),
}


@of_complex
@named("__getitem__")
def part(self: Complex, key: Any) -> Complex:
    parts = key if isinstance(key, tuple) else (key,)
    if any(type(part) not in (int, slice, type(None), type(...)) for part in parts):
        raise missing("such indices of complex numbers")
    ends = (slice(None),) if any(part is ... for part in parts) else (..., slice(None))
    return over(indexing.get(self.pairs, (*parts, *ends)))

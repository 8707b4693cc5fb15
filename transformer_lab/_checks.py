"""Refusals that several parts share: what was given, what was expected, how to mend it.

Here those of sizes, vectors and parts; those of ids and texts are in `_text_checks`.
"""

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import torch
from torch import Tensor, nn

NUMBERS = ["no axis", "one axis", "two axes", "three axes"]


def is_mapped(tensor: Tensor) -> bool:
    """Return whether torch.func holds the tensor: vmap, which may stand for many, or grad."""
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return not torch.compiler.is_compiling() and wrapped(tensor)  # which knows not that function


def can_look(tensor: Tensor) -> bool:
    """Return whether there are numbers to look at: not on meta, nor while torch traces or maps."""
    return not (tensor.is_meta or is_mapped(tensor) or torch.compiler.is_compiling())


def is_plain(tensor: Tensor) -> bool:
    """Return whether what is made beside the tensor may be kept: no torch mode intervenes."""
    return type(tensor) is Tensor and can_look(tensor)


def fits(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    """Return whether a shape broadcasts to another, which stays as it is."""
    pairs = zip(shape[::-1], wanted[::-1], strict=False)
    return len(shape) <= len(wanted) and all(size in (1, other) for size, other in pairs)


def check_integers(*, least: int | None = 1, **numbers: object) -> None:
    """Refuse sizes and counts that are not whole, or too small."""
    for name, number in numbers.items():
        if type(number) is int and (least is None or number >= least):
            continue  # most are: without the slow calls
        if isinstance(number, Tensor) and torch._C._get_tracing_state():
            continue  # torch.jit.trace makes tensors of sizes
        if isinstance(number, bool) or not isinstance(number, Integral | torch.SymInt):
            raise TypeError(f"{name} must be a whole number, but is {number!r}.")
        if least is not None and number < least:
            raise ValueError(f"{name} must be at least {least}, but is {number}.")


def is_number(value: object) -> bool:
    """Return whether a value is one real number, be it in a tensor."""
    return isinstance(value, Real) or (isinstance(value, Tensor) and value.numel() == 1)


def check_number(**numbers: object) -> None:
    """Refuse what is not one number: texts, None, several in one tensor."""
    for name, number in numbers.items():
        if not is_number(number):
            raise TypeError(f"{name} must be a number, but is {number!r}.")


def check_share(**shares: float) -> None:
    """Refuse probabilities that are none, NaN among them."""
    check_number(**shares)
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be a probability, from 0 to 1, but is {share}.")


def check_eps(eps: float) -> None:
    """Refuse what a norm cannot add below its root: less than 0, and what is no number."""
    check_number(eps=eps)
    if not eps >= 0:
        raise ValueError(f"eps must be at least 0, a small number as 1e-5, but is {eps}.")


def check_kind(dtype: torch.dtype) -> None:
    """Refuse what is no dtype of floats."""
    if not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise TypeError(f"dtype must be one of floats, such as torch.float32, but is {dtype!r}.")


def check_positive(**numbers: float) -> None:
    """Refuse zero, what is below it, NaN, and what is no number."""
    check_number(**numbers)
    for name, number in numbers.items():
        if not number > 0:
            raise ValueError(f"{name} must be a positive number, but is {number}.")


def check_tensors(**values: object) -> None:
    """Refuse lists, arrays and whatever else is no tensor."""
    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{name} must be a tensor, but is a {type(value).__name__}. "
                f"torch.as_tensor({name}) makes one of a list or an array."
            )


def check_floats(**tensors: Tensor) -> None:
    """Refuse whole numbers and truth values where vectors or scores are read."""
    check_tensors(**tensors)
    for name, tensor in tensors.items():
        if not tensor.is_floating_point():
            raise TypeError(
                f"{name} must hold floats, but is {tensor.dtype}. {name}.float() makes floats of "
                f"numbers; ids become vectors by an embedding, and a mask is given as mask=."
            )


def check_boolean(name: str, tensor: Tensor, hint: str, *, axes: int = 1) -> None:
    """Refuse what is not boolean, or has too few axes."""
    check_axes(axes, "..., length", **{name: tensor})
    if tensor.dtype != torch.bool:
        raise TypeError(f"{name} must be boolean, but is {tensor.dtype}. {hint}")


def check_devices(**tensors: Tensor) -> None:
    """Refuse tensors that lie on several devices."""
    (first, one), *others = tensors.items()
    for name, other in others:
        if other.device != one.device:
            raise ValueError(
                f"{name} must be on the same device as {first}, {one.device}, but is on "
                f'{other.device}. {name}.to("{one.device}") moves it.'
            )


def check_dtypes(**tensors: Tensor) -> None:
    """Refuse floats of several dtypes, but where autocast sees to that, or on several devices."""
    check_devices(**tensors)
    (first, one), *others = tensors.items()
    for name, other in others:
        if other.dtype != one.dtype and not torch.is_autocast_enabled(one.device.type):
            raise TypeError(
                f"{name} must be of the same dtype as {first}, but is {other.dtype}, and {first} "
                f"is {one.dtype}. {name}.to({one.dtype}) makes it so."
            )


def check_axes(least: int, names: str, **tensors: Tensor) -> None:
    """Refuse tensors with too few axes, and what is no tensor."""
    check_tensors(**tensors)
    for name, tensor in tensors.items():
        if tensor.dim() < least:
            raise ValueError(
                f"{name} must have at least {NUMBERS[least]}, ({names}), but has shape "
                f"{tuple(tensor.shape)}. Add an axis with {name}[None]."
            )


def check_leading(own: int, **tensors: Tensor) -> torch.Size:
    """Refuse tensors whose axes before their `own` last ones differ, other than by being 1."""
    first, *others = (tensor.shape[:-own] for tensor in tensors.values())
    try:
        return first if others == [first] * len(others) else torch.broadcast_shapes(first, *others)
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(tensor.shape)}" for name, tensor in tensors.items())
        raise ValueError(
            f"the axes before the last {own} (batch, heads) must be equal or 1, but the shapes "
            f"are {shapes}."
        ) from None


def check_width(part: str, width: int, **tensors: Tensor) -> None:
    """Refuse what are not floats, or not vectors of the width that the part was made for."""
    check_floats(**tensors)
    for name, tensor in tensors.items():
        if tensor.dim() == 0 or tensor.size(-1) != width:
            raise ValueError(
                f"{part} was made for vectors of width d_model = {width}, but {name} has shape "
                f"{tuple(tensor.shape)}: its last axis must be the width."
            )


def check_read(part: str, reader: Tensor | nn.Module, *, axes: int = 1, **tensors: Tensor) -> None:
    """Refuse vectors that a matrix cannot be multiplied with: of another width or dtype.

    A module that has been put in the place of an `nn.Linear` checks for itself what it reads.
    """
    weight = reader.weight if type(reader) is nn.Linear else reader
    if not isinstance(weight, Tensor):
        return
    for name, x in tensors.items():
        usual = isinstance(x, Tensor) and x.dtype == weight.dtype and x.dim() >= axes
        if usual and x.size(-1) == weight.size(-1) and x.device == weight.device:
            continue  # without slow calls: a norm takes hardly longer than they do
        check_width(part, weight.size(-1), **{name: x})
        check_axes(axes, "length, width", **{name: x})
        check_dtypes(**{f"the weights of {part}": weight, name: x})


def uncompiled(model: Any) -> Any:
    """Return the model that torch.compile was given, or else the model itself."""
    return getattr(model, "_orig_mod", model)


def rows_of(table: nn.Module) -> int | float:
    """Return how many vectors a table holds, or infinity for another module that does not say."""
    if isinstance(table, nn.Embedding):
        return len(table.weight)
    return getattr(table, "num_embeddings", math.inf)


def check_gives(part: str, read: Tensor, given: Tensor) -> None:
    """Refuse what a layer made of vectors, unless it is as many floats."""
    check_floats(**{f"what {part} gives": given})
    if given.shape != read.shape:
        raise ValueError(
            f"{part} must give as many numbers as it reads, {tuple(read.shape)}, but gave "
            f"{tuple(given.shape)}. Have mask and memory the batch of x?"
        )


def check_modules(name: str, parts: Iterable[object]) -> list[nn.Module]:
    """Return made modules as a list; refuse classes among them, and anything else."""
    if isinstance(parts, nn.Module | str) or not isinstance(parts, Iterable):
        raise TypeError(f"{name} must be a list of modules, but is a {type(parts).__name__}.")
    modules = [*parts]
    for i, part in enumerate(modules):
        check_module(f"{name}[{i}]", part)
    return modules  # type: ignore[return-value]


def check_module(name: str, part: object, kind: type[nn.Module] = nn.Module) -> None:
    """Refuse a class where the module that it makes is wanted, and anything else."""
    if not isinstance(part, kind):
        given = f"{part!r}."
        if isinstance(part, type):
            given = f"the class {part.__name__}. Call it to make one: {name}={part.__name__}(...)."
        raise TypeError(f"{name} must be a module, a made {kind.__name__}, but is {given}")

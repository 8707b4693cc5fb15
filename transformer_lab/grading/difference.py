"""The first difference between what a function gave and what it should have given, in words."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from transformer_lab.grading.trial import close, same
from transformer_lab.grading.values import Other, clean

SHORT = 60
LISTED = 40


@dataclass(frozen=True, eq=False)
class Finding:
    """The first thing wrong in a case; the two values are there where it helps to see them.

    `place` is the index of the first entry that differs.
    """

    words: str
    yours: Any = None
    expected: Any = None
    place: tuple[int, ...] = ()


def difference(name: str, axes: str, yours: Any, expected: Any, at: str = "") -> Finding | None:
    """Compare one result: kind, size, entries. `at` is where in the result these values stand."""
    if same(yours, expected):
        return None
    where = f" at {at}" if at else ""
    if _family(yours) is not _family(expected):
        return Finding(
            f"The {name}{where} should be {wanted(expected)}, but it is {kind(yours)}"
            f"{_hint(yours, expected)}."
        )
    if isinstance(expected, Tensor):
        return _of_tensors(f"{name}{where}", axes, yours, expected)
    if isinstance(expected, dict):
        return _of_dicts(name, axes, yours, expected, at)
    if isinstance(expected, tuple | list):
        return _of_sequences(name, axes, yours, expected, at)
    return Finding(f"The {name}{where}: yours is {short(yours)}, expected {short(expected)}.")


def wanted(expected: Any) -> str:
    """Name the kind of value that is expected."""
    if isinstance(expected, tuple | list | dict):
        return kind(expected)
    kinds = {Tensor: "a tensor", bool: "True or False", int: "a whole number", float: "a number"}
    return kinds.get(type(expected)) or ("a text" if isinstance(expected, str) else kind(expected))


def kind(value: Any) -> str:
    """Name the kind of value that was given."""
    if isinstance(value, Other):
        return f"a {value.type} {value.text}".strip()
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of length {len(value)}"
    if isinstance(value, dict):
        return f"a dict of {len(value)} entries" if value else "an empty dict"
    if isinstance(value, str):
        return f"the text {short(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"a plain number, {value}"
    return short(value)


def short(value: Any) -> str:
    """Write a value on part of a line."""
    text = clean(repr(value))
    return text if len(text) <= SHORT else f"{text[: SHORT - 2]} …"


def first_difference(yours: Tensor, expected: Tensor) -> tuple[int, ...]:
    """Give the index of the first entry, in reading order, that is not close."""
    return tuple((~close(yours, expected)).nonzero()[0].tolist())


def _of_tensors(name: str, axes: str, yours: Tensor, expected: Tensor) -> Finding:
    """Compare shape, dtype, entries."""
    if yours.shape != expected.shape:
        return Finding(
            f"The shape of the {name} is {tuple(yours.shape)}, expected {tuple(expected.shape)}"
            f"{f'; its last axes are ({axes})' if axes else ''}.",
            yours,
            expected,
        )
    if yours.dtype != expected.dtype:
        mine, right = (str(tensor.dtype).removeprefix("torch.") for tensor in (yours, expected))
        return Finding(f"The dtype of the {name} is {mine}, expected {right}.")
    place = first_difference(yours, expected)
    mine, right = (
        f"{entry:.6g}" if isinstance(entry, float) else str(entry)
        for entry in (yours[place].item(), expected[place].item())
    )
    if not place:
        return Finding(f"The {name}: yours is {mine}, expected {right}.")
    return Finding(
        f"The first difference in the {name} is at {list(place)}: yours is {mine}, "
        f"expected {right}.",
        yours,
        expected,
        place,
    )


def _of_dicts(name: str, axes: str, yours: dict, expected: dict, at: str) -> Finding | None:
    """Compare keys, then entries."""
    where = f" at {at}" if at else ""
    keys = ", ".join(map(repr, expected)) if len(expected) <= LISTED else f"{len(expected)} entries"
    if missing := [key for key in expected if key not in yours]:
        return Finding(f"The {name}{where} lacks the entry {missing[0]!r}; expected are {keys}.")
    if extra := [key for key in yours if key not in expected]:
        return Finding(f"The {name}{where} has an entry {short(extra[0])}; expected are {keys}.")
    found = (difference(name, axes, yours[k], expected[k], f"{at}[{k!r}]") for k in expected)
    return next(filter(None, found), None)


def _of_sequences(
    name: str, axes: str, yours: tuple | list, expected: tuple | list, at: str
) -> Finding | None:
    """Compare lengths, then entries; show the whole where it is short and simple."""
    where = f" at {at}" if at else ""
    simple = not any(isinstance(v, Tensor | tuple | list | dict) for v in (*yours, *expected))
    if simple and max(len(repr(yours)), len(repr(expected))) <= SHORT:
        return Finding(f"The {name}{where}: yours is {short(yours)}, expected {short(expected)}.")
    if len(yours) != len(expected):
        return Finding(
            f"The {name}{where}: yours has {len(yours)} entries, expected {len(expected)}."
        )
    if simple:
        pairs = enumerate(zip(yours, expected, strict=True))
        place = next(i for i, (mine, right) in pairs if not same(mine, right))
        return Finding(
            f"The first difference in the {name} is at {at}[{place}]: yours is "
            f"{short(yours[place])}, expected {short(expected[place])}.",
            yours,
            expected,
            (place,),
        )
    pairs = enumerate(zip(yours, expected, strict=True))
    found = (difference(name, axes, m, right, f"{at}[{i}]") for i, (m, right) in pairs)
    return next(filter(None, found), None)


def _family(value: Any) -> type:
    """Give the kind a value counts as: a list is as good as a tuple, an int as a float."""
    if isinstance(value, Other):
        return Other
    return tuple if isinstance(value, list) else type(value)


def _hint(yours: Any, expected: Any) -> str:
    """Say how to make the right kind of the wrong one."""
    if isinstance(expected, Tensor) and isinstance(yours, list | tuple):
        return " (torch.stack or torch.tensor makes a tensor of it)"
    if isinstance(yours, Tensor) and isinstance(expected, int | float):
        return " (.item() makes a number of it)"
    if isinstance(yours, Tensor) and isinstance(expected, list | tuple):
        return " (.tolist() makes a list of it)"
    if type(yours) is float and type(expected) is int:
        return " (// divides without a remainder)"
    if isinstance(yours, Other) and yours.type in ("builtin_function_or_method", "method"):
        return " (are the parentheses of a call missing?)"
    return ""

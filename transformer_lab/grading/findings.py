"""The first thing wrong with an outcome, in words: type, shape, dtype, values, arguments."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.sandbox import Died, TimedOut
from transformer_lab.grading.trial import Case, close, same
from transformer_lab.grading.worker import Missing, Other, Raised, Returned


@dataclass(frozen=True, eq=False)
class Finding:
    """The first thing wrong in a case; the two tensors are there when their values differ."""

    words: str
    yours: Tensor | None = None
    expected: Tensor | None = None


def finding(exercise: Exercise, case: Case, unchanged: bool = False) -> Finding | None:
    """Say the first thing wrong with an outcome, or None if it is right."""
    match case.outcome:
        case Returned(value, after):
            found = _value_finding(exercise, case.expected, value)
            if found is None and unchanged:
                found = _change_finding(exercise, case.inputs, after)
            return found
        case Raised(type="NotImplementedError"):
            return Finding("It is not written yet: it still raises NotImplementedError.")
        case Raised(kind, message, line, code):
            where = f"\nin line {line}: {code[:70]}" if code else ""
            return Finding(f"It raised {kind}{': ' if message else ''}{message}{where}")
        case TimedOut(seconds):
            return Finding(
                f"It gave no answer within {seconds:g} seconds. Is there a loop that never ends?"
            )
        case Died(how):
            return Finding(f"It {how}, so there is no answer to look at.")
        case Missing(name):
            return Finding(f"Its cell defines no function called `{name}`. Was it renamed?")


def _value_finding(exercise: Exercise, expected: Any, value: Any) -> Finding | None:
    """Compare structure first, then each result in turn."""
    names = list(exercise.results)
    parts = expected if isinstance(expected, tuple) else (expected,)
    wanted = f"a pair ({', '.join(names)})" if len(names) > 1 else "one tensor"
    if value is None:
        return Finding(f"It returned None, expected {wanted}. Is a `return` missing?")
    if len(names) > 1 and (not isinstance(value, tuple) or isinstance(value, Other)):
        given = "a single tensor" if isinstance(value, Tensor) else _kind(value)
        return Finding(f"It returned {given}, expected {wanted}: `return {', '.join(names)}`.")
    values = value if len(names) > 1 else (value,)
    if len(values) != len(names):
        return Finding(f"It returned {len(values)} results, expected {wanted}.")
    for name, mine, right in zip(names, values, parts, strict=True):
        if found := _tensor_finding(name, exercise.results[name], mine, right):
            return found
    return None


def _tensor_finding(name: str, axes: str, yours: Any, expected: Tensor) -> Finding | None:
    """Compare one result: type, shape, dtype, finite, close."""
    if not isinstance(yours, Tensor):
        return Finding(f"The {name} should be a tensor, but it is {_kind(yours)}.")
    if yours.shape != expected.shape:
        return Finding(
            f"The shape of the {name} is {tuple(yours.shape)}, expected {tuple(expected.shape)}; "
            f"its last axes are ({axes}).",
            yours,
            expected,
        )
    if yours.dtype != expected.dtype:
        return Finding(f"The {name}: {_dtype(expected)} went in, but {_dtype(yours)} came out.")
    if bool(close(yours, expected).all()):
        return None
    place = first_difference(yours, expected)
    mine, right = yours[place].item(), expected[place].item()
    return Finding(
        f"The first difference in the {name} is at {list(place)}: "
        f"yours is {mine:.6g}, expected {right:.6g}.",
        yours,
        expected,
    )


def _change_finding(exercise: Exercise, inputs: Inputs, after: Any) -> Finding | None:
    """Find the argument that the function wrote into."""
    before = (*inputs.args, inputs.mask)
    if not isinstance(after, tuple) or len(after) != len(before):
        return Finding("Its arguments did not come back.")
    for name, old, new in zip((*exercise.arguments, "mask"), before, after, strict=False):
        if not same(new, old):
            return Finding(
                f"The result is right, but the caller's `{name}` was changed on the way."
            )
    return None


def first_difference(yours: Tensor, expected: Tensor) -> tuple[int, ...]:
    """Give the index of the first entry, in reading order, that is not close."""
    return tuple((~close(yours, expected)).nonzero()[0].tolist())


def _kind(value: Any) -> str:
    """Name what is not the tensor it should be."""
    if isinstance(value, Other):
        hint = " (torch.stack or torch.tensor makes a tensor of it)" if value.type == "list" else ""
        return f"a {value.type} {value.text}".strip() + hint
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple):
        return f"a tuple of length {len(value)}"
    return "None" if value is None else "a plain number"


def _dtype(tensor: Tensor) -> str:
    """Name a dtype without its module."""
    return str(tensor.dtype).removeprefix("torch.")

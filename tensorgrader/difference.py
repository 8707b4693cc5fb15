"""The first problem of an outcome, in words: no answer, the result, the arguments."""

from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from torch import Tensor

from tensorgrader.describe_value import SHORT, family, hint, kind, short, wanted
from tensorgrader.exercise import Exercise
from tensorgrader.explain_error import explained
from tensorgrader.outcome import Died, Missing, Raised, Returned, TimedOut, Unfit
from tensorgrader.sandbox.values import Other, numbers
from tensorgrader.trial import Case, close, same, tensors

LISTED = 40
CUTTERS = "detach, no_grad, item, tolist, numpy and torch.tensor(...)"


@dataclass(frozen=True, eq=False)
class Finding:
    """The first problem of a case; the two values are there if it helps to see them.

    `place` is the index of the first entry that differs.
    """

    words: str
    yours: Any = None
    expected: Any = None
    place: tuple[int, ...] = ()


def finding(exercise: Exercise, case: Case) -> Finding | None:
    """Return the first problem of an outcome, or None if it is right."""
    match case.outcome:
        case Returned(value):
            found = _value_finding(exercise, case.expected, value)
            if found and case.outcome.words:
                return Finding(case.outcome.words)
            return found or _cut_finding(exercise, case, case.outcome)
        case Unfit(words):
            return Finding(words)
        case Raised():
            return Finding("\n".join(explained(case.outcome, exercise)))
        case TimedOut(seconds, -1):
            return Finding(late(seconds))
        case TimedOut(seconds):
            return Finding(slow(seconds, "before it defined the function"))
        case Died(how):
            return Finding(f"It {how}, so it returned no result.")
        case Missing(name):
            return Finding(f"Its cell defines no function called `{name}`. Was it renamed?")


def change(exercise: Exercise, case: Case) -> Finding | None:
    """Return the argument that a function modified although its result is right."""
    if not isinstance(case.outcome, Returned):
        return None
    before, after = (*numbers(case.inputs.args), case.inputs.mask), case.outcome.after
    if not isinstance(after, tuple) or len(after) != len(before):
        return Finding("Its arguments could not be read after the call.")
    for name, old, new in zip((*exercise.arguments, "mask"), before, after, strict=False):
        if not same(new, old):
            return Finding(f"The result is right, but the call changed the argument `{name}`.")
    return None


def late(seconds: float) -> str:
    """Return a message for an answer that came too late."""
    return f"It gave no answer within {seconds:g} seconds. Is there a loop that never ends?"


def slow(seconds: float, when: str = "outside of the function") -> str:
    """Return a message for a cell that took too long."""
    return f"Its cell ran for more than {seconds:g} seconds {when}: remove the slow lines."


def _value_finding(exercise: Exercise, expected: Any, value: Any) -> Finding | None:
    names = list(exercise.results)
    several = len(names) > 1
    listed = ", ".join(names)
    asked = f"a pair ({listed})" if len(names) == 2 else f"{len(names)} results ({listed})"
    promised = asked if several else wanted(expected)
    if value is None and expected is not None:
        return Finding(f"It returned None, expected {promised}. Is a `return` missing?")
    if several and (not isinstance(value, tuple | list) or isinstance(value, Other)):
        given = "a single tensor" if isinstance(value, Tensor) else kind(value)
        return Finding(f"It returned {given}, expected {promised}.")
    values, parts = (value, expected) if several else ((value,), (expected,))
    if len(values) != len(names):
        return Finding(f"It returned {len(values)} results, expected {promised}.")
    for name, mine, right in zip(names, values, parts, strict=True):
        if found := difference(name, exercise.results[name], mine, right):
            return found
    return None


def _cut_finding(exercise: Exercise, case: Case, outcome: Returned) -> Finding | None:
    """Return the result and the argument between which the gradient is cut, wholly or in part."""
    args = {exercise.arguments[n]: case.inputs.args[n] for n in case.inputs.trains}
    moving = [name for name in args for t in tensors(args[name]) if t.is_floating_point()]
    mine_then_none = chain(outcome.origins, repeat(()))
    reached = zip(exercise.results, mine_then_none, case.question.origins, strict=False)
    for part, (name, mine, right) in enumerate(reached):
        if cut := [moving[number] for number in right if number not in mine]:
            return Finding(
                f"The result is right, but no gradient flows from the {name} back to `{cut[0]}`: "
                f"{CUTTERS} cut it off, or it is not used."
            )
        if right and part in outcome.severed:
            return Finding(
                "The result is right, but its gradient is not: it doesn't flow through some of "
                f"the numbers that were used to compute the {name}. {CUTTERS} cut it off, which "
                f"is right only for numbers that do not affect the result."
            )
    return None


def difference(name: str, axes: str, yours: Any, expected: Any, at: str = "") -> Finding | None:
    """Compare one result: kind, size, entries. `at` is the place of these values in the result."""
    if same(yours, expected):
        return None
    where = f" at {at}" if at else ""
    if family(yours) is not family(expected):
        return Finding(
            f"The {name}{where} should be {wanted(expected)}, but it is {kind(yours)}"
            f"{hint(yours, expected)}."
        )
    if isinstance(expected, Tensor):
        return _of_tensors(f"{name}{where}", axes, yours, expected)
    if isinstance(expected, dict):
        return _of_dicts(name, axes, yours, expected, at)
    if isinstance(expected, tuple | list):
        return _of_sequences(name, axes, yours, expected, at)
    return Finding(f"The {name}{where}: yours is {short(yours)}, expected {short(expected)}.")


def _of_tensors(name: str, axes: str, yours: Tensor, expected: Tensor) -> Finding:
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
    alike = close(yours, expected)
    place = tuple((~alike).nonzero()[0].tolist())  # in reading order
    mine, right = (
        f"{entry:.6g}" if isinstance(entry, float) else str(entry)
        for entry in (yours[place].item(), expected[place].item())
    )
    if not place:
        return Finding(f"The {name}: yours is {mine}, expected {right}.")
    return Finding(
        f"The first difference in the {name} is at {list(place)}: yours is {mine}, "
        f"expected {right}.",
        expected.where(alike, yours),  # what differs by rounding alone looks equal
        expected,
        place,
    )


def _of_dicts(name: str, axes: str, yours: dict, expected: dict, at: str) -> Finding | None:
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
    """Compare lengths, then entries; show the whole if it is short and simple."""
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

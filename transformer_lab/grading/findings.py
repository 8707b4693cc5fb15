"""The first thing wrong with an outcome, in words: no answer, the result, the arguments."""

import re
from typing import Any

from torch import Tensor

from transformer_lab.grading.difference import Finding, difference, kind, wanted
from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.sandbox import Died, TimedOut
from transformer_lab.grading.trial import Case, same
from transformer_lab.grading.values import Other
from transformer_lab.grading.worker import Missing, Raised, Returned

TURNED = "\n`.T` turns all axes round, those of batch and heads too; `.mT` only the last two."


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
            turned = TURNED if re.search(r"\.T\b", code) else ""
            return Finding(f"It raised {kind}{': ' if message else ''}{message}{where}{turned}")
        case TimedOut(seconds):
            return Finding(
                f"It gave no answer within {seconds:g} seconds. Is there a loop that never ends?"
            )
        case Died(how):
            return Finding(f"It {how}, so there is no answer to look at.")
        case Missing(name):
            return Finding(f"Its cell defines no function called `{name}`. Was it renamed?")


def _value_finding(exercise: Exercise, expected: Any, value: Any) -> Finding | None:
    """Compare the number of results first, then each in turn."""
    names = list(exercise.results)
    several = len(names) > 1
    listed = ", ".join(names)
    asked = f"a pair ({listed})" if len(names) == 2 else f"{len(names)} results ({listed})"
    promised = asked if several else wanted(expected)
    if value is None and expected is not None:
        return Finding(f"It returned None, expected {promised}. Is a `return` missing?")
    if several and (not isinstance(value, tuple | list) or isinstance(value, Other)):
        given = "a single tensor" if isinstance(value, Tensor) else kind(value)
        return Finding(f"It returned {given}, expected {promised}: `return {listed}`.")
    values, parts = (value, expected) if several else ((value,), (expected,))
    if len(values) != len(names):
        return Finding(f"It returned {len(values)} results, expected {promised}.")
    for name, mine, right in zip(names, values, parts, strict=True):
        if found := difference(name, exercise.results[name], mine, right):
            return found
    return None


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

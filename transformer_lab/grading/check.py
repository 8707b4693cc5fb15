"""`check(...)` in a notebook: quick feedback in the learner's own kernel, with a deadline.

For honest learners. It can be talked round from the same process; `transformer-lab grade` cannot.
"""

import ast
import contextlib
import inspect
import io
import secrets
import signal
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.exercises import CHAPTERS, PROPERTIES, RETIRED
from transformer_lab.grading.finding import Finding
from transformer_lab.grading.forbidden import (
    called_names,
    ready_made,
    refusal,
    statements,
    used_names,
)
from transformer_lab.grading.judge import Result, blaming, holds, judge
from transformer_lab.grading.outcome import Outcome, TimedOut
from transformer_lab.grading.progress import note
from transformer_lab.grading.questions import Questions, Trial, apply_here
from transformer_lab.grading.refusing import Without
from transformer_lab.grading.report import explanation, row
from transformer_lab.grading.sandbox.client import DEADLINE


class CheckFailed(AssertionError):  # noqa: N818 -- the name is what a learner reads
    """A property does not hold; the message says why."""

    def _render_traceback_(self) -> list[str]:
        """Have IPython show the message and no traceback."""
        return str(self).splitlines()


def check(property_id: str, function: Callable[..., Any], *, seed: int | None = None) -> None:
    """Check one property of your function: print a line if it holds, raise CheckFailed if not.

    Inputs are drawn anew at each call; the message tells the seed that draws them again.
    """
    if property_id in RETIRED:
        print(f"– {property_id}: no longer asked here; {RETIRED[property_id]} asks it now")
        return
    if property_id not in PROPERTIES:
        raise ValueError(
            f"there is no property {property_id!r}; there are: {', '.join(PROPERTIES)}"
        )
    if not callable(function):
        raise TypeError(
            f"check wants the function itself, but was given a {type(function).__name__}. "
            "Leave out the parentheses: check(..., scores)."
        )
    exercise, prop = PROPERTIES[property_id]
    seed = secrets.randbelow(2**31) if seed is None else seed
    found = refused_name(exercise, function)
    if found:
        result = Result(exercise, prop, Finding(refusal(found)))
    else:
        (result,) = judge(trial_here(exercise, function, seed), [prop])
    note(prop.id, result.finding is None, Path.cwd())
    if result.finding is None:
        print(row(result))
        return
    result = blaming(result, _wrong_steps(exercise, function, seed))
    again = f"The same input again: check({property_id!r}, {exercise.function}, seed={seed})"
    raise CheckFailed("\n".join([row(result), explanation(result), again]))


def trial_here(exercise: Exercise, function: Callable[..., Any], seed: int) -> Trial:
    """Put a function of this process on trial."""
    refused = exercise.forbidden
    one_by_one = partial(map, lambda inputs: _apply(function, inputs, DEADLINE, refused))
    return Trial(Questions(exercise, seed), one_by_one)


def _wrong_steps(exercise: Exercise, function: Callable[..., Any], seed: int) -> list[str]:
    """Give the chapter's other functions that this one calls and that are not right yet."""
    names = getattr(function, "__globals__", {})
    called = called_names(_tree(function))
    chapter = next(c for c in CHAPTERS.values() if exercise in c.exercises)
    return [
        step.function
        for step in chapter.exercises
        if step is not exercise
        and step.function in called
        and callable(names.get(step.function))
        and not holds(trial_here(step, names[step.function], seed))
    ]


class _Late(BaseException):
    """The deadline has passed. Not an Exception, so that `except Exception` lets it through."""


def _apply(
    function: Callable[..., Any], inputs: Inputs, seconds: float, refused: frozenset[str]
) -> Outcome:
    """Apply the function, unheard, within a deadline, and without these ready-mades."""
    try:
        with quiet(), _deadline(seconds), Without(refused):
            return apply_here(function, inputs)
    except _Late:
        return TimedOut(seconds)


@contextlib.contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise _Late after so many seconds; without signals, or off the main thread, do nothing.

    The alarm repeats, so that a bare `except:` in a loop does not stop it.
    """
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: object) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Drop what the function prints and warns about."""
    nowhere = _Nowhere()
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


class _Nowhere(io.TextIOBase):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        """Take the text and forget it."""
        return len(text)


def refused_name(exercise: Exercise, function: Callable[..., Any]) -> str | None:
    """Look for a module's ready-made in the function's source, and behind the names it uses.

    What `x.softmax` is, if not PyTorch's, may be written in another cell: there the run tells.
    """
    tree = _tree(function)
    names = getattr(function, "__globals__", {})
    for name in used_names(tree):
        value: Any = names.get(name)
        if value is not function and _is_torch(value) and value.__name__ in exercise.forbidden:
            return name
    roots = [getattr(function, "__name__", "")]
    code = [replace(statement, owns=exercise.forbidden) for statement in statements(tree)]
    return ready_made(roots, code, exercise.forbidden)


def _tree(function: Callable[..., Any]) -> ast.Module:
    """Parse a function's source; none is kept of some places, and `grade` reads the notebook."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return ast.parse("")


def _is_torch(value: Any) -> bool:
    """Tell a function or class of PyTorch's from anything else."""
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(getattr(value, "__name__", None), str) and (
        inspect.isbuiltin(value) or str(module).startswith("torch")
    )

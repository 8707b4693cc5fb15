"""`check(...)` in a notebook: quick feedback in the learner's own kernel, with a deadline.

For honest learners. It can be talked round from the same process; `transformer-lab grade` cannot.
"""

import ast
import inspect
import os
import secrets
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensorgrader.card.card import Card, Progress, Standing, anchor
from tensorgrader.card.html import card_html
from tensorgrader.card.text import card_text
from tensorgrader.course import CHAPTERS, EXERCISES, PROPERTIES, asked_now_by
from tensorgrader.exercise import Exercise, Property
from tensorgrader.find_answer import Answer, found, stray_globals
from tensorgrader.in_process import Listener
from tensorgrader.judge import blaming, holds, judge, refused
from tensorgrader.make_card import Address, compose, narrowed
from tensorgrader.progress import note
from tensorgrader.ready_made import (
    called_names,
    ready_made,
    refusal,
    statements,
    used_names,
)
from tensorgrader.sandbox.no_compile import as_written
from tensorgrader.trial import Questions, Trial


class CheckFailed(AssertionError):  # noqa: N818 -- the name is what a learner reads
    """Something that was asked for does not hold; the message says what, and why."""

    def _render_traceback_(self) -> list[str]:
        """Have IPython show one line and no traceback: the card stands above it."""
        return str(self).splitlines()[:1]


def check(
    name: str, function: Callable[..., Any] | None = None, *, seed: int | None = None
) -> int | None:
    """Check a function of yours, found by its exercise, and show a card of all that is asked of it.

    Raises CheckFailed unless all of it holds. Where nbgrader executes, it gives the points that
    were gained. Inputs are drawn anew at each call; the card tells the seed that draws them again.
    In notebooks of the first edition `name` is one property's, and the function is given.
    Raises ValueError for a name that no exercise has, TypeError for what is no name.
    """
    _check_name(name)
    if now := asked_now_by(name):
        print(f"– {name}: no longer asked here; {now} asks it now")
        return None
    graded = "NBGRADER_EXECUTION" in os.environ
    card = checked(name, _answer(name, function), seed=seed, patient=graded)
    _show(card)
    if graded:
        return card.earned
    if not card.holds:
        raise CheckFailed(card_text(card))
    return None


def checked(
    name: str,
    answer: Answer,
    *,
    seed: int | None = None,
    patient: bool = False,
    address: Address | None = None,
) -> Card:
    """Check an answer and note what holds; give the card, whose links lead to these addresses.

    Raises ValueError for a name that no exercise has.
    """
    exercise, asked = _asked(name)
    seed = secrets.randbelow(2**31) if seed is None else seed
    card = _card(exercise, answer, seed, patient, address or _address)
    lines = dict(zip(exercise.properties, card.lines, strict=True))
    noted = note({p.id: lines[p].standing is Standing.HOLDS for p in asked}, Path.cwd())
    card = narrowed(card, [lines[prop] for prop in asked])
    if card.holds:
        return replace(card, progress=_progress(exercise, noted))
    if card.is_seen:
        given = f", {exercise.function}" if answer.is_given else ""
        return replace(card, again=f'check("{name}"{given}, seed={seed})')
    return card


def _answer(name: str, function: Callable[..., Any] | None) -> Answer:
    """Return what is to be judged: the function that was given, or the notebook's own.

    Raises ValueError for a name that no exercise has, TypeError for what is no function.
    """
    exercise, _ = _asked(name)
    if function is None:
        return found(exercise, vars(sys.modules["__main__"]))  # what the cells have defined
    if callable(function):
        return Answer(function, is_given=True)
    raise TypeError(
        f"check wants the function itself, but was given a {type(function).__name__}. "
        f"Leave out the parentheses: check(..., {exercise.function})."
    )


def _asked(name: str) -> tuple[Exercise, list[Property]]:
    """Find the exercise of this name, or that of a property; raises ValueError for any other."""
    if name in EXERCISES:
        return EXERCISES[name], EXERCISES[name].properties
    if name not in PROPERTIES:
        raise ValueError(f"there is no exercise {name!r}; there are: {', '.join(EXERCISES)}")
    exercise, prop = PROPERTIES[name]
    return exercise, [prop]


def _check_name(name: object) -> None:
    """Refuse a function, or anything else, where an exercise's name is wanted."""
    if isinstance(name, str):
        return
    function = getattr(name, "__name__", "")
    asked = [f'check("{id}")' for id, e in EXERCISES.items() if function and e.function == function]
    given = f"a function, {function}" if function else repr(name)
    known = f"No exercise asks for that; there are: {', '.join(EXERCISES)}."
    mend = f"It is checked by {' or '.join(asked)}." if asked else known
    raise TypeError(f"check wants the name of an exercise, a str, but was given {given}. {mend}")


def _card(exercise: Exercise, answer: Answer, seed: int, patient: bool, address: Address) -> Card:
    """Judge all that is asked of a function, unless there is none or it is forbidden."""
    function = answer.function
    if function is None:
        return compose(refused(exercise, answer.problem))
    function = as_written(function)
    if taken := refused_name(exercise, function):
        return compose(refused(exercise, refusal(taken)))
    listener = Listener(function, exercise, patient)
    trial = Trial(Questions(exercise, seed), listener)
    results = judge(trial, exercise.properties)
    failing = next((result for result in results if result.finding), None)
    if failing:
        steps = _wrong_steps(exercise, function, seed)
        notes = (*answer.problem.splitlines(), *stray_globals(exercise, function))
        results = [blaming(replace(r, notes=notes), steps) if r.finding else r for r in results]
    case = failing.case if failing else trial.cases(exercise.properties[0])[0]
    return replace(compose(results, address), said=listener.said(case.inputs) if case else ())


def _progress(exercise: Exercise, noted: dict[str, bool]) -> Progress:
    """Add up what was noted of the exercise's chapter."""
    every = [prop for e in CHAPTERS[exercise.chapter].exercises for prop in e.properties]
    held = sum(prop.points for prop in every if noted.get(prop.id))
    return Progress(exercise.chapter, held, sum(prop.points for prop in every))


def _address(page: str, heading: str) -> str:
    """Return the address of a section, where the page lies beside the exercises."""
    path = Path("..", f"{page}.ipynb")
    return f"{path.as_posix()}{anchor(heading)}" if path.is_file() else ""


def _show(card: Card) -> None:
    """Show a card in a notebook; elsewhere print it, unless an error is going to tell it."""
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()):
        data = {"text/plain": card_text(card), "text/html": card_html(card)}
        shell.display_pub.publish(data)
    elif card.holds:
        print(card_text(card))


def trial_here(exercise: Exercise, function: Callable[..., Any], seed: int) -> Trial:
    """Put a function of this process on trial."""
    return Trial(Questions(exercise, seed), Listener(function, exercise, patient=False))


def _wrong_steps(exercise: Exercise, function: Callable[..., Any], seed: int) -> list[str]:
    """Return the chapter's other functions that this one calls and that are not right yet."""
    names = getattr(function, "__globals__", {})
    called = called_names(_tree(function))
    return [
        step.function
        for step in CHAPTERS[exercise.chapter].exercises
        if step is not exercise
        and step.function in called
        and callable(names.get(step.function))
        and not holds(trial_here(step, names[step.function], seed))
    ]


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

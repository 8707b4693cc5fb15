"""`check(...)` in a notebook: quick feedback in the learner's own kernel, with a deadline.

It finds the answer in the notebook, has it judged, saves progress and shows the card. It trusts the
learner, since code in the same process can trick it; the command `grade` doesn't.
"""

import contextlib
import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensorgrader.card.card import Card, Standing, anchor
from tensorgrader.card.html import card_html
from tensorgrader.card.text import card_text
from tensorgrader.course import Course, find_course
from tensorgrader.deadline import by_alarm
from tensorgrader.earlier import Finder
from tensorgrader.exercise import Exercise
from tensorgrader.find_answer import found, source_of
from tensorgrader.in_process import FunctionAnswer, Late
from tensorgrader.judge_answer import judge_answer
from tensorgrader.make_card import chapter_progress, compose
from tensorgrader.progress import find, note, read
from tensorgrader.repair.hint import Looking, is_wanted, named
from tensorgrader.trial import Questions

__all__ = ["CheckFailed", "check"]

SECONDS = 2.0  # for which a check looks at most for the place of a mistake


class CheckFailed(AssertionError):  # noqa: N818 -- the name is what a learner reads
    """A requirement does not hold; the message says which, and why.

    >>> check("basics-variance", lambda x: x.mean(), course=course)
    Traceback (most recent call last):
    tensorgrader.check.CheckFailed: ✗ variance: 0 of 5 points
    ...
    """

    def _render_traceback_(self) -> list[str]:
        """Return one line and no traceback for IPython: the card is shown above it."""
        return str(self).splitlines()[:1]


def check(
    name: str,
    function: Callable[..., Any] | None = None,
    *,
    seed: int | None = None,
    course: Course | None = None,
) -> int | None:
    """Check a function of yours, named by its exercise, and show a card of all requirements.

    Raises CheckFailed unless all of them hold. When nbgrader executes the cell, it returns the
    points earned. Inputs are drawn anew at each call; the card shows the seed that draws them
    again. Unless given, the course is found by the notebook's folder, or among the installed ones.
    Raises ValueError for an unknown name, TypeError if it isn't a string, LookupError without a
    course.

    >>> check("basics-variance", lambda x: (x - x.mean()).square().mean(), course=course)
    ✓ variance: 5 of 5 points ...
    """
    course = course or find_course(str(name), Path.cwd())
    if str(name).startswith("hunt-"):
        from tensorgrader.hunt.draw import NAME, with_hunt  # imported here: no page needs it

        course = with_hunt(course, str(vars(sys.modules["__main__"]).get(NAME, "")))
    _check_name(course, name)
    graded = "NBGRADER_EXECUTION" in os.environ
    card, looking = _checked(course, course.exercises[name], function, seed, patient=graded)
    place = _show(card)
    if graded:
        return card.earned
    if place and looking:
        with contextlib.suppress(Late, KeyboardInterrupt), by_alarm(2 * SECONDS):
            looking.go_on(SECONDS)
        card = replace(card, hint=looking.hint)
        _show(card, place)
    if not card.holds:
        raise CheckFailed(card_text(card))
    return None


def provide_earlier_answers(course: Course) -> None:
    """Make what was solved in earlier chapters importable, if this is a notebook."""
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython():
        Finder(course, lambda chapter: _saved(course, chapter), lambda: _file(course)).install()


def _saved(course: Course, chapter: str) -> dict[str, str]:
    """Return the saved answers to a chapter whose checks have held, from its notebook here."""
    from tensorgrader.submission import read_submission  # imported here: no page needs it

    record = find(Path.cwd(), Path.cwd().parent)
    try:
        noted = read(record) if record else {}
        saved = read_submission(course, Path(f"{chapter}.ipynb")).answers
    except (OSError, ValueError):
        return {}
    exercises = course.chapters[chapter].exercises
    right = [e.id for e in exercises if all(noted.get(p.id) for p in e.properties)]
    return {name: saved[name] for name in right if name in saved}


def _file(course: Course) -> Mapping[str, Any]:
    """Return what the learner's own file of that name defines, if it lies here."""
    import runpy

    path = Path(f"{course.own}.py")
    return runpy.run_path(str(path), run_name=course.own) if path.is_file() else {}


def _checked(
    course: Course,
    exercise: Exercise,
    function: Callable[..., Any] | None,
    seed: int | None,
    patient: bool,
) -> tuple[Card, Looking | None]:
    """Check a function, or the notebook's own, and save what holds.

    Return the card, and a search for the place of the mistake where that would help.
    """
    is_given, problem = function is not None, ""
    if not is_given:
        function, problem = found(exercise, vars(sys.modules["__main__"]))  # what cells define
    elif not callable(function):
        raise TypeError(
            f"check needs the function itself, but got a {type(function).__name__}. Leave out the "
            f"parentheses: check(..., {exercise.function})."
        )
    if function is exercise.reference:
        function, problem = None, f"This `{exercise.function}` is the course's: write your own."
    questions = Questions(exercise, secrets.randbelow(2**31) if seed is None else seed)
    answer = FunctionAnswer(
        course,
        questions,
        function,
        by_alarm,
        source=source_of(function),
        problem=problem,
        patient=patient,
    )
    results = judge_answer(course, questions, answer)
    card = replace(compose(results, _address), said=answer.said(results))
    lines = zip(exercise.properties, card.lines, strict=True)
    noted = note({prop.id: line.standing is Standing.HOLDS for prop, line in lines}, Path.cwd())
    if card.holds:
        return replace(card, progress=chapter_progress(course, exercise, noted)), None
    if card.is_seen:
        given = f", {exercise.function}" if is_given else ""
        card = replace(card, again=f'check("{exercise.id}"{given}, seed={questions.seed})')
    if not is_wanted(results):
        return card, None
    return card, Looking(answer.function, questions, SECONDS, named(results))


def _check_name(course: Course, name: object) -> None:
    """Raise ValueError for the name of no exercise, TypeError for a function or anything else."""
    known = ", ".join(course.exercises)
    if isinstance(name, str):
        if name in course.exercises:
            return
        raise ValueError(f"there is no exercise {name!r}; there are: {known}")
    function = getattr(name, "__name__", "")
    every = course.exercises.items()
    asked = [f'check("{id}")' for id, e in every if function and e.function == function]
    given = f"a function, {function}" if function else repr(name)
    known = f"No exercise has this function; the exercises are: {known}."
    hint = f"Its check is {' or '.join(asked)}." if asked else known
    raise TypeError(f"check needs the name of an exercise, a str, but got {given}. {hint}")


def _address(page: str, heading: str) -> str:
    path = Path("..", f"{page}.ipynb")
    return f"{path.as_posix()}{anchor(heading)}" if path.is_file() else ""


def _show(card: Card, place: str = "") -> str:
    """Show a card in a notebook, instead of the one at a given place, and return its place.

    Elsewhere print it, unless an error is about to say the same.
    """
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()):
        data = {"text/plain": card_text(card), "text/html": card_html(card)}
        transient = {"display_id": place or secrets.token_hex(8)}
        shell.display_pub.publish(data, transient=transient, update=bool(place))
        return transient["display_id"]
    if card.holds:
        print(card_text(card))
    return ""

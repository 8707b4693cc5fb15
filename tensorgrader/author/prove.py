"""The tests that every task gets for free: what is wrong with it, in words for its author."""

import io
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Any, NamedTuple

from tensorgrader.author.lazy import undeserved
from tensorgrader.author.mutants import Mutant, solved, survivors
from tensorgrader.author.places import misplaced
from tensorgrader.course import Course, place_of
from tensorgrader.exercise import Draw, Exercise, Inputs, Property
from tensorgrader.grade import Grade, grade_notebook
from tensorgrader.in_process import capturing
from tensorgrader.judge import judge
from tensorgrader.naming.match import fits, is_wrong
from tensorgrader.naming.mutate import Wrong, own
from tensorgrader.outcome import Raised
from tensorgrader.release import Form, chapter_notebook
from tensorgrader.source.forms import release_text, solved_text
from tensorgrader.trial import Case, Questions, Trial, apply_here, expected

SEED = 1
#: The share of the mutants that must lose points. Some do what the solution does.
LEAST = 0.5
SHOWN, WIDTH = 10, 60
SURVIVE = (
    "These lose none. On which input does each give another result? Add it to a requirement. If "
    "there is none, the mutant is as right as the solution."
)


class Proof(NamedTuple):
    """What one of the tests found: what holds, what is wrong, and what it asks the author."""

    holds: str
    problems: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


def prove(course: Course, exercise: Exercise) -> Iterator[Proof]:
    """Yield what each test finds, up to the first that finds something wrong."""
    for test in TESTS:
        proof = test(course, exercise)
        yield proof
        if proof.problems:
            return


def problems(course: Course, exercise: Exercise | None = None) -> list[str]:
    """Return what is wrong with a task, or with a course and all its tasks, in words.

    >>> problems(course, task)
    []
    """
    tasks = [exercise] if exercise else course.exercises.values()
    told = [words for task in tasks for proof in prove(course, task) for words in proof.problems]
    return told if exercise else [*misplaced(course), *told]


def _inputs_fit(_course: Course, exercise: Exercise) -> Proof:
    """Find edits that cannot be made, and requirements whose inputs the reference does not take."""
    try:
        own(exercise)
    except ValueError as error:
        return Proof("", (str(error),))
    if not exercise.properties:
        return Proof("", ("It has no requirement: add a function below @EXERCISE.requires.",))
    found = [problem for prop in exercise.properties for problem in _of_inputs(exercise, prop)]
    asked, points = len(exercise.properties), sum(prop.points for prop in exercise.properties)
    return Proof(f"requirements: {asked}, points: {points}", tuple(found))


def _of_inputs(exercise: Exercise, prop: Property) -> Iterator[str]:
    """Yield what is wrong with the inputs of a requirement."""
    name = f"`{prop.inputs.__name__}`"
    try:
        drawn: Any = prop.inputs(Draw(SEED, exercise.id, prop.id))
    except Exception as error:
        yield f"The inputs of {name} raise {place_of(error)}"
        return
    if not isinstance(drawn, list) or not drawn:
        empty = "an empty list" if drawn == [] else type(drawn).__name__
        yield f"{name} returns {empty}, expected a list such as [Inputs((x,)), Inputs((y,))]."
        return
    for number, inputs in enumerate(drawn, 1):
        which = f"Input {number} of {name}"
        given = inputs.args if isinstance(inputs, Inputs) else inputs
        if type(given) is not tuple or not isinstance(inputs, Inputs):
            yield (
                f"{which} is made of a {type(given).__name__}, expected a tuple of arguments: "
                "Inputs((x,)), with a comma if there is only one."
            )
            return
        try:
            outcome = apply_here(exercise.reference, inputs)
            if not isinstance(outcome, Raised):
                expected(exercise, inputs)
                continue
            told = f"{outcome.type}: {outcome.message}"
        except Exception as error:
            told = place_of(error)
        listed = ", ".join(exercise.arguments)
        yield f"The reference takes ({listed}). On input {number} of {name} it raises {told}"
        return


def _solution_is_right(course: Course, exercise: Exercise) -> Proof:
    """Find requirements in which the solution of the page fails, as `grade` grades it."""
    page = course.page(exercise.chapter).name
    for other in course.chapters[exercise.chapter].exercises:  # the page is graded as a whole
        if other is not exercise and _inputs_fit(course, other).problems:
            return Proof("", (f"{page} cannot be graded: see to the inputs of {other.id} first.",))
    try:
        grade = _graded(course, exercise.chapter, solved_text)
    except (OSError, ValueError) as error:
        return Proof("", (str(error),))
    wrong = [r for r in grade.results if r.exercise is exercise and r.finding]
    told = (
        f"The solution in {page} fails `{r.prop.inputs.__name__}`: {r.finding.words}"
        for r in wrong
        if r.finding
    )
    return Proof("the solution has all points", tuple(told))


def _stub_is_wrong(course: Course, exercise: Exercise) -> Proof:
    """Find requirements that hold for the stub."""
    grade = _graded(course, exercise.chapter, release_text)
    passed = [r for r in grade.results if r.exercise is exercise and not r.finding]
    told = (
        f"The stub in {course.page(exercise.chapter).name} already passes "
        f"`{r.prop.inputs.__name__}`, so its {r.points} points are given away. Add inputs on which "
        "the stub is wrong."
        for r in passed
    )
    return Proof("the stub has none", tuple(told))


@cache
def _graded(course: Course, chapter: str, form: Form) -> Grade:
    """Return the verdict on a chapter's notebook in one form."""
    import nbformat

    with TemporaryDirectory() as folder:
        path = Path(folder, f"{chapter}.ipynb")
        nbformat.write(chapter_notebook(course, chapter, form), path)
        return grade_notebook(course, path, SEED)


def _mistakes_are_named(course: Course, exercise: Exercise) -> Proof:
    """Find known mistakes that lose no points, or do not get their own names."""
    every = own(exercise)
    told = (_of_mistake(course, exercise, wrong, every) for wrong in every)
    holds = f"known mistakes: {len(exercise.mistakes)}, each loses points under its own name"
    asks = () if every else ("Which mistake do you expect? Add it with EXERCISE.edit.",)
    return Proof(holds if every else "known mistakes: none", tuple(filter(None, told)), asks)


def _of_mistake(course: Course, exercise: Exercise, wrong: Wrong, every: list[Wrong]) -> str:
    """Return what is wrong with a known mistake, or ""."""
    name = wrong.mistake.name
    trial = Trial(Questions(exercise, SEED), partial(map, partial(apply_here, wrong.function)))
    with capturing(io.StringIO()):
        results = judge(course, trial, exercise.properties)
        cases = trial.all_cases()
    if not any(result.finding for result in results):
        return (
            f"The mistake {name!r} loses no points: on every input its result is right. Add an "
            "input to a requirement on which it differs."
        )
    named = {mistake.name for result in results for mistake in result.mistakes}
    if named == {name}:
        return ""
    if named:
        return f"The mistake {name!r} is taken for {' and '.join(map(repr, sorted(named)))}."
    return f"The mistake {name!r} loses points, but is not named{_why_unnamed(name, cases, every)}"


def _why_unnamed(name: str, cases: list[Case], every: list[Wrong]) -> str:
    """Return why a mistake is not named, as far as that is known."""
    with capturing(io.StringIO()):
        alike = {w.mistake.name for w in every if fits(w.function, cases)} - {name}
    if alike:
        return (
            f", since {sorted(alike)[0]!r} has the same results on every input. Add an input "
            "(to a requirement or, without points, below @EXERCISE.probe) on which they differ."
        )
    raised = [case.outcome for case in cases if isinstance(case.outcome, Raised)]
    if raised and not any(map(is_wrong, cases)):
        return f", since it only raises {raised[0].type}: {raised[0].message}"
    if (count := sum(map(is_wrong, cases))) < 3:
        return f": it is wrong on {count} inputs, and a name needs 3. Add inputs."
    return ". Does a mistake that every function can have explain it too?"


def _lazy_answers_earn_nothing(course: Course, exercise: Exercise) -> Proof:
    """Find lazy answers that earn points."""
    with capturing(io.StringIO()):
        found = undeserved(course, exercise)
    told = (
        f"A lazy answer earns points: {name} passes {' and '.join(ids)}. Add inputs on which it is "
        "wrong."
        for name, ids in found.items()
    )
    return Proof(
        "lazy answers (zeros, an argument, a constant and others) earn nothing", tuple(told)
    )


def _mutants_are_caught(course: Course, exercise: Exercise) -> Proof:
    """Find edits of the solution that lose no points, and ask for inputs that would catch them."""
    if exercise.seconds:
        return Proof("mutants are not tried, since the task takes long")
    left, of = survivors(exercise, *solved(course, exercise))
    holds = f"{of - len(left)} of {of} mutants of the solution lose points"
    lines = course.solutions(exercise.chapter)[exercise.id].splitlines()
    told = list(dict.fromkeys(map(_change, left)))
    shown = sorted({line for line, _ in told[:SHOWN]})
    asks = [SURVIVE] if told else []
    for line in shown:
        asks.append(f"in `{lines[line - 1].strip()}`:")
        asks += [f"  {change}" for at, change in told[:SHOWN] if at == line]
    asks += [f"… and {len(told) - SHOWN} more"] * (len(told) > SHOWN)
    few = "Fewer than half of the mutants lose points: the requirements need more inputs."
    return Proof(holds, (few,) * (of - len(left) < LEAST * of), tuple(asks))


def _change(mutant: Mutant) -> tuple[int, str]:
    """Return the line of a change, and the change, of long code the part that differs."""
    both = zip(mutant.old, mutant.new, strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    start = max(alike - WIDTH // 3, 0) if len(mutant.new) > WIDTH else 0
    old, new = (
        "…" * (start > 0) + shorten(code[start:], WIDTH, placeholder="…")
        for code in (mutant.old, mutant.new)
    )
    return mutant.line, f"`{old}` → `{new}`"


TESTS: tuple[Callable[[Course, Exercise], Proof], ...] = (
    _inputs_fit,
    _solution_is_right,
    _stub_is_wrong,
    _mistakes_are_named,
    _lazy_answers_earn_nothing,
    _mutants_are_caught,
)

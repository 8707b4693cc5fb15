"""What the grader knows of an exercise, inserted into its source: ids and points.

In a source, an answer is recognised by its solution (see `forms`), and its check by a cell
`check("EXERCISE")`. `{{ points }}` is replaced by the points of the next answer, and `{{ total }}`
by those of all.
"""

import re
from collections.abc import Callable

from tensorgrader.exercise import Chapter, Exercise
from tensorgrader.source.forms import CELL, DEFINITION, SOLUTION

CHECKS = re.compile(r'check\("([\w-]+)"\)\n')
POINTS = "{{ points }}"


def graded_text(chapter: Chapter, text: str) -> str:
    """Return a chapter's source of exercises with ids and points.

    Raises ValueError if the answer or the check of an exercise is missing.
    """
    exercises = chapter.exercises
    checks = {exercise.id: exercise for exercise in exercises}
    answers = {exercise.function: exercise for exercise in exercises}
    whole, end = "", 0
    for cell in CELL.finditer(text):
        code, written = cell["code"], cell[0]
        whole += text[end : cell.start()]
        asked = CHECKS.fullmatch(code)
        answered = [name for name in DEFINITION.findall(code) if name in answers]
        if asked and asked[1] in checks:
            exercise = checks.pop(asked[1])
            written = _cell(
                code, solution=False, grade_id=f"{exercise.id}-check", points=_worth(exercise)
            )
        elif answered and SOLUTION.search(code):
            exercise = answers.pop(answered[0])
            whole = whole.replace(POINTS, _points(_worth(exercise)))
            written = _cell(code, solution=True, grade_id=exercise.id)
        whole += written
        end = cell.end()
    if missing := [*map(_answer, answers.values()), *map(_check, checks.values())]:
        raise ValueError(f"{chapter.name}.md lacks {' and '.join(missing)}.")
    return (whole + text[end:]).replace("{{ total }}", str(sum(map(_worth, exercises))))


def answers(chapter: Chapter, text: str, form: Callable[[str], str]) -> dict[str, str]:
    """Return the answer cells of a chapter's source in one form, by the ids of the exercises."""
    ids = {exercise.function: exercise.id for exercise in chapter.exercises}
    cells = [cell["code"] for cell in CELL.finditer(text) if SOLUTION.search(cell["code"])]
    answered = ((name, code) for code in cells for name in DEFINITION.findall(code))
    return {ids[name]: form(code).strip() for name, code in answered if name in ids}


def _answer(exercise: Exercise) -> str:
    return (
        f"the answer of {exercise.id} (a code cell that defines `{exercise.function}`, with a "
        "solution between `### BEGIN SOLUTION` and `### END SOLUTION`)"
    )


def _check(exercise: Exercise) -> str:
    return f'the check of {exercise.id} (a code cell of one line, `check("{exercise.id}")`)'


def _cell(code: str, *, solution: bool, **more: str | int) -> str:
    """Return a cell with nbgrader's metadata: an answer, or a check that is worth points."""
    kind = {"grade": not solution, "solution": solution, "locked": not solution, "task": False}
    told = {**kind, **more, "schema_version": 3, "cell_type": "code"}
    listed = ", ".join(f"{name}: {str(value).lower()}" for name, value in told.items())
    return f"```{{code-cell}} ipython3\n---\nnbgrader: {{{listed}}}\n---\n{code}```"


def _worth(exercise: Exercise) -> int:
    return sum(prop.points for prop in exercise.properties)


def _points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"

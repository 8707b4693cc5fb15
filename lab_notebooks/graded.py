"""What the grader knows of an exercise, put into its source: ids and points.

A source marks an answer by its solution (see `solutions`), and its check by a cell that says
`check("EXERCISE")`. `{{ points }}` stands for the points of the next answer, and
`{{ total }}` for those of all.
"""

import re

from lab_notebooks.solutions import CELL, DEFINITION, SOLUTION
from tensorgrader.exercise import Exercise
from transformer_lab._course import COURSE

CHECKS = re.compile(r'check\("([\w-]+)"\)\n')
POINTS = "{{ points }}"


def graded_text(stem: str, text: str) -> str:
    """Complete the source of a chapter's exercises. Raises ValueError for what does not fit."""
    exercises = COURSE.chapters[stem].exercises
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
    if missing := [exercise.id for exercise in (*checks.values(), *answers.values())]:
        raise ValueError(f"exercises/{stem}.md lacks the answer or the check of {missing}")
    return (whole + text[end:]).replace("{{ total }}", str(sum(map(_worth, exercises))))


def _cell(code: str, *, solution: bool, **more: str | int) -> str:
    """Write a cell as nbgrader wants it: an answer, or a check that is worth points."""
    kind = {"grade": not solution, "solution": solution, "locked": not solution, "task": False}
    told = {**kind, **more, "schema_version": 3, "cell_type": "code"}
    listed = ", ".join(f"{name}: {str(value).lower()}" for name, value in told.items())
    return f"```{{code-cell}} ipython3\n---\nnbgrader: {{{listed}}}\n---\n{code}```"


def _worth(exercise: Exercise) -> int:
    """Add up the points of an exercise."""
    return sum(prop.points for prop in exercise.properties)


def _points(number: int) -> str:
    """Write a number of points."""
    return f"{number} point{'s' * (number != 1)}"

"""No points for a stub, all for the solution, and a mistake costs what it should."""

import ast
from functools import cache

import pytest

from lab_notebooks.notebooks import read_notebook
from tensorgrader.ready_made import called_names
from tensorgrader.source.forms import solved_text
from tests.course import CHAPTERS, grade_notebook
from tests.exercises.standing_alone import standing_alone
from tests.sweeps import few, one_in


def points(grade):
    """Give (earned, there are) for each exercise."""
    scores = {}
    for result in grade.results:
        earned, total = scores.get(result.exercise.id, (0, 0))
        scores[result.exercise.id] = earned + result.earned, total + result.points
    return scores


@cache
def builds_on(name):
    """Give, for each exercise's id, those whose functions its solution calls, at any remove."""
    cells = {cell.id: cell.source for cell in read_notebook(f"exercises/{name}", solved_text).cells}
    below = {}
    for exercise in CHAPTERS[name].exercises:  # what is called stands further up
        called = called_names(ast.parse(cells[exercise.id]))
        steps = [e.id for e in CHAPTERS[name].exercises if e.id in below and e.function in called]
        below[exercise.id] = set(steps).union(*(below[step] for step in steps))
    return below


@pytest.mark.parametrize(
    "chapter",
    few(CHAPTERS.values(), CHAPTERS["attention"], CHAPTERS["whole_model"]),
    ids=lambda chapter: chapter.name,
)
def test_solved_has_all_points_and_an_untouched_stub_none(submit, chapter):
    solved = grade_notebook(submit(chapter=chapter.name), 0)
    assert [r.prop.id for r in solved.results if r.finding] == []
    stub = grade_notebook(submit(chapter=chapter.name, stub=True, name="stub.ipynb"), 0)
    assert [r.prop.id for r in stub.results if not r.finding] == []


@pytest.mark.parametrize(
    "chapter", one_in(7, list(CHAPTERS.values()), tier="score"), ids=lambda chapter: chapter.name
)
@pytest.mark.parametrize("number", few(["one", "all"], "one", tier="score"))
def test_a_wrong_answer_costs_its_own_points_and_those_of_what_builds_on_it(
    submit, chapter, number
):
    answers = [
        (exercise, way)
        for exercise in chapter.exercises
        for mistake in exercise.mistakes
        for right, way in mistake.made(exercise.reference)[:1]
        if right is exercise.reference
    ]
    if number == "one":  # for each exercise
        answers = list({exercise.id: (exercise, way) for exercise, way in answers}.values())
    for exercise, function in answers:
        source = f"{standing_alone(function)}\n\n{exercise.function} = {function.__name__}"
        grade = grade_notebook(submit({exercise.id: source}, chapter=chapter.name), 0)
        scores = points(grade)
        assert scores[exercise.id][0] < scores[exercise.id][1], function.__name__
        for other in chapter.exercises:
            if other is not exercise and exercise.id not in builds_on(chapter.name)[other.id]:
                earned, total = scores[other.id]
                assert earned == total, f"{function.__name__} costs {other.id} points"
        for result in grade.results:
            if result.finding and result.exercise is not exercise:
                assert not result.mistakes
                assert result.wrong_steps

"""What every task is tested for, under pytest; `python -m tensorgrader test` says more."""

from pathlib import Path

import pytest

from tensorgrader.author import problems
from tensorgrader.course import Course
from tensorgrader.exercise import Exercise

COURSE = Course.load(Path(__file__).parent)


def test_the_course_is_sound() -> None:
    assert not problems(COURSE)


@pytest.mark.parametrize("exercise", COURSE.exercises.values(), ids=COURSE.exercises)
def test_a_task_is_sound(exercise: Exercise) -> None:
    assert not problems(COURSE, exercise)

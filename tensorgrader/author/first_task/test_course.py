"""What every task is tested for, under pytest; `python -m tensorgrader test` says more."""

from pathlib import Path

from tensorgrader.author import problems
from tensorgrader.course import Course


def test_the_course_is_sound() -> None:
    assert not problems(Course.load(Path(__file__).parent))

"""One answer judged: by the same function in a notebook, on a page and by the command.

They differ in how an answer is applied to inputs, and in what they know of it besides.
"""

from collections.abc import Iterable
from typing import Protocol

from tensorgrader.course import Course
from tensorgrader.exercise import Inputs
from tensorgrader.judge import Result, judge, refused
from tensorgrader.outcome import Outcome
from tensorgrader.ready_made import refusal
from tensorgrader.trial import Questions, Trial


class Answer(Protocol):
    """A function that was written for an exercise, wherever it runs."""

    @property
    def missing(self) -> str:
        """Why there is nothing to judge, or nothing."""

    def ready_made(self) -> str | None:
        """Return the name in its source of what would be the answer ready-made, if there is one."""

    def apply(self, batch: list[Inputs]) -> Iterable[Outcome]:
        """Yield what comes of each input, within a deadline."""

    def explained(self, results: list[Result]) -> list[Result]:
        """Add to results what else is known of the answer."""


def judge_answer(course: Course, questions: Questions, answer: Answer) -> list[Result]:
    """Judge all that an exercise asks, with the inputs of one seed, of one answer."""
    exercise = questions.exercise
    if answer.missing:
        return refused(exercise, answer.missing)
    if name := answer.ready_made():
        return refused(exercise, refusal(name))
    trial = Trial(questions, answer.apply)
    return answer.explained(judge(course, trial, exercise.properties))

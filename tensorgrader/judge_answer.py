"""The judgement on one answer: the same in a notebook, on a page and for the command.

These differ in how an answer is applied to inputs, and in what they know about it.
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
        """Why there is nothing to judge, or ""."""

    def ready_made(self) -> str | None:
        """Return a forbidden ready-made function that its source uses, if there is one."""

    def apply(self, batch: list[Inputs]) -> Iterable[Outcome]:
        """Yield the outcome of each input, within a deadline."""

    def explained(self, results: list[Result]) -> list[Result]:
        """Add notes on the answer to results."""


def judge_answer(course: Course, questions: Questions, answer: Answer) -> list[Result]:
    """Judge an answer on all properties of an exercise, with the inputs of one seed."""
    exercise = questions.exercise
    if answer.missing:
        return refused(exercise, answer.missing)
    if name := answer.ready_made():
        return refused(exercise, refusal(name))
    trial = Trial(questions, answer.apply)
    return answer.explained(judge(course, trial, exercise.properties))

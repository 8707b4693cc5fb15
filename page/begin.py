"""Begin the notebook of a page, for any course; packed beside the course's folder as `start`."""

import os
import traceback
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from page.notebook import Lab
from tensorgrader.course import Course
from tensorgrader.in_process import FunctionAnswer
from tensorgrader.judge_answer import judge_answer
from tensorgrader.make_card import compose
from tensorgrader.trial import Questions


def begin(clock: str = os.devnull) -> Lab:
    """Return the notebook."""
    return Lab(Course.load(Path(__file__).parent / "course"), clock)


def unfit(course: Course) -> Iterator[str]:
    """Yield why an exercise cannot be done on a page: its own right answer is not right there."""
    for exercise in course.exercises.values():
        if exercise.seconds is not None:  # it trains a model, for minutes
            continue
        questions = Questions(exercise, 1)
        answer = FunctionAnswer(course, questions, exercise.reference, lambda _: nullcontext())
        try:
            card = compose(judge_answer(course, questions, answer))
        except BaseException as error:  # also what the page's PyTorch raises for what it lacks
            frames = traceback.extract_tb(error.__traceback__)
            theirs = [f for f in frames if Path(f.filename).is_relative_to(course.folder)]
            where = [f"{Path(f.filename).name}, line {f.lineno}: " for f in theirs[-1:]]
            yield f"{exercise.id}: {''.join(where)}{str(error).partition(';')[0]}"
        else:
            if not card.holds:
                yield f"{exercise.id}: {' '.join(s for t in card.troubles for s in t.sentences)}"

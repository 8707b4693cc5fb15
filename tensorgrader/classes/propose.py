"""A group of answers as a proposal for a known mistake: in the form of exercises, with its test."""

from collections.abc import Iterable

from tensorgrader.classes.anonymous import as_one, called
from tensorgrader.classes.records import Record
from tensorgrader.course import Course

ANSWERS_LIMIT = 5
FORM = '''\
"""A proposal for a known mistake in `{exercise}`: {count} answers of a class do this.

Read the answers first: the test runs them without a sandbox. Write a name and a reason. The test:
python -m pytest {file}
Then move the mistake into the file of the exercise, and the other answers to where they are kept.
"""

import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tensorgrader.course import find_course
from tensorgrader.deadline import by_alarm
from tensorgrader.in_process import FunctionAnswer
from tensorgrader.judge_answer import judge_answer
from tensorgrader.trial import Questions

COURSE = find_course({exercise!r}, Path.cwd())
EXERCISE = COURSE.exercises[{exercise!r}]
{parts}

@EXERCISE.mistake(
    "NAME: what is wrong, in a few words",
    why={why!r},
)
{mistake}


{answers}


@pytest.mark.parametrize("answer", [{names}])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_mistake_is_named_and_no_other(answer, seed):
    questions = Questions(EXERCISE, seed)
    results = judge_answer(COURSE, questions, FunctionAnswer(COURSE, questions, answer, by_alarm))
    named = {{mistake.name for result in results for mistake in result.mistakes}}
    assert named == {{EXERCISE.mistakes[-1].name}}
'''


def propose(course: Course, records: Iterable[Record], group: str, comment: str, file: str) -> str:
    """Return the text of a proposal. Raises ValueError if nobody's answers do that.

    Left out are notebooks whose code tried to do more than compute.
    """
    works = [
        work
        for record in records
        for sheet in record["notebooks"]
        if not sheet["tried"]
        for work in sheet["works"]
        if work.get("behaviour") == group
    ]
    if not works:
        raise ValueError(f"no answer does {group!r}. The report names the groups that there are.")
    if crash := works[0]["crash"]:
        raise ValueError(
            f"The answers of {group} end in an error, and a mistake is named by wrong results: "
            f"three at least. Their cards explain it: {crash}"
        )
    if works[0]["mistakes"]:
        raise ValueError(f"{group} has a name already: {'; '.join(works[0]['mistakes'])}.")
    if not (exercise := course.exercises.get(works[0]["id"])):
        raise ValueError(f"{course.title} has no {works[0]['id']}: name its course with --course.")
    name = group.replace("-", "_")
    codes = sorted(
        {as_one(work["code"], exercise.function, name) for work in works} - {""}, key=len
    )
    if not codes:
        raise ValueError(f"no answer of {group} defines {exercise.function}: nothing to propose.")
    shown = codes[:ANSWERS_LIMIT]
    answers = {f"answer_{n}": code.replace(name, f"answer_{n}") for n, code in enumerate(shown, 1)}
    used = {word for code in shown for word in called(code)}
    others = course.chapters[exercise.chapter].exercises
    parts = [
        f"{one.function} = COURSE.exercises[{one.id!r}].reference"
        for one in others
        if one.function in used and one is not exercise
    ]
    given = course.chapters[exercise.chapter].given
    source = course.chapters[exercise.chapter].given_source
    parts += [f"\n\n{source}\n"] if used & {one.__name__ for one in given} else []
    return FORM.format(
        exercise=exercise.id,
        count=len(works),
        file=file,
        parts="\n".join(parts),
        why=comment or "WHY: what it does instead, and what is right.",
        mistake=shown[0],
        answers="\n\n\n".join(answers.values()),
        names=", ".join(answers),
    )

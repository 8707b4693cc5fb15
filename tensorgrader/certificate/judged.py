"""What a certificate says of answers, by a judgement in the sandbox: the same for all who ask."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tensorgrader.certificate.page import Data, about, works_of
from tensorgrader.classes.grade_class import Settings, grade_student, grader_hash
from tensorgrader.classes.similar import is_untouched
from tensorgrader.classes.submissions import HandedIn
from tensorgrader.course import Course
from tensorgrader.sandbox.pool import Limits
from tensorgrader.submission import SIZE_LIMIT, Submission, SubmissionError, parse_submission

#: All chapters of one person are judged at once.
LIMITS = Limits(student=900.0)


@dataclass(frozen=True)
class Judgement:
    """The works of each chapter, what could not be judged, and what the code tried to do."""

    works: dict[str, list[Data]]
    problems: tuple[str, ...]
    tried: tuple[str, ...]


def judged(course: Course, chapters: Mapping[str, Data], seed: int, confined: bool) -> Judgement:
    """Judge the cells of chapters."""
    notebooks = {
        f"{name}.ipynb": json.dumps(notebook(course, name, told)).encode()
        for name, told in chapters.items()
        if told["cells"]
    }
    record = grade_student(HandedIn("", notebooks), Settings(course, seed, LIMITS, confined))
    sheets = record["notebooks"]
    failed = {work["id"]: set(work["failed"]) for sheet in sheets for work in sheet["works"]}
    works = {name: works_of(course, name, failed) for name in chapters if name in course.chapters}
    tried = tuple(f"{sheet['chapter']}: {what}" for sheet in sheets for what in sheet["tried"])
    return Judgement(works, tuple(record["problems"]), tried)


def notebook(course: Course, chapter: str, told: Data) -> dict[str, Any]:
    """Return the cells of a chapter as the notebook that would be handed in."""
    own = {"source": f"exercises/{chapter}", "version": told["version"]}
    cells = [
        {
            "cell_type": "code",
            "source": code,
            "metadata": {"nbgrader": {"grade_id": identity, "solution": True}} if identity else {},
        }
        for identity, code in told["cells"]
    ]
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {course.name: own}, "cells": cells}


def written(
    course: Course,
    places: Collection[Path],
    chapters: Collection[str],
) -> dict[str, Submission]:
    """Read the notebooks of chapters, each from the first of these folders that has it.

    One in which nothing was written is left out.
    Raises OSError or SubmissionError, with the path, for one that cannot be read.
    """
    found = {}
    for name in chapters:
        paths = [folder / f"{name}.ipynb" for folder in places]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            continue
        try:
            with path.open("rb") as file:
                submission = parse_submission(course, file.read(SIZE_LIMIT + 1))
        except SubmissionError as error:
            raise SubmissionError(f"{path} {error}") from None
        answers, stubs = submission.answers.items(), course.stubs(submission.chapter.name)
        if not all(is_untouched(code, stubs.get(identity, "")) for identity, code in answers):
            found[submission.chapter.name] = submission
    return found


def certificate(
    course: Course,
    submissions: Mapping[str, Submission],
    chapters: Collection[str],
    seed: int,
    confined: bool,
    **told: str,
) -> tuple[Data, Judgement]:
    """Judge answers; return the data of their certificate, which also says who and when."""
    handed: dict[str, Data] = {name: {"cells": [], "version": ""} for name in chapters}
    for name, submission in submissions.items():
        imports = [["", "\n".join(submission.imports)]] if submission.imports else []
        cells = imports + [[answer, code] for answer, code in submission.answers.items()]
        handed[name] = {"cells": cells, "version": submission.version}
    judgement = judged(course, handed, seed, confined)
    data = about(course) | {"torch": f"PyTorch {torch.__version__}", "seed": seed} | told
    data["grader"] = f"grader {grader_hash(course)[:12]}"
    data["chapters"] = {
        name: chapter | {"works": judgement.works[name]} for name, chapter in handed.items()
    }
    return data, judgement

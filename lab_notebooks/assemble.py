"""A learner's GPT as one file: their answers where they are right, ours where they are not.

The notebook is graded for it, in the sandbox: none of its code is run here.
"""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from tensorgrader.course import Course
from tensorgrader.earlier import Solved
from tensorgrader.grade import beside, grade_submission
from tensorgrader.one_file import OneFile, one_file
from tensorgrader.submission import Submission, read_submission

MARK = "# SHA-256 of all below, by which it is seen whether you have changed it: "


def assemble(course: Course, notebook: Path, seed: int = 0) -> OneFile:
    """Return a learner's GPT. Raises SubmissionError for a notebook that cannot be graded."""
    program, submission = course.program, read_submission(course, notebook)
    if not program or submission.chapter.name != program.chapter:
        wanted = f"{program.chapter}.ipynb" if program else "one of which a file is made"
        raise ValueError(f"it is the exercise on {submission.chapter.name}, not {wanted}")
    solved = beside(course, notebook, seed)
    own, ours = submission, set[str]()
    while wrong := _wrong(submission, seed, solved) - ours:
        ours |= wrong
        answers = {name: course.solutions(program.chapter)[name] for name in wrong}
        submission = replace(submission, answers=submission.answers | answers)
    right = {name: code for name, code in own.answers.items() if name not in ours}
    made = one_file(course, program, right, solved, course.solutions, submission.imports)
    return replace(made, text=_marked(made.text))


def _wrong(submission: Submission, seed: int, solved: Solved) -> set[str]:
    """Return the exercises whose answers are wrong, but for those that call others that are."""
    results = grade_submission("", submission, seed, solved=solved).results
    return {r.exercise.id for r in results if r.finding and not r.wrong_steps}


def is_changed(path: Path) -> bool:
    """Return whether somebody has changed a file since it was written, or wrote it themselves."""
    mark, _, body = path.read_text("utf-8", errors="replace").partition("\n")
    return f"{mark}\n{body}" != _marked(body)


def _marked(body: str) -> str:
    """Prepend the mark to a text."""
    return f"{MARK}{sha256(body.encode()).hexdigest()[:16]}\n{body}"

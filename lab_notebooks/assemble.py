"""A learner's GPT as one file: their answers where they are right, ours where they are not.

The notebook is graded for it, in the sandbox: none of its code is run here.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from tensorgrader.cells import parse
from tensorgrader.course import Course
from tensorgrader.earlier import Solved
from tensorgrader.grade import beside, grade_submission
from tensorgrader.one_file import OneFile, one_file
from tensorgrader.submission import Submission, read_submission

MARK = "# SHA-256 of all below, by which it is seen whether you have changed it: "
OWN = re.compile(r"\bself\.(\w+)\b")


def assemble(course: Course, notebook: Path, seed: int = 0) -> OneFile:
    """Return a learner's GPT. Raises SubmissionError for a notebook that cannot be graded."""
    program, submission = course.program, read_submission(course, notebook)
    if not program or submission.chapter.name != program.chapter:
        wanted = f"{program.chapter}.ipynb" if program else "one of which a file is made"
        raise ValueError(f"it is the exercise on {submission.chapter.name}, not {wanted}")
    solved = beside(course, notebook, seed)
    own, ours, chapter = submission, dict[str, str](), program.chapter
    while wrong := _wrong(submission, seed, solved) - ours.keys():
        solutions = course.solutions(chapter)
        ours |= {name: _named_as(solutions[name], own.answers.get(name, "")) for name in wrong}
        submission = replace(submission, answers=submission.answers | ours)

    def taken(name: str) -> Mapping[str, str]:
        return {**course.solutions(name), **(ours if name == chapter else {})}

    right = {name: code for name, code in own.answers.items() if name not in ours}
    made = one_file(course, program, right, solved, taken, submission.imports)
    return replace(made, text=_marked(made.text))


def _wrong(submission: Submission, seed: int, solved: Solved) -> set[str]:
    """Return the exercises whose answers are wrong, but for those that call others that are."""
    results = grade_submission("", submission, seed, solved=solved).results
    return {r.exercise.id for r in results if r.finding and not r.wrong_steps}


def _named_as(code: str, theirs: str) -> str:
    """Return our class with the names of their layers, by which their other answers ask for them.

    The layers of a kind get these names in their order, if there are as many.
    """
    named, wanted = _layers(code), _layers(theirs)
    pairs = [
        pair
        for kind, names in named.items()
        if len(names) == len(wanted.get(kind, ()))
        for pair in zip(names, wanted[kind], strict=True)
    ]
    names, others = dict(pairs), {*OWN.findall(code)} - {old for old, _ in pairs}
    if others & {*names.values()}:
        return code
    return OWN.sub(lambda found: f"self.{names.get(found[1], found[1])}", code)


def _layers(code: str) -> dict[str, list[str]]:
    """Return what a class makes and keeps in itself, by what makes it, in order."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(parse(code)[1] or ast.Module([], [])):
        match node:
            case ast.Assign([ast.Attribute(ast.Name("self"), name)], ast.Call(kind)):
                found.setdefault(ast.unparse(kind), []).append(name)
    return found


def is_changed(path: Path) -> bool:
    """Return whether somebody has changed a file since it was written, or wrote it themselves."""
    mark, _, body = path.read_text("utf-8", errors="replace").partition("\n")
    return f"{mark}\n{body}" != _marked(body)


def _marked(body: str) -> str:
    """Prepend the mark to a text."""
    return f"{MARK}{sha256(body.encode()).hexdigest()[:16]}\n{body}"

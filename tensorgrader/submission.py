"""Read a submitted notebook, without trusting a byte of it."""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tensorgrader.cells import defined, imports, is_stub, parse, statements
from tensorgrader.course import Course
from tensorgrader.exercise import Chapter
from tensorgrader.hunt.draw import HUNT, NAME, with_hunt
from tensorgrader.not_a_notebook import broken, foreign
from tensorgrader.sandbox.values import clean

SIZE_LIMIT = 20 * 2**20
PARTS_LIMIT = 2**20
SOURCE_LIMIT = 2**18
CELLS_LIMIT = 10_000
IMPORT_LIMIT = 50
CLEAR = "Clear its outputs (Edit ▸ Clear Outputs of All Cells), save it and try again."
TURNED = {"markdown": "Markdown", "raw": "a raw cell"}


class SubmissionError(ValueError):
    """The file cannot be graded; the message says why and what to do."""


@dataclass(frozen=True)
class Submission:
    """The answer cells of a notebook by id, and what its other cells import and define.

    `split` names the answers that came in several cells, `turned` those whose cell is no longer
    code, with its type. `version` is the course's version that the notebook was made for, `unknown`
    the number of answers that belong to no exercise.
    """

    course: Course
    chapter: Chapter
    answers: dict[str, str]
    imports: tuple[str, ...]
    elsewhere: frozenset[str]
    split: frozenset[str] = frozenset()
    turned: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    unknown: int = 0

    @property
    def outdated(self) -> str:
        """Return a warning if the notebook's answers are those of another version, else ""."""
        there = {*self.answers, *self.turned}
        absent = sum(exercise.id not in there for exercise in self.chapter.exercises)
        if self.version == self.course.version or not (absent or self.unknown):
            return ""
        return (
            f"{_made_for(self.course, self.version)} Of the present exercises, {absent} answers "
            f"are missing in it; {self.unknown} of its answers belong to none. "
            f"`{self.course.command} reset NOTEBOOK` creates a fresh copy, and keeps the old one."
        )

    @cached_property
    def defined(self) -> dict[str, set[str]]:
        """The names that each answer defines, except stubs."""
        return {
            identity: defined([s for s in statements([source]) if not is_stub(s)])
            for identity, source in self.answers.items()
        }

    @cached_property
    def imported(self) -> dict[str, str]:
        """The package of every imported name; parsed at most once."""
        trees = (parse(source)[1] for source in (*self.imports, *self.answers.values()))
        nodes = (node for tree in trees if tree for node in ast.walk(tree))
        return {
            alias.asname or alias.name.partition(".")[0]: (module or alias.name).partition(".")[0]
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for module in (getattr(node, "module", None),)
            for alias in node.names
        }


def read_submission(course: Course, path: Path) -> Submission:
    """Read a notebook. Raises SubmissionError for an invalid one, OSError as open does."""
    with path.open("rb") as file:
        return parse_submission(course, file.read(SIZE_LIMIT + 1))


def parse_submission(course: Course, raw: bytes) -> Submission:
    """Parse the bytes of a notebook. Raises SubmissionError for an invalid one.

    An answer that was split over several cells (which copies their id) is joined again. One with
    the id of no exercise is left out: it is never run, and its id never shown.
    """
    metadata, cells = _notebook(raw)
    course = _hunting(course, metadata, cells)
    answers: dict[str, list[str]] = {}
    graded: set[str] = set()
    turned: dict[str, str] = {}
    others: list[str] = []
    checks: list[str] = []
    unknown: set[str] = set()
    for cell in cells:
        identity, is_answer = _identity(cell)
        if identity:
            graded.add(identity)
        if kind := TURNED.get(str(cell.get("cell_type"))):
            turned |= {identity: kind} if is_answer and identity in course.exercises else {}
        elif is_answer and identity in course.exercises:
            answers.setdefault(identity, []).append(_source(cell))
        else:
            unknown |= {identity} if is_answer else set()
            (checks if identity else others).append(_source(cell))
    version = _version(course, metadata)
    chapter = _chapter(course, metadata, graded)
    outside = statements(others)
    imported = dict.fromkeys(map(ast.unparse, imports(outside)))
    joined = {identity: _joined(parts) for identity, parts in answers.items()}
    split = frozenset(identity for identity, parts in answers.items() if len(parts) > 1)
    turned = {identity: kind for identity, kind in turned.items() if identity not in joined}
    elsewhere = frozenset(defined(outside + statements(checks)))
    told = (tuple(imported)[:IMPORT_LIMIT], elsewhere, split, turned, version, len(unknown))
    return Submission(course, chapter, joined, *told)


def _hunting(course: Course, metadata: dict, cells: list[dict]) -> Course:
    """Return the course with the hunt of a notebook, if it is one."""
    own = metadata.get(course.name)
    source = own.get("source") if isinstance(own, dict) else None
    answers = {identity for identity, is_answer in map(_identity, cells) if is_answer}
    others = answers & course.exercises.keys()
    if source != f"exercises/{HUNT}" and (others or f"{HUNT}-1" not in answers):
        return course
    code = statements(_source(c) for c in cells if not _identity(c)[0] and c["cell_type"] == "code")
    texts = {
        value.value
        for statement in code
        if isinstance(statement, ast.Assign) and NAME in map(ast.unparse, statement.targets)
        for value in [statement.value]
        if isinstance(value, ast.Constant)
    }
    if len(texts) != 1:
        raise SubmissionError(
            f"is a bug hunt, and {'no' if not texts else 'more than one'} cell says {NAME} = … "
            "Copy the answers into the original notebook."
        )
    try:
        return with_hunt(course, str(*texts))
    except ValueError as error:
        raise SubmissionError(f"is a bug hunt that cannot be graded. {error}") from None


def _notebook(raw: bytes) -> tuple[dict, list[dict]]:
    parts = raw.count(b"[") + raw.count(b"{")  # each needs many times its bytes of memory
    if len(raw) > SIZE_LIMIT or parts > PARTS_LIMIT:
        raise SubmissionError(
            f"is larger than {SIZE_LIMIT // 2**20} MB, or has over {PARTS_LIMIT} parts. {CLEAR}"
        )
    try:
        notebook = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise SubmissionError(foreign(raw) or broken(raw, error)) from None
    match notebook:
        case {"cells": list(cells), "metadata": dict(metadata)}:
            _language(metadata)
            kinds = ("code", *TURNED)
            every = [c for c in cells if isinstance(c, dict) and c.get("cell_type") in kinds]
            code = [cell for cell in every if cell["cell_type"] == "code"]
            if len(code) > CELLS_LIMIT:
                raise SubmissionError(f"holds over {CELLS_LIMIT} cells of code. Delete some.")
            if sum(len(_source(cell)) for cell in code) > SOURCE_LIMIT:
                raise SubmissionError(f"holds over {SOURCE_LIMIT} characters of code.")
            return metadata, every
        case {"worksheets": list()}:
            raise SubmissionError(
                "is a notebook of an old format (nbformat 3). Open it in JupyterLab and save it: "
                "that converts it to format 4."
            )
    raise SubmissionError("is not a Jupyter notebook (format 4): it has no list of cells.")


def _language(metadata: dict) -> None:
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        says = metadata.get(part)
        language = says.get(key) if isinstance(says, dict) else None
        if isinstance(language, str) and "python" not in language.lower():
            raise SubmissionError(
                f"is written for {clean(language)[:40]}, not for Python. Open it in JupyterLab, "
                "choose the Python kernel (Kernel ▸ Change Kernel) and save it."
            )


def _chapter(course: Course, metadata: dict, graded: set[str]) -> Chapter:
    """Return the chapter, by the notebook's metadata or else by the ids of its cells."""
    own, chapters = metadata.get(course.name), course.chapters
    source = own.get("source") if isinstance(own, dict) else None
    known = {exercise.id: name for name, c in chapters.items() for exercise in c.exercises}
    named = [chapters[name] for name in chapters if source == f"exercises/{name}"]
    found = [chapters[known[identity]] for identity in sorted(graded) if identity in known]
    if found:
        return (named + found)[0]
    if named or graded:
        version = _version(course, metadata)
        other = version != course.version and f" {_made_for(course, version)}"
        raise SubmissionError(
            "has no answer cells of this book's exercises. Start from a fresh copy "
            f"(`{course.command} start NEW_FOLDER`) and paste your answers in.{other or ''}"
        )
    if isinstance(source, str) and source.startswith("book/"):
        raise SubmissionError("is a chapter to read: it has nothing to grade.")
    raise SubmissionError(
        "is not an exercise of this book: it holds no graded cells. There are exercises for: "
        f"{', '.join(chapters)}."
    )


def _version(course: Course, metadata: dict) -> str:
    own = metadata.get(course.name)
    version = own.get("version") if isinstance(own, dict) else None
    return clean(version)[:40] if isinstance(version, str) else ""


def _made_for(course: Course, version: str) -> str:
    which = f"version {version}" if version else "another version, and does not say which"
    return f"It was made for {which}; this is version {course.version}."


def _identity(cell: dict) -> tuple[str, bool]:
    """Return by what nbgrader knows a cell, and whether it is an answer."""
    match cell.get("metadata"):
        case {"nbgrader": {"grade_id": str(identity), **rest}}:
            given = rest.get("grade") is not False or rest.get("locked") is not False
            return identity, rest.get("solution") is True or not given
    return "", False


def _source(cell: dict) -> str:
    source: Any = cell.get("source")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _joined(parts: list[str]) -> str:
    """Join the cells of an answer, without invalid ones such as an unfinished copy."""
    whole = "\n\n".join(parts)
    if len(parts) == 1 or parse(whole)[1]:
        return whole
    return "\n\n".join(part for part in parts if parse(part)[1]) or whole

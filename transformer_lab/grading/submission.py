"""Read a notebook that someone handed in, without trusting a byte of it."""

import ast
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from transformer_lab.grading.errors import syntax_error
from transformer_lab.grading.exercise import Chapter
from transformer_lab.grading.exercises import CHAPTERS, EXERCISES, RETIRED
from transformer_lab.grading.foreign import broken, foreign
from transformer_lab.grading.magic import outdented, without_magic
from transformer_lab.grading.outcome import UNWRITTEN
from transformer_lab.grading.sandbox.values import clean

SIZE_LIMIT = 20 * 2**20
PARTS_LIMIT = 2**20
SOURCE_LIMIT = 2**18
CELL_LIMIT = 100_000
CELLS_LIMIT = 10_000
IMPORT_LIMIT = 50
CLEAR = "Clear its outputs (Edit ▸ Clear Outputs of All Cells), save it and try again."
PARSES_LIMIT = 3


class SubmissionError(ValueError):
    """The file cannot be graded; the message says why and what to do."""


@dataclass(frozen=True)
class Submission:
    """The answer cells of a notebook by id, and what its other cells import and define.

    `split` names the answers that came in several cells.
    """

    chapter: Chapter
    answers: dict[str, str]
    imports: tuple[str, ...]
    elsewhere: frozenset[str]
    split: frozenset[str] = frozenset()

    @cached_property
    def imported(self) -> dict[str, str]:
        """The package of every name that is imported: answers are parsed for it once, if ever."""
        trees = (parse(source)[1] for source in (*self.imports, *self.answers.values()))
        nodes = (node for tree in trees if tree for node in ast.walk(tree))
        return {
            alias.asname or alias.name.partition(".")[0]: (module or alias.name).partition(".")[0]
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for module in (getattr(node, "module", None),)
            for alias in node.names
        }


def read_submission(path: Path) -> Submission:
    """Read a notebook. Raises SubmissionError for what is not one of ours, OSError as open does."""
    with path.open("rb") as file:
        return parse_submission(file.read(SIZE_LIMIT + 1))


def parse_submission(raw: bytes) -> Submission:
    """Read the bytes of a notebook. Raises SubmissionError for what is not one of ours.

    An answer that was split over several cells (which copies their id) is put together again. One
    with an id that no exercise has or had is left out: it is never run, and its id never shown.
    """
    metadata, cells = _notebook(raw)
    answers: dict[str, list[str]] = {}
    graded: set[str] = set()
    others = []
    for cell in cells:
        identity, is_answer = _identity(cell)
        if identity:
            graded.add(identity)
        if is_answer and (identity in EXERCISES or identity in RETIRED):
            answers.setdefault(identity, []).append(_source(cell))
        elif not identity:
            others.append(_source(cell))
    chapter = _chapter(metadata, graded)
    trees = [tree for tree in (parse(source)[1] for source in others) if tree]
    statements = [statement for tree in trees for statement in tree.body]
    imports = dict.fromkeys(map(ast.unparse, _imports(statements)))
    joined = {identity: _joined(parts) for identity, parts in answers.items()}
    split = frozenset(identity for identity, parts in answers.items() if len(parts) > 1)
    defined = frozenset(_defined(statements))
    return Submission(chapter, joined, tuple(imports)[:IMPORT_LIMIT], defined, split)


def parse(source: str) -> tuple[str, ast.Module | None, str]:
    """Parse a cell, as IPython reads it if need be: its source, its tree, what is wrong."""
    if len(source) > CELL_LIMIT:
        return source, None, f"is longer than {CELL_LIMIT} characters"
    text, problem = source, ""
    for _ in range(PARSES_LIMIT):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return text, ast.parse(text), ""
        except SyntaxError as error:
            line = clean((error.text or "").strip()[:80])
            problem = f"{syntax_error(clean(error.msg), error.lineno)}\n{line}".rstrip()
            without = without_magic(text, error.lineno or 1)
            if without == text:
                without = outdented(text)
        except (ValueError, RecursionError, MemoryError) as error:
            problem = f"cannot be read as Python: {type(error).__name__} {clean(str(error))}"
            without = text
        if without == text:
            break
        text = without
    return source, None, problem


def is_unwritten(cell: ast.Module, function: str) -> bool:
    """Tell whether a cell is that function alone, and the function only raises UNWRITTEN."""
    match cell.body:
        case [ast.FunctionDef(name=name, decorator_list=[], body=body) as definition]:
            lines = 1 + (ast.get_docstring(definition) is not None)
            return name == function and len(body) == lines and _raises_it(body[-1])
    return False


def _notebook(raw: bytes) -> tuple[dict, list[dict]]:
    """Read metadata and code cells."""
    parts = raw.count(b"[") + raw.count(b"{")  # each costs memory many times its bytes
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
            code = [c for c in cells if isinstance(c, dict) and c.get("cell_type") == "code"]
            if len(code) > CELLS_LIMIT:
                raise SubmissionError(f"holds over {CELLS_LIMIT} cells of code. Delete some.")
            if sum(len(_source(cell)) for cell in code) > SOURCE_LIMIT:
                raise SubmissionError(f"holds over {SOURCE_LIMIT} characters of code.")
            return metadata, code
        case {"worksheets": list()}:
            raise SubmissionError(
                "is a notebook of an old format (nbformat 3). Open it in JupyterLab and save it: "
                "that makes format 4 of it."
            )
    raise SubmissionError("is not a Jupyter notebook (format 4): it has no list of cells.")


def _language(metadata: dict) -> None:
    """Refuse a notebook that says it is written for another language."""
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        says = metadata.get(part)
        language = says.get(key) if isinstance(says, dict) else None
        if isinstance(language, str) and "python" not in language.lower():
            raise SubmissionError(
                f"is written for {clean(language)[:40]}, not for Python. Open it in JupyterLab, "
                "choose the Python kernel (Kernel ▸ Change Kernel) and save it."
            )


def _chapter(metadata: dict, graded: set[str]) -> Chapter:
    """Find the chapter: by what the notebook says of itself, else by the ids of its cells."""
    own = metadata.get("transformer_lab")
    source = own.get("source") if isinstance(own, dict) else None
    known = {exercise.id: name for name, c in CHAPTERS.items() for exercise in c.exercises}
    named = [CHAPTERS[name] for name in CHAPTERS if source == f"exercises/{name}"]
    found = [CHAPTERS[known[identity]] for identity in sorted(graded) if identity in known]
    if found:
        return (named + found)[0]
    if named or graded:
        raise SubmissionError(
            "has no answer cells of this book's exercises. Start from a fresh copy "
            "(`transformer-lab start NEW_FOLDER`) and paste your answers in."
        )
    if isinstance(source, str) and source.startswith("book/"):
        raise SubmissionError("is a chapter to read: there is nothing in it to grade.")
    raise SubmissionError(
        "is not an exercise of this book: it holds no graded cells. "
        f"Exercises are there for: {', '.join(CHAPTERS)}."
    )


def _identity(cell: dict) -> tuple[str, bool]:
    """Give a cell's graded id, or "", and whether it is an answer."""
    match cell.get("metadata"):
        case {"nbgrader": {"grade_id": str(identity), **rest}}:
            return identity, rest.get("solution") is True
    return "", False


def _source(cell: dict) -> str:
    """Give a cell's text, however the file spells it."""
    source: Any = cell.get("source")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _joined(parts: list[str]) -> str:
    """Put an answer together; a part that is broken, say an unfinished copy, is left out."""
    whole = "\n\n".join(parts)
    if len(parts) == 1 or parse(whole)[1]:
        return whole
    return "\n\n".join(part for part in parts if parse(part)[1]) or whole


def _imports(statements: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Give the imports that run with a cell: those in blocks too, but in no function or class."""
    apart = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
    nodes: list[ast.AST] = [*statements]
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        if not isinstance(node, apart):
            nodes += ast.iter_child_nodes(node)


def _defined(statements: list[ast.stmt]) -> set[str]:
    """Give the names these statements define or assign, imports apart."""
    names = set()
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            stored = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
            names |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
    return names


def _raises_it(statement: ast.stmt) -> bool:
    """Tell whether a statement is `raise NotImplementedError`, with words or without."""
    match statement:
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name), keywords=[])):
            given = getattr(statement.exc, "args", [])
            return name == UNWRITTEN.type and all(isinstance(a, ast.Constant) for a in given)
    return False

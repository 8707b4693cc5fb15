"""A page with tasks as a notebook, which `grade` takes: cells, and text as far as it is plain."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes

from tensorgrader.course import Course


def as_script(notebook: str) -> str:
    """Return the script that brings a notebook to its page."""
    return f"tensorgraderNotebook({json.dumps(notebook)});\n"


def write_notebook(course: Course, page: nodes.document, target: Path) -> None:
    """Write the notebook of a page, and the script that brings it."""
    told: dict[str, Any] = {
        "cells": [{"id": f"cell-{n}", **cell} for n, cell in enumerate(_cells(page))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            course.name: {"version": course.version},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    text = json.dumps(told, indent=1) + "\n"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.with_name(f"{target.name}.ipynb").write_text(text, "utf8")
    target.with_name(f"{target.name}.ipynb.js").write_text(as_script(text), "utf8")


def _cells(page: nodes.document) -> Iterator[dict[str, Any]]:
    for one in page.findall():
        if isinstance(one, nodes.title):
            depth = sum(1 for above in _above(one) if isinstance(above, nodes.section))
            yield _cell("markdown", f"{'#' * depth} {one.astext()}")
        elif isinstance(one, nodes.math_block):
            yield _cell("markdown", f"$$\n{one.astext().strip()}\n$$")
        elif isinstance(one, nodes.paragraph) and isinstance(one.parent, nodes.section):
            yield _cell("markdown", one.rawsource or one.astext())
        elif isinstance(one, nodes.container) and {"tl-setup", "tl-answer"} & {*one["classes"]}:
            yield from _code(one)


def _code(cell: nodes.container) -> Iterator[dict[str, Any]]:
    """Yield the cell of what prepares, or of an answer and of its check."""
    told = {"schema_version": 3, "cell_type": "code", "task": False}
    if not cell["ids"]:
        yield _cell("code", f"{cell.astext()}\n\nfrom tensorgrader.check import check")
        return
    name = cell["ids"][0]
    answer = {**told, "grade_id": name, "solution": True, "grade": False, "locked": False}
    yield _cell("code", cell.astext(), nbgrader=answer)
    yield _cell("code", f'check("{name}")')


def _cell(kind: str, source: str, **metadata: Any) -> dict[str, Any]:
    more: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": metadata, "source": source.splitlines(True), **more}


def _above(one: nodes.Node) -> Iterator[nodes.Node]:
    while one := one.parent:
        yield one

"""A page with tasks as a notebook, which `grade` takes: cells, and text as far as it is plain."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tensorgrader.course import Course


def as_script(notebook: str) -> str:
    """Return the script that brings a notebook to its page."""
    return f"tensorgraderNotebook({json.dumps(notebook)});\n"


def write_notebook(course: Course, page: nodes.document, target: Path) -> None:
    """Write the notebook of a page, and the script that brings it."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    told = {"kernelspec": kernel, course.name: {"version": course.version}}
    made = new_notebook(cells=[*_cells(page)], metadata=told)
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number}"
    text = nbformat.writes(made)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.with_name(f"{target.name}.ipynb").write_text(text, "utf8")
    target.with_name(f"{target.name}.ipynb.js").write_text(as_script(text), "utf8")


def _cells(page: nodes.document) -> Iterator[Any]:
    for one in page.findall():
        if isinstance(one, nodes.title):
            depth = sum(1 for above in _above(one) if isinstance(above, nodes.section))
            yield new_markdown_cell(f"{'#' * depth} {one.astext()}")
        elif isinstance(one, nodes.math_block):
            yield new_markdown_cell(f"$$\n{one.astext().strip()}\n$$")
        elif isinstance(one, nodes.paragraph) and isinstance(one.parent, nodes.section):
            yield new_markdown_cell(one.rawsource or one.astext())
        elif isinstance(one, nodes.container) and {"tl-setup", "tl-answer"} & {*one["classes"]}:
            yield from _code(one)


def _code(cell: nodes.container) -> Iterator[Any]:
    """Yield the cell of what prepares, or of an answer and of its check."""
    told = {"schema_version": 3, "cell_type": "code", "task": False}
    if not cell["ids"]:
        yield new_code_cell(f"{cell.astext()}\n\nfrom tensorgrader.check import check")
        return
    name = cell["ids"][0]
    answer = {**told, "grade_id": name, "solution": True, "grade": False, "locked": False}
    yield new_code_cell(cell.astext(), metadata={"nbgrader": answer})
    yield new_code_cell(f'check("{name}")')


def _above(one: nodes.Node) -> Iterator[nodes.Node]:
    while one := one.parent:
        yield one

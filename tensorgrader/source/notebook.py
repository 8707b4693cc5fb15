"""A source in Markdown as a notebook."""

from typing import Any


def notebook(text: str, name: str, told: dict[str, Any]) -> Any:
    """Return a source as a notebook of nbformat with these metadata besides the usual.

    Graded cells are called as their exercises, the others after `name`.
    """
    import jupytext  # imported here, since only who hands out notebooks needs it

    made = jupytext.reads(text, fmt="md:myst")
    made.nbformat, made.nbformat_minor = 4, 5
    kernel = made.metadata.get("kernelspec") or {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    made.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}, **told}
    for number, cell in enumerate(made.cells):
        graded = cell.metadata.get("nbgrader")
        cell.id = graded["grade_id"] if graded else f"{name}-{number:03d}"
    return made

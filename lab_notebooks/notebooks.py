"""From the book's sources to the notebooks that a learner opens.

Chapters and exercises are MyST Markdown: `book/*.md` and `exercises/*.md`. A notebook has their
text as plain Markdown; for exercises, its form decides about the solutions.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from lab_notebooks.addresses import colab_cell, repository
from lab_notebooks.architecture import for_notebook
from lab_notebooks.plain_markdown import citation, plain
from lab_notebooks.sources import root, sources
from tensorgrader.card.card import anchor
from tensorgrader.source.forms import release_text, student_text
from tensorgrader.source.graded import graded_text
from tensorgrader.source.notebook import notebook as as_notebook
from transformer_lab._course import COURSE

Form = Callable[[str], str]

HOW_TO_RUN = {
    "book": "*To run this notebook: Shift+Enter runs a cell, and Run ▸ Run All Cells runs "
    "everything. Folded cells open with a click.*",
    "exercises": "*To run this notebook: Shift+Enter runs a cell. Go through it cell by cell, "
    "since a check stops at an answer that is still missing.*",
}
HIDDEN = {"hide-input", "hide-cell"}  # what the book's page folds, a notebook folds too
GIVEN = {form.__name__: form for form in (student_text, release_text)}  # for learners
FORM = re.compile(rf'"transformer_lab":\s*\{{[^}}]*"form":\s*"({"|".join(GIVEN)})"')
DRAWING = re.compile(r"^```\{architecture\}\n(:open:\n)?```$", re.MULTILINE)
HEADING = re.compile(r"^\(([\w-]+)\)=\s*\n#+ (.+)$", re.MULTILINE)


def read_notebook(name: str, form: Form = student_text) -> NotebookNode:
    """Return the notebook of a source in one of the forms of `forms`, by default the learner's.

    Raises ValueError, naming page and line, for MyST that has no plain form.
    """
    known = sources()
    if name not in known:
        raise ValueError(f"there is no notebook {name!r}; there are: {', '.join(known)}")
    text = known[name].read_text(encoding="utf-8")
    room, _, stem = name.partition("/")
    whole = graded_text(COURSE.chapters[stem], text) if room == "exercises" else text
    told = {"source": name, "form": form.__name__, "version": _version()}
    notebook = as_notebook(form(whole), name.replace("/", "-"), {"transformer_lab": told})
    cited, labels = papers(), _labels()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if HIDDEN & set(cell.metadata.get("tags", [])):
                cell.metadata["jupyter"] = {"source_hidden": True}
            continue
        text_of_cell = DRAWING.sub(lambda m: for_notebook(stem, folded=not m[1]), cell.source)
        try:
            cell.source = plain(
                text_of_cell,
                lambda style, keys: citation(style, keys, cited),
                lambda target: _target(name, target, labels),
            )
        except ValueError as error:
            first = cell.source.split("\n", 1)[0]
            line = text[: max(text.find(first), 0)].count("\n") + 1
            raise ValueError(f"{name}.md, in the text from line {line} on: {error}") from None
    code = {n: cell.source for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
    if code:
        how = new_markdown_cell(HOW_TO_RUN[room], id="how-to-run")
        on_colab = colab_cell(repository(), "\n".join(code.values()))
        notebook.cells[min(code) : min(code)] = [how, on_colab]
    nbformat.validate(notebook)
    return notebook


@cache
def _version() -> str:
    """Return the version of the book, which is that of its course."""
    return version("transformer-lab-book")


def notebook_path(name: str) -> Path | None:
    """Return the path of a notebook in a learner's folder."""
    return Path(f"{name}.ipynb")


def assignment_path(name: str) -> Path | None:
    """Return the path of an exercise in an nbgrader course; chapters have none."""
    room, _, stem = name.partition("/")
    return Path("source", stem, f"{stem}.ipynb") if room == "exercises" else None


def write_notebooks(
    folder: Path,
    form: Form = student_text,
    *,
    overwrite: bool = False,
    place: Callable[[str], Path | None] = notebook_path,
) -> Iterator[tuple[Path, bool]]:
    """Write every notebook that has a path below a folder; yield it, and whether it was written.

    Existing files are kept, unless `overwrite` is true.
    """
    for name in sources():
        if not (below := place(name)):
            continue
        path = folder / below
        path.parent.mkdir(parents=True, exist_ok=True)
        text = nbformat.writes(read_notebook(name, form)) + "\n"
        try:
            with path.open("w" if overwrite else "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            yield path, False
        else:
            yield path, True


def start_again(path: Path) -> Path:
    """Replace a learner's notebook by a fresh copy; return where the old one is kept.

    Raises OSError as open does, ValueError for a file that is no notebook of the book.
    """
    known = {f"{name}.ipynb": name for name in sources()}
    path = path.resolve()  # a symbolic link stays one
    given = f"{path.parent.name}/{path.name}"
    if given not in known:
        raise ValueError(f"there is no notebook {given!r} to reset; there are: {', '.join(known)}")
    form = _form_given(path)  # raises for a missing file or a folder
    text = nbformat.writes(read_notebook(known[given], form)) + "\n"
    backups = path.parent / "backups"
    backups.mkdir(exist_ok=True)
    number = next(n for n in count(1) if not (backups / f"{path.stem}-{n}.ipynb").exists())
    kept = backups / f"{path.stem}-{number}.ipynb"
    path.rename(kept)
    path.write_text(text, encoding="utf-8")
    return kept


def _form_given(path: Path) -> Form:
    """Return the form of a notebook by its metadata or, if broken, by those beside it.

    If none says so, it is the one without solutions.
    """
    for notebook in (path, *sorted(path.parent.glob("*.ipynb"))):
        if noted := FORM.search(notebook.read_text(encoding="utf-8", errors="replace")):
            return GIVEN[noted[1]]
    return release_text


def _target(page: str, target: str, labels: dict[str, tuple[str, str]]) -> str:
    """Convert a link to a source or a label into one to a notebook; keep addresses."""
    room = page.partition("/")[0]
    if (label := target.removeprefix("#")) in labels:
        other, heading = labels[label]
        return anchor(heading) if other == page else f"../{other}.ipynb{anchor(heading)}"
    path, _, part = target.partition("#")
    if path.endswith(".md"):
        parts = Path(room, path).parts
        name = "/".join(parts[2:] if parts[1] == ".." else parts).removesuffix(".md")
        if name in sources():
            return path.removesuffix(".md") + ".ipynb" + (f"#{part}" if part else "")
    raise ValueError(f"a link leads to {target!r}, which is neither a notebook nor a label")


def _labels() -> dict[str, tuple[str, str]]:
    """Return the page and the heading of each label."""
    return {
        label: (name, heading)
        for name, path in sources().items()
        for label, heading in HEADING.findall(path.read_text(encoding="utf-8"))
    }


def papers() -> dict[str, tuple[str, str, str]]:
    """Return the bibliography: authors as cited, year, address."""
    return _read((root() / "book" / "references.bib").read_text(encoding="utf-8"))


@cache
def _read(bibliography: str) -> dict[str, tuple[str, str, str]]:
    """Read a bibliography, once."""
    from pybtex.database import parse_string
    from pybtex.richtext import Text

    def authors(entry: Any) -> str:
        names = [
            str(Text.from_latex(" ".join(person.prelast_names + person.last_names)))
            for person in entry.persons["author"]
        ]
        return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)

    return {
        key: (
            authors(entry),
            entry.fields["year"],
            entry.fields.get("url") or f"https://doi.org/{entry.fields['doi']}",
        )
        for key, entry in parse_string(bibliography, "bibtex").entries.items()
    }

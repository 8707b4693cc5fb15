"""The notebooks of a course for a class, with what their checks need."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tensorgrader.course import Course
from tensorgrader.source.graded import graded_text
from tensorgrader.source.notebook import notebook

Form = Callable[[str], str]


def chapter_notebook(course: Course, chapter: str, form: Form) -> Any:
    """Return the notebook of a chapter in one of the forms of `source.forms`.

    Raises FileNotFoundError without a page, ValueError for one that lacks an answer or a check.
    """
    page = course.page(chapter)
    if not page.is_file():
        raise FileNotFoundError(
            f"there is no page {page}: it has the text, the stub and the solution of each task of "
            f"the chapter {chapter!r}."
        )
    text = graded_text(course.chapters[chapter], page.read_text("utf8"))
    told = {"source": f"exercises/{chapter}", "form": form.__name__, "version": course.version}
    return notebook(form(text), chapter, {course.name: told})


def release(
    course: Course, form: Form, chapters: Iterable[str], place: Callable[[str], Path]
) -> Iterator[Path]:
    """Write chapters into the files that have a place, each beside its course; yield their paths.

    A check needs the course, so its Python is copied, the references with it; its pages, which
    have the solutions, and its tests are not.
    """
    import nbformat

    for chapter in chapters:
        path = place(chapter)
        folder = path.parent
        made = chapter_notebook(course, chapter, form)
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, path)
        for source in _python(course.page(chapter).parent):
            target = folder / source.relative_to(course.page(chapter).parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        yield path


def _python(folder: Path) -> Iterator[Path]:
    """Yield the Python files of a course: those beside its course.py, and of its chapters."""
    chapters = Course.load(folder).chapters
    for path in (*folder.glob("*.py"), *(p for c in chapters for p in (folder / c).rglob("*.py"))):
        if not path.name.startswith("test_") and path.name != "conftest.py":
            yield path

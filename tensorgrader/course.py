"""A course: a folder with a course.py, loaded by its path.

So it is the same in a clone, in an installed package and in the archive that a page loads, and no
package of its name has to be installed. Several can be loaded side by side.
"""

import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorgrader.exercise import Chapter, Exercise, Program, Property
from tensorgrader.source import forms
from tensorgrader.source.graded import answers

__all__ = ["Course", "CourseError", "find_course"]

PACKAGE = "tensorgrader_course"
#: The entry points with which an installed package provides its course.
ENTRY_POINTS = "tensorgrader.course"


class CourseError(ValueError):
    """A course cannot be loaded; the message says where, and why.

    >>> course.beside(course)
    Traceback (most recent call last):
    tensorgrader.course.CourseError: ... has a chapter 'basics', and so has My course: ...
    """


@dataclass(frozen=True, eq=False)
class Course:
    """Chapters with exercises, and the names of the course.

    `name` is in the metadata of its notebooks, `title` is for people, `command` is what they type.
    `distribution` is the installed package whose version is the course's. `packages` are its own: a
    verdict depends on their modules, too, and answers cannot import them. `own` is the module from
    which an answer imports what was solved in earlier chapters. `moved` says which exercise took
    the place of one of an earlier edition; `program` is what makes a file of a learner's answers
    run. `others` are the courses whose chapters stand beside its own. `packed` has the solutions by
    chapter where there are no pages to read.

    >>> list(Course.load(Path("mine")).exercises)
    ['basics-variance']
    """

    folder: Path
    chapters: Mapping[str, Chapter]
    name: str
    title: str
    command: str
    distribution: str = ""
    packages: tuple[str, ...] = ()
    own: str = ""
    moved: Mapping[str, str] = field(default_factory=dict)
    program: Program | None = None
    others: tuple["Course", ...] = ()
    packed: Mapping[str, dict[str, str]] = field(default_factory=dict)

    @staticmethod
    def load(folder: Path) -> "Course":
        """Return the course of a folder, loaded anew if its Python has changed.

        Raises FileNotFoundError if it has no course.py, CourseError if that cannot be run.
        """
        folder = folder.resolve()
        return _load(folder, tuple(p.stat().st_mtime_ns for p in sorted(folder.rglob("*.py"))))

    def beside(self, other: "Course") -> "Course":
        """Return this course with the chapters of another after its own.

        Raises CourseError if both have a chapter of the same name.
        """
        if both := [name for name in other.chapters if name in self.chapters]:
            raise CourseError(
                f"{other.folder} has a chapter {both[0]!r}, and so has {self.title}: rename yours "
                "(its folder, its page, and its name in course.py)."
            )
        return replace(
            self,
            chapters={**self.chapters, **other.chapters},
            packages=tuple(dict.fromkeys([*self.packages, *other.packages])),
            others=(*self.others, other),
        )

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """Its exercises by their ids."""
        return {e.id: e for chapter in self.chapters.values() for e in chapter.exercises}

    @cached_property
    def properties(self) -> dict[str, tuple[Exercise, Property]]:
        """The requirements of all exercises by their ids."""
        return {p.id: (e, p) for e in self.exercises.values() for p in e.properties}

    @cached_property
    def version(self) -> str:
        """The version of the package that it came with, or ""."""
        from importlib import metadata  # imported here, since a page doesn't have it

        try:
            return metadata.version(self.distribution) if self.distribution else ""
        except metadata.PackageNotFoundError:
            return ""

    def page(self, chapter: str) -> Path:
        """Return the page of a chapter: Markdown with its answers, each with a solution."""
        owner = next((other for other in self.others if chapter in other.chapters), self)
        return owner.folder / f"{chapter}.md"

    def solutions(self, chapter: str) -> dict[str, str]:
        """Return the solutions on the page of a chapter, by exercise; nothing without a page."""
        return self.packed.get(chapter) or self._answers(chapter, forms.solved_text)

    def stubs(self, chapter: str) -> dict[str, str]:
        """Return the answer cells on the page of a chapter as a learner gets them, by exercise."""
        return self._answers(chapter, forms.release_text)

    def _answers(self, chapter: str, form: Callable[[str], str]) -> dict[str, str]:
        page = self.page(chapter)
        text = page.read_text(encoding="utf-8") if page.is_file() else ""
        return answers(self.chapters[chapter], text, form)

    @property
    def wheel(self) -> str:
        """The file that installs it."""
        return f"{self.distribution.replace('-', '_')}-VERSION-py3-none-any.whl"

    @property
    def files(self) -> Iterator[Path]:
        """Yield the files besides the engine's on which a verdict depends."""
        yield from self.folder.glob("**/*.py")
        yield from self.folder.glob("hunts.json")
        for name in self.packages:
            if (spec := find_spec(name)) and spec.origin:
                yield from Path(spec.origin).parent.glob("*.py")
        for other in self.others:
            yield from other.folder.glob("**/*.py")

    def __reduce__(self) -> tuple:
        """Pickle the course as the folders to load it from."""
        return _again, (self.name, self.folder, *(other.folder for other in self.others))


@cache
def _load(folder: Path, _changed: tuple[int, ...]) -> Course:
    """Import the course.py of a folder, which may import its neighbours relatively."""
    loaded = sum(name.rstrip("0123456789") == PACKAGE for name in sys.modules)
    package = ModuleType(f"{PACKAGE}{loaded or ''}")
    package.__path__ = [str(folder)]
    sys.modules[package.__name__] = package
    try:
        told: Any = import_module(f"{package.__name__}.course")
        chapters = _chapters(told)
    except Exception as error:
        for name in [name for name in sys.modules if name.split(".")[0] == package.__name__]:
            del sys.modules[name]  # so that it can be tried again
        if getattr(error, "name", "") == f"{package.__name__}.course":
            raise FileNotFoundError(f"{folder} has no course.py, so it isn't a course.") from None
        why = f"{place_of(error)}{_missing(folder, error)}"
        raise CourseError(f"{folder} cannot be loaded: {why}") from error
    name = getattr(told, "NAME", folder.name)
    return Course(
        folder,
        chapters,
        name,
        getattr(told, "TITLE", name),
        getattr(told, "COMMAND", "python -m tensorgrader"),
        getattr(told, "DISTRIBUTION", ""),
        getattr(told, "PACKAGES", ()),
        getattr(told, "OWN", ""),
        getattr(told, "MOVED", {}),
        getattr(told, "PROGRAM", None),
    )


def _missing(folder: Path, error: Exception) -> str:
    """Return what to do about the import of a file that is not in the course, or ""."""
    named = re.findall(r"'([\w.]+)'", str(error)) if isinstance(error, ImportError) else []
    package, *parts = ".".join(reversed(named)).split(".")
    path = folder.joinpath(*parts)
    if not package.startswith(PACKAGE) or path.exists() or path.with_suffix(".py").exists():
        return ""
    return f". There is no {'/'.join(parts)}.py: write it, or do not import it."


def _chapters(told: Any) -> Mapping[str, Chapter]:
    chapters = getattr(told, "CHAPTERS", None)
    if isinstance(chapters, Mapping) and all(
        isinstance(c, Chapter) and c.name == name and all(e.chapter == name for e in c.exercises)
        for name, c in chapters.items()
    ):
        return chapters
    raise TypeError(
        "course.py has to define CHAPTERS, by the names of their folders: "
        'CHAPTERS = {"basics": Chapter("basics", (variance.EXERCISE,))}'
    )


def place_of(error: BaseException) -> str:
    """Return an error's kind and message, and the line of the author's file that raised it."""
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError):
        words = f"SyntaxError: {error.msg}"
        return f"{words} ({error.filename}, line {error.lineno})" if error.filename else words
    here = Path(__file__).parent
    frames = traceback.extract_tb(error.__traceback__)
    ours = (frame for frame in frames if not frame.filename.startswith("<"))
    theirs = [f for f in ours if here not in Path(f.filename).parents and not _is_installed(f)]
    if not theirs:
        return words
    return f"{words} ({theirs[-1].filename}, line {theirs[-1].lineno}: {theirs[-1].line})"


def _is_installed(frame: traceback.FrameSummary) -> bool:
    return any(
        frame.filename.startswith(f"{path}/") for path in (sys.prefix, sys.base_prefix)
    ) or any(part in frame.filename for part in ("site-packages", "lib/python"))


def find_course(exercise: str, here: Path) -> Course:
    """Return the course that has an exercise, for a notebook in a folder.

    It is the course of that folder, or of the nearest above it that has a course.py with CHAPTERS;
    else the installed one that has the exercise, or the only one. Raises LookupError for none.

    >>> find_course("basics-variance", Path("mine").resolve()).title
    'My course'
    """
    for folder in (here, *here.parents):
        path = folder / "course.py"
        if path.is_file() and b"CHAPTERS" in path.read_bytes():
            return Course.load(folder)
    installed = {entry.name: entry.load() for entry in _entry_points()}
    having = [course for course in installed.values() if exercise in course.exercises]
    if len(having or installed) == 1:
        return next(iter(having or installed.values()))
    names = ", ".join(installed) or "none"
    raise LookupError(
        f"which course has the exercise {exercise!r}? There is no course.py in {here} or above it, "
        f"and {len(having)} of the installed courses ({names}) have it."
    )


def _again(name: str, folder: Path, *others: Path) -> Course:
    """Return the course of a folder or, on a machine that has it elsewhere, the installed one."""
    if others:
        return _again(name, folder, *others[:-1]).beside(Course.load(others[-1]))
    if folder.is_dir():
        return Course.load(folder)
    return next(entry for entry in _entry_points() if entry.name == name).load()


def _entry_points() -> Any:
    from importlib import metadata

    return metadata.entry_points(group=ENTRY_POINTS)

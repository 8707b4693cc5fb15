"""The commands of an author: `new` writes a course, `test` tests it, `release` hands it out."""

import argparse
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorgrader.command import arguments, refuse, refusing

if TYPE_CHECKING:
    from tensorgrader.course import Course

WIDTH = 72


def add(commands: Any) -> None:
    """Add `new` and `test` to a parser."""
    beginning = commands.add_parser("new", help="write a course of one task into a new folder")
    beginning.add_argument("folder", type=Path)
    beginning.set_defaults(run=new)

    testing = commands.add_parser("test", help="test the tasks of a course, and show what is open")
    testing.add_argument("folder", type=Path, nargs="?", default=Path(), help="by default: here")
    testing.add_argument("--task", help="only this one, such as basics-variance")
    testing.set_defaults(run=test)


def of_release(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a release."""
    parser.add_argument("folder", type=Path)
    arguments.of_course(parser)
    parser.add_argument(
        "--chapter", action="append", help="only this chapter; may be given several times"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--solutions", action="store_true", help="with each solution folded away")
    how.add_argument(
        "--nbgrader", action="store_true", help="as assignments, into the folder of a course"
    )


@refusing
def new(options: argparse.Namespace) -> int:
    """Write a course of one task, and print what to do with it."""
    from tensorgrader.author.new import new as write

    for path in write(options.folder):
        print(f"wrote {path}")
    print(f"Now type: python -m tensorgrader test {options.folder}")
    return 0


@refusing
def test(options: argparse.Namespace) -> int:
    """Test each task of a course, and print what was found; return 1 if something is wrong."""
    from tensorgrader.author.places import misplaced
    from tensorgrader.author.prove import prove
    from tensorgrader.course import Course

    course = Course.load(options.folder)
    for problem in (found := [*misplaced(course)]):
        _say("✗", problem)
    tasks = [e for name, e in course.exercises.items() if options.task in (None, name)]
    if not tasks:
        known = ", ".join(course.exercises) or "none"
        return refuse(f"there is no task {options.task!r}; there are: {known}")
    code = int(bool(found))
    for exercise in tasks:
        print(f"{exercise.id}: {exercise.function}({', '.join(exercise.parameters)})", flush=True)
        for proof in prove(course, exercise):
            if not proof.problems:
                _say("✓", proof.holds)
            for problem in proof.problems:
                _say("✗", problem)
            for ask in proof.asks[:1]:
                _say("?", ask)
            for more in proof.asks[1:]:
                print(f"    {more}")
            code |= bool(proof.problems)
    return code


def _say(sign: str, words: str) -> None:
    """Print an item of a list, in lines that a terminal holds."""
    wrapped = textwrap.wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    print(f"  {sign} " + "\n    ".join(wrapped), flush=True)


def release(course: "Callable[[], Course]", options: argparse.Namespace) -> int:
    """Write the notebooks of a course, without solutions, with them, or for nbgrader."""
    found = arguments.chosen(course, None, options)
    return write(found, options, options.chapter or found.chapters, options.folder)


@refusing
def write(course: "Course", options: argparse.Namespace, chapters: Any, folder: Path) -> int:
    """Write the notebooks of chapters into a folder, and print their paths."""
    from tensorgrader.progress import FILE, find
    from tensorgrader.release import release as released
    from tensorgrader.source import forms

    if find(folder) or folder.resolve() == course.folder:
        what = "your course itself" if folder.resolve() == course.folder else f"answers ({FILE})"
        return refuse(f"{folder} holds {what}. Choose another folder.")

    def place(chapter: str) -> Path:
        if options.nbgrader:
            return options.folder / "source" / chapter / f"{chapter}.ipynb"
        return folder / f"{chapter}.ipynb"

    form = forms.student_text if options.solutions else forms.release_text
    form = forms.nbgrader_text if options.nbgrader else form
    for path in released(course, form, chapters, place):
        print(f"wrote {path}")
    return 0

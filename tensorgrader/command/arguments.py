"""The arguments of the command `grade`."""

import argparse
import os
import sys
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorgrader.command import certificate, from_class

if TYPE_CHECKING:
    from tensorgrader.course import Course

GRADING = """a class:
  %(prog)s submissions/ --out report/
  Every entry of the folder (or zip file) is a student: a notebook, a zip file, or a folder of
  either, or what a platform lets you download for a class. Run again, the command grades only
  what has changed. --scheduler needs the wheel's extra on each machine: 'WHEEL[cluster]'

exit codes:
  0  every notebook has all points; for a class, everything could be read
  1  points are missing, or a file could not be graded
  2  the command was not understood, there is no sandbox for a class, or a file does not exist
     (the others are graded)
"""
OF_CLASS = ("chapter", "roster", "key", "format", "due", "late", "anonymous", "scheduler")


def add(
    commands: Any, course: "Callable[[], Course]", given: "Callable[[Path], Course] | None" = None
) -> None:
    """Add the commands that grade to a parser: their course is loaded when needed.

    `given` returns the course to grade if `--course` names a folder: by default, the folder's.
    """
    grading = commands.add_parser(
        "grade",
        help="grade exercise notebooks, or a class",
        epilog=GRADING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    jobs, seed = partial(_whole, 1, 1000), partial(_whole, 0, 2**31 - 1)
    grading.add_argument("notebooks", type=Path, nargs="+", metavar="NOTEBOOK")
    grading.add_argument("--jobs", type=jobs, default=os.cpu_count(), help="notebooks at a time")
    grading.add_argument("--json", action="store_true", help="print the results as JSON")
    grading.add_argument("--seed", type=seed, help="draw the inputs of an earlier run again")
    grading.add_argument("--out", type=Path, metavar="REPORT", help="grade a class into a folder")
    of_course(grading)
    of_class = grading.add_argument_group("for a class, with --out")
    several: dict[str, Any] = {"action": "append", "default": []}
    path: dict[str, Any] = {"type": Path}
    for name, words, how in (
        ("chapter", "count only this chapter; may be given several times", several),
        ("roster", "the class list, as exported by Canvas or Moodle", path | {"metavar": "CSV"}),
        ("key", "the key with which hunts were released", path | {"metavar": "FILE"}),
        ("format", "write what to upload there", {"choices": ("canvas", "moodle")}),
        ("due", "the deadline, such as 2026-11-20T23:59", {"type": _time, "metavar": "TIME"}),
        ("late", "deduct so much for each day begun", {"type": _per_cent, "metavar": "PERCENT"}),
        ("anonymous", "hide names in the report", {"action": "store_true"}),
        ("scheduler", "grade on a dask cluster, not here", {"metavar": "ADDRESS"}),
        ("without-sandbox", "grade a class you trust without one", {"action": "store_true"}),
    ):
        of_class.add_argument(f"--{name}", help=words, **how)
    grading.set_defaults(run=partial(grade, course, given))
    for parser in from_class.add(commands, partial(chosen, course, given)):
        of_course(parser)
    certificate.add(commands, course, chapter=partial(chapter, course), seed=seed)


def of_course(parser: argparse.ArgumentParser) -> None:
    """Add the option for a course of one's own."""
    parser.add_argument(
        "--course", type=Path, metavar="FOLDER", help="with the tasks of the course in this folder"
    )


def chosen(
    course: "Callable[[], Course]",
    given: "Callable[[Path], Course] | None",
    options: argparse.Namespace,
    also: tuple[str, ...] = (),
) -> "Course":
    """Return the course of a command. Ends the program if it, or a chapter, cannot be found.

    Chapters that are `also` known need not be the course's.
    """
    from tensorgrader.course import Course, CourseError

    try:
        found = (given or Course.load)(options.course) if options.course else course()
        for name in getattr(options, "chapter", None) or ():
            chapter(lambda: found, name, also)
    except (CourseError, FileNotFoundError, LookupError, argparse.ArgumentTypeError) as error:
        print(error.args[0], file=sys.stderr)
        raise SystemExit(2) from None
    return found


def grade(
    course: "Callable[[], Course]",
    given: "Callable[[Path], Course] | None",
    options: argparse.Namespace,
) -> int:
    """Grade notebooks, or a class into a report."""
    if options.out:
        from tensorgrader.command.grade_class import grade_a_class

        return grade_a_class(chosen(course, given, options, ("hunt",)), options)
    if told := next((name for name in OF_CLASS if getattr(options, name)), ""):
        print(f"--{told} is for a class: add --out with a folder for its report.", file=sys.stderr)
        return 2
    from tensorgrader.command.grade_notebooks import grade_notebooks

    return grade_notebooks(chosen(course, given, options), options)


def chapter(course: "Callable[[], Course]", text: str, also: tuple[str, ...] = ()) -> str:
    """Parse the name of a chapter that has exercises, or one of others."""
    known = sorted({*course().chapters, *also})
    if text not in known:
        raise argparse.ArgumentTypeError(f"no chapter {text!r}; there are: {', '.join(known)}")
    return text


def _whole(low: int, high: int, text: str) -> int:
    """Parse a whole number."""
    number = int(text)
    if not low <= number <= high:
        raise argparse.ArgumentTypeError(f"it is between {low} and {high}, not {text}")
    return number


def _time(text: str) -> datetime:
    """Parse a deadline."""
    from tensorgrader.classes.late import read_deadline

    try:
        return read_deadline(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time such as 2026-11-20T23:59"
        ) from None


def _per_cent(text: str) -> float:
    """Parse a percentage into a share of 1."""
    share = float(text.removesuffix("%")) / 100
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"per cent are between 0 and 100, not {text}")
    return share

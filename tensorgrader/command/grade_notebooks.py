"""Grade a learner's notebooks, and print each score with its reasons."""

import argparse
import json
import secrets
import sys
from dataclasses import replace
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

from tensorgrader.course import Course


def grade_notebooks(course: Course, options: argparse.Namespace) -> int:
    """Grade every notebook, and print each score with its reasons."""
    from tensorgrader.classes.submissions import printable
    from tensorgrader.grade import grade_notebook
    from tensorgrader.grade_report import grade_json, grade_text
    from tensorgrader.sandbox.processes import lacking
    from tensorgrader.submission import SubmissionError

    if why := lacking():
        print(f"Without a sandbox, because {why}: fine for your own notebooks.", file=sys.stderr)
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    told: list[Any] = []
    code = 0
    for path in chain.from_iterable(map(_matching, options.notebooks)):
        name = str(path) if str(path).isprintable() else printable(str(path))
        try:
            _refuse_class(course, path)
            result = replace(grade_notebook(course, path, seed), notebook=name)
        except (OSError, SubmissionError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            code = max(code, 2 if isinstance(error, OSError) else 1)
            told.append({"notebook": name, "error": reason})
            if not options.json:
                print(f"{name}: could not be graded: {reason}", file=sys.stderr)
            continue
        code = max(code, int(result.earned < result.points))
        told.append(grade_json(result))
        if not options.json:
            print(grade_text(result), end="\n\n", flush=True)
    if options.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    return code


def _refuse_class(course: Course, path: Path) -> None:
    """Raise OSError for a class, and say how to grade one."""
    from tensorgrader.classes.submissions import quoted

    zipped = path.suffix.lower() == ".zip" and path.exists()
    if zipped or path.is_dir():
        command = f"{course.command} grade {{}} --out REPORT"
        folder, itself = quoted(path.parent), quoted(path)
        a_class = command.format(folder if zipped else itself)
        whole = f". For a zip file of the whole class: {command.format(itself)}"
        raise OSError(
            "expected a notebook. To grade a folder with an entry for each student as a class: "
            f"{a_class}{whole * zipped}"
        )


def _matching(path: Path) -> list[Path]:
    """Return the files that match a pattern, for shells that don't expand it.

    An existing file is not a pattern. A pattern that matches nothing is kept, so that the error
    names it.
    """
    return [path] if path.exists() else sorted(map(Path, glob(str(path)))) or [path]

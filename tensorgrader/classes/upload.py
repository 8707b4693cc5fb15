"""Feedback for all, as one zip file that a platform distributes to its students.

Canvas (github.com/instructure/canvas-lms, app/models/abstract_assignment.rb) takes files under the
names that it exported, and shows each under the name that the student gave it. So feedback has the
type of the submission: a notebook for a notebook, a zip file for a zip file. Moodle
(github.com/moodle/moodle, mod/assign/feedback/file/importziplib.php) takes any file in a folder
named `Full name_number_assignsubmission_file_`.
"""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from tensorgrader.card.html import style
from tensorgrader.classes.gradebook import known_as
from tensorgrader.classes.platform_exports import number
from tensorgrader.classes.roster import Roster
from tensorgrader.classes.students import Sheet, Student

Files = Iterator[tuple[str, bytes]]


def canvas_files(student: Student, page: bytes, _roster: Roster | None) -> Files:
    """Yield a file for each one that was submitted and graded, with its name and type."""
    if not number(student.key) and not student.key.startswith("anon_"):
        return
    graded: dict[str, list[Sheet]] = {}
    for sheet in student.sheets:
        graded.setdefault(PurePosixPath(sheet.notebook).parts[0], []).append(sheet)
    for name, sheets in graded.items():
        zipped = name.lower().endswith(".zip")
        yield name, _zip([("feedback.html", page)]) if zipped else _notebook(student, sheets)


def moodle_files(student: Student, page: bytes, roster: Roster | None) -> Files:
    """Yield the student's page in their folder."""
    if known := known_as(student, roster):
        name = known.name.removesuffix(f"_{known.id}").translate(str.maketrans("_/", "  "))
        yield f"{name}_{known.id}_assignsubmission_file_/feedback.html", page


FILES = {"canvas": canvas_files, "moodle": moodle_files}


def write_upload(
    path: Path, platform: str, pages: Iterable[tuple[Student, bytes]], roster: Roster | None
) -> None:
    """Write the zip file that a platform takes, from all students and their pages."""
    named = FILES[platform]
    files = (file for student, page in pages for file in named(student, page, roster))
    path.write_bytes(_zip(files))


def _zip(files: Iterable[tuple[str, bytes]]) -> bytes:
    """Zip files with a fixed date, so that the same feedback is the same file.

    Of two with the same name, the second gets a number.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        there: Counter[str] = Counter()
        for name, content in files:
            there[name] += 1
            path, number = PurePosixPath(name), there[name]
            own = name if number == 1 else str(path.with_stem(f"{path.stem}-{number}"))
            archive.writestr(zipfile.ZipInfo(own), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _notebook(student: Student, sheets: list[Sheet]) -> bytes:
    """Return a notebook (format 4.4) with each answer, and the card of its judgement below it."""
    cells = [_words(f"**{student.comment}**")] if student.comment else []
    for sheet in sheets:
        cells.append(_words(f"# {sheet.chapter}: {sheet.earned:g} of {sheet.points} points"))
        for work in sheet.works:
            card = {"text/plain": work.text, "text/html": f"<style>{style()}</style>{work.card}"}
            shown = {"output_type": "display_data", "metadata": {}, "data": card}
            code = {"cell_type": "code", "source": work.code, "outputs": [shown]}
            cells.append({**code, "metadata": {}, "execution_count": None})
            if work.own:
                own = work.own
                given = "" if own.points is None else f"{own.points:g} of {work.points} points. "
                cells.append(_words(f"Your teacher: {given}{own.comment}"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": kernel}}
    return json.dumps(notebook | {"cells": cells}, indent=1).encode()


def _words(text: str) -> dict[str, Any]:
    """Return a Markdown cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": text}

"""A class's results for people: an overview and each student's page (HTML), and tables (CSV)."""

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup

from tensorgrader.card.html import style
from tensorgrader.classes import overview
from tensorgrader.classes.comments import FILE as COMMENTS
from tensorgrader.classes.comments import GroupsView, add_groups, groups, read_comments
from tensorgrader.classes.gradebook import TABLES
from tensorgrader.classes.records import RESULTS, has_record
from tensorgrader.classes.similar import similar
from tensorgrader.classes.students import (
    Desk,
    Mark,
    Record,
    Student,
    gather,
)
from tensorgrader.classes.tables import per_cent, write_table
from tensorgrader.classes.teacher_table import FILE, begin_own, is_own, read_own
from tensorgrader.classes.upload import write_upload
from tensorgrader.course import Course
from tensorgrader.hunt.draw import HUNT

SCORES, OVERVIEW, FEEDBACK = "scores.csv", "index.html", "feedback"
PLATFORMS = [name for p in TABLES for name in (f"{p}.csv", f"{FEEDBACK}-{p}.zip")]
REPLACED = (OVERVIEW, SCORES, FEEDBACK, *PLATFORMS)  # rewritten with each report
PAGES = f"*-{'[0-9a-f]' * 8}*.html"  # the names of `feedback_path`, present and former
NOTHING = "Handed nothing in."
NOBODY_SAYS = Desk()

_pages = Environment(
    loader=PackageLoader("tensorgrader.classes", "pages"),
    autoescape=select_autoescape(["html"]),
    trim_blocks=True,
    lstrip_blocks=True,
)
_pages.filters["per_cent"] = lambda share: f"{round(100 * share)} %"
_pages.globals |= {"style": Markup(style()), "marks": list(Mark)}


def write_reports(
    course: Course, folder: Path, records: Iterable[Record], desk: Desk = NOBODY_SAYS
) -> list[Student]:
    """Write the overview, the pages and the tables of these records into a folder.

    Returns the students as they are named there. Raises ValueError for invalid entries in the
    teacher's own tables, which are created if they don't exist.
    """
    records = list(records)
    handed = (work["id"] for r in records for sheet in r["notebooks"] for work in sheet["works"])
    owns = read_own(folder / FILE, dict.fromkeys([*course.exercises, *handed]))
    comments = read_comments(folder / COMMENTS)
    students, absent = gather(records, desk, owns, comments)
    grouped = groups(students)
    add_groups(folder / COMMENTS, grouped)
    chapters = overview.chapters(students)
    points = sum(chapter.points for chapter in chapters)
    begin_own(folder / FILE, [*(s.name for s in students), *(a.name for a in absent)])
    (folder / FEEDBACK).mkdir(exist_ok=True)
    for old in (folder / FEEDBACK).glob(PAGES):
        old.unlink()  # names that are hidden now may not have been
    alone = _pages.get_template("student.html")
    pages = [(one, alone.render(student=one, course=course).encode()) for one in students]
    for student, page in pages:
        (folder / feedback_path(student)).write_bytes(page)
    head, *rows = _scores(students, chapters, points, desk.anonymous)
    for one in absent:
        told = {"student": one.name, "id": one.id, "problems": NOTHING, "comment": one.comment}
        rows.append([told.get(column, "") for column in head])
    write_table(folder / SCORES, [head, *rows])
    for platform in TABLES:
        for old in _to_upload(folder, platform):
            old.unlink(missing_ok=True)  # from an earlier run, with its names and points
    if desk.platform:
        table, archive = _to_upload(folder, desk.platform)
        rows = TABLES[desk.platform](course.title, students, chapters, desk.roster)
        write_table(table, rows, "utf-8")
        write_upload(archive, desk.platform, pages, desk.roster)
    once = {id(s.record): s for s in reversed(students)}.values()  # a group wrote together
    own = ((s, w) for s in once for w in s.works if w.mark is not Mark.EMPTY)
    codes: dict[str, dict[str, str]] = {}
    for student, work in own:
        if not work.id.startswith(f"{HUNT}-"):  # corrected, and so alike
            codes.setdefault(student.name, {})[work.id] = work.code
    overall = _pages.get_template("class.html").render(
        course=course,
        students=students,
        chapters=chapters,
        points=points,
        mistakes=overview.mistakes(students),
        groups=GroupsView(grouped, comments),
        counts={e: overview.count(students, e) for c in chapters for e, _ in c.exercises},
        similar=similar(codes, desk.stubs),
        named={student.name: student for student in students},
        absent=[one.name for one in absent],
        looked_at=overview.looked_at(students, desk.roster),
        paths={student.key: feedback_path(student) for student in students},
        desk=desk,
    )
    (folder / OVERVIEW).write_text(overall, encoding="utf-8")
    return students


def in_the_way(folder: Path) -> list[str]:
    """Return the files that a report would replace in a folder that holds none yet."""
    results = folder / RESULTS
    if has_record(results) or is_own(folder / FILE):
        return []
    foreign = results.is_file() and b"\n" in results.read_bytes()  # not one that was just created
    there = [name for name in REPLACED if os.path.lexists(folder / name)]
    return [*there, RESULTS] if foreign else there


def _to_upload(folder: Path, platform: str) -> tuple[Path, Path]:
    """Return the paths of the grades and the feedback for a platform."""
    return folder / f"{platform}.csv", folder / f"{FEEDBACK}-{platform}.zip"


def feedback_path(student: Student) -> str:
    """Return the address of a student's page, below the report."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", student.name).strip("-")[:40]
    return f"{FEEDBACK}/{slug}-{hashlib.sha256(student.key.encode()).hexdigest()[:12]}.html"


def _scores(
    students: list[Student],
    chapters: Sequence[overview.ChapterView],
    points: int,
    anonymous: bool,
) -> list[list]:
    """Return a row for each student who submitted: points of chapters and exercises, and notes.

    `points` is the sum over all chapters that anybody submitted, the same for all.
    """
    exercises = [exercise for chapter in chapters for exercise, _ in chapter.exercises]
    names = [chapter.name for chapter in chapters]
    scores = ["earned", "points", "per cent", "late"]
    head = ["student", "id", *names, *scores, *exercises, "seconds", "problems", "comment"]
    rows: list[list] = [head]
    for student in students:
        sheets, works = student.chapters, {work.id: work.earned for work in student.works}
        known = "" if anonymous or not student.person else student.person.id
        also = f"Also handed in as {', '.join(student.also)}." if student.also else ""
        besides = f"Not counted: {', '.join(student.besides)}." if student.besides else ""
        row = [
            student.name,
            known,
            *(f"{sheets[name].earned:g}" if name in sheets else "" for name in names),
            f"{student.earned:g}",
            points,
            per_cent(student.earned / points) if points else "",
            str(student.late or ""),
            *(f"{works[exercise]:g}" if exercise in works else "" for exercise in exercises),
            student.record["seconds"],
            " ".join(filter(None, (also, besides, *student.notes, *student.problems))),
            student.comment,
        ]
        rows.append(row)
    return rows

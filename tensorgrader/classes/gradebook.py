"""Grades in the form that a platform imports, in per cent, with a column for each exercise.

Canvas (github.com/instructure/canvas-lms, lib/gradebook_importer.rb) wants the columns Student, ID
and Section first, in a second row the points possible, and matches students by ID. A column whose
points are "(read only)" is not imported: so are the exercises, since beside their chapter they
would count twice.

Moodle (github.com/moodle/moodle, mod/assign/feedback/offline/importgradeslib.php) wants its own
grading worksheet back, and reads the columns Identifier, Grade, Last modified (grade) and Feedback
comments; it leaves alone what else is there, and a row without a grade.
"""

from collections.abc import Iterable, Sequence

from tensorgrader.classes.overview import ChapterView
from tensorgrader.classes.platform_exports import number
from tensorgrader.classes.roster import Person, Roster
from tensorgrader.classes.students import Student
from tensorgrader.classes.tables import Row, per_cent

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = (
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
    "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
    "Feedback comments",
)  # fmt: skip

Chapters = Sequence[ChapterView]


def canvas(
    title: str, students: Iterable[Student], chapters: Chapters, roster: Roster | None
) -> list[list]:
    """Return the rows of a table that Canvas's grade book imports."""
    ours = roster is not None and roster.platform == "canvas"
    end = roster.columns.index("Section") + 1 if ours and roster else len(CANVAS)
    columns = roster.columns[:end] if ours and roster else CANVAS
    possible = ["    Points Possible", *[""] * (end - 1)]
    possible += [*["100"] * len(chapters), *["(read only)"] * len(_exercises(chapters))]
    rows = [[*columns, *_titles(title, chapters)], possible]
    for known, student in _once(students, roster):
        row = known.row if ours else {"Student": known.name, "ID": known.id}
        rows.append([*(row.get(column, "") for column in columns), *_shares(student, chapters)])
    return rows


def moodle(
    title: str, students: Iterable[Student], chapters: Chapters, roster: Roster | None
) -> list[list]:
    """Return the rows of a grading worksheet that Moodle's assignment imports."""
    ours = roster is not None and roster.platform == "moodle"
    columns = roster.columns if ours and roster else MOODLE
    rows = [[*columns, *_titles(title, chapters)]]
    for known, student in _once(students, roster):
        plain = {"Identifier": f"Participant {known.id}", "Full name": known.name}
        row = _graded(known.row if ours else plain, student, chapters)
        rows.append([*(row.get(column, "") for column in columns), *_shares(student, chapters)])
    return rows


def known_as(student: Student, roster: Roster | None) -> Person | None:
    """Return a student's id on the platform: by its roster, else by the number in a file name.

    If there is a roster and a student isn't on it, there is none.
    """
    person, own = student.person, number(student.key)
    if roster and (roster.platform or not person):
        return person
    name, other = (person.name, person.id) if person else (student.name, "")
    return Person(name, own or other, {}) if own or other else None


def _once(students: Iterable[Student], roster: Roster | None) -> Iterable[tuple[Person, Student]]:
    """Return the students by identifier; of one who submitted several times, the best counts."""
    best: dict[str, tuple[Person, Student]] = {}
    for student in students:
        if known := known_as(student, roster):
            who = known.id or known.name
            if who not in best or student.earned > best[who][1].earned:
                best[who] = known, student
    return best.values()


TABLES = {"canvas": canvas, "moodle": moodle}


def _graded(row: Row, student: Student, chapters: Chapters) -> Row:
    """Fill in a row of the worksheet: the grade out of the maximum that the row names."""
    cells = {column.lower(): text for column, text in row.items()}
    try:
        most = float(cells.get("maximum grade", "").replace(",", "."))
    except ValueError:
        most = 100.0
    share = student.earned / sum(chapter.points for chapter in chapters) if chapters else 0.0
    told = {"Grade": per_cent(share * most / 100)} if student.sheets else {}
    return row | told | ({"Feedback comments": student.comment} if student.comment else {})


def _titles(title: str, chapters: Chapters) -> list[str]:
    """Return the columns: one for each chapter, then one for each exercise."""
    return [
        *(f"{title}: {chapter.name}" for chapter in chapters),
        *(f"{title}: {exercise}" for exercise in _exercises(chapters)),
    ]


def _shares(student: Student, chapters: Chapters) -> list[str]:
    """Return the percentage of each chapter and exercise; none for what wasn't submitted."""
    sheets = student.chapters
    by_chapter = {n: student.kept * sheet.earned / sheet.points for n, sheet in sheets.items()}
    by_exercise = {work.id: work.earned / work.points for work in student.works}
    shares = [by_chapter.get(chapter.name) for chapter in chapters]
    shares += [by_exercise.get(exercise) for exercise in _exercises(chapters)]
    return ["" if share is None else per_cent(share) for share in shares]


def _exercises(chapters: Chapters) -> list[str]:
    """Return the exercises of the chapters."""
    return [exercise for chapter in chapters for exercise, _ in chapter.exercises]

"""A class of forty comes in as its platform hands it out, and goes back as that takes it."""

import csv
import io
import json
import zipfile

import nbformat
import pytest

from tensorgrader.classes.grade_class import grade_class
from tensorgrader.classes.roster import read_roster
from tensorgrader.classes.students import Desk
from tensorgrader.classes.tables import FORMULA
from tests.course import Settings, write_reports
from tests.tensorgrader.classes.recorded import judge_by, record, sheet, work
from tests.tensorgrader.classes.zips import zipped

FIRST = ["Ana", "Bo", "Cy", "Émile", "Zoë", "=Eve", "Ja_n", "O'Neil"]
LAST = ["Żak", "Li", "Doe", "van der Berg", "<b>Bold</b>"]
PEOPLE = {501 + n: (FIRST[n % 8], LAST[n // 8]) for n in range(40)}
POINTS = {number: n % 9 for n, number in enumerate(PEOPLE)}  # of 8
LATE, ZIPPED, ABSENT = 504, 505, 540
NOTEBOOK = b'{"cells": [], "metadata": {}}'


def canvas_archive():
    """Name files as lib/content_zipper.rb of Canvas does."""
    files = {}
    for number, (first, last) in PEOPLE.items():
        name = "".join(c for c in f"{last}{first}".lower() if c.isalnum() or c == "_")
        before = f"{name}{'_LATE' * (number == LATE)}_{number}"
        if number == ZIPPED:
            files[f"{before}_{90000 + number}_my work.zip"] = zipped({"attention.ipynb": NOTEBOOK})
        elif number != ABSENT:
            files[f"{before}_{90000 + number}_attention-1.ipynb"] = NOTEBOOK
        if number % 7 == 0:
            files[f"{before}_text.html"] = b"typed"
    return files


def moodle_archive():
    """Name files as mod/assign/classes/downloader.php of Moodle does."""
    files = {}
    for number, (first, last) in PEOPLE.items():
        name = f"{first} {last}".replace("_", " ").translate(str.maketrans("", "", '<>"/'))
        folder = f"{name}_{number}_assignsubmission_file{'_' * (number % 2)}"
        if number != ABSENT:
            files[f"{folder}/attention.ipynb"] = NOTEBOOK
        files[f"{name}_{number}_assignsubmission_onlinetext_/onlinetext.html"] = b"typed"
    return files


def canvas_roster():
    """Write the grade book that lib/gradebook_exporter.rb of Canvas exports."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Quiz (8)", "Final Score"]
    rows = [head, ["    Points Possible", "", "", "", "", "10.00", "(read only)"]]
    for number, (first, last) in PEOPLE.items():
        rows.append([f"{last}, {first}", number, f"s{number}", f"u{number}", "A", "5", "50"])
    return [*rows, ["Student, Test", 999, "", "", "A", "", ""]]


def moodle_roster():
    """Write the grading worksheet that Moodle gives out."""
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    head += ["Grade can be changed", "Last modified (submission)", "Last modified (grade)"]
    rows = [[*head, "Feedback comments"]]
    for number, (first, last) in PEOPLE.items():
        status = "Submitted for grading - 1 day 2 hours late" if number == LATE else "Submitted"
        when = "Tuesday, 10 November 2026, 11:59 PM"
        about = [f"Participant {number}", f"{first} {last}", f"u{number}@x.org", status]
        rows.append([*about, "", "50.00", "Yes", when, "-", ""])
    return rows


def canvas_takes(path):
    """Read grades by lib/gradebook_importer.rb of Canvas: per cent by student and assignment."""
    head, possible, *rows = csv.reader(path.read_text("utf8").splitlines())
    assert "Student" in head[0]
    assert "ID" in head[1]
    assert (head[2:4], head[4]) == (["SIS User ID", "SIS Login ID"], "Section")
    assert "Points Possible" in possible[0]
    taken = {n: title for n, title in enumerate(head) if n > 4 and "read only" not in possible[n]}
    assert {possible[n] for n in taken} == {"100"}
    assert all(int(row[1]) in PEOPLE for row in rows), "it would make new students"
    return {int(row[1]): {title: row[n] for n, title in taken.items()} for row in rows}


def moodle_takes(path):
    """Read grades by mod/assign/feedback/offline/importgradeslib.php of Moodle."""
    with path.open(encoding="utf8", newline="") as file:
        head, *rows = csv.reader(file)
    identity, grade = head.index("Identifier"), head.index("Grade")
    assert "Last modified (grade)" in head
    most = head.index("Maximum Grade")
    assert all(0 <= float(row[grade]) <= float(row[most] or 100) for row in rows if row[grade])
    told = {int(row[identity][len("Participant ") :]): row[grade] for row in rows}
    return {number: {"Grade": text} for number, text in told.items()}


def canvas_hands_on(names):
    """Find whose files these are as app/models/abstract_assignment.rb of Canvas does."""
    for name in names:
        parts = [part for part in name.split("_") if part != "LATE"]
        user, attachment = [part for part in parts if part.isdecimal()][:2]
        assert int(attachment) == 90000 + int(user)
        yield int(user), "my work.zip" if int(user) == ZIPPED else "attention-1.ipynb"


def moodle_hands_on(names):
    """Find whose files these are as mod/assign/feedback/file/importziplib.php of Moodle does."""
    for name in names:
        _, number, kind, plugin, rest = name.split("/")[0].split("_", 4)
        assert (kind, plugin, rest) == ("assignsubmission", "file", "")
        yield int(number), name.split("/")[1]


PLATFORMS = {
    "canvas": (canvas_archive, canvas_roster, canvas_takes, canvas_hands_on),
    "moodle": (moodle_archive, moodle_roster, moodle_takes, moodle_hands_on),
}


def judged(handed, settings):
    """Return a recorded judgement instead of judging."""
    number = int(handed.student.rpartition("_")[2])
    earned = POINTS[number]
    works = [work("attention-scores", min(earned, 4)), work("attention-lookup", max(earned - 4, 0))]
    sheets = [sheet("attention", *works, notebook=name) for name in handed.notebooks]
    told = {"notebooks": sheets, "problems": [], "seconds": 0.1, "files": list(handed.files)}
    return settings.of(handed) | told


@pytest.fixture(params=PLATFORMS)
def back(request, tmp_path, monkeypatch):
    """Grade a class from its platform's archive; give the platform, the report, and the desk."""
    archive, roster, *_ = PLATFORMS[request.param]
    (tmp_path / "class.zip").write_bytes(zipped(archive()))
    with (tmp_path / "roster.csv").open("w", encoding="utf8", newline="") as file:
        csv.writer(file).writerows(roster())
    pool = judge_by(monkeypatch, judged)
    records = list(grade_class(tmp_path / "class.zip", tmp_path / "results", Settings(3), pool))
    desk = Desk(read_roster(tmp_path / "roster.csv"), platform=request.param)
    write_reports(tmp_path, records, desk)
    return request.param, tmp_path, records, desk


def test_forty_come_in_and_their_grades_go_back(back):
    platform, folder, records, desk = back
    expected = {n: 12.5 * POINTS[n] for n in PEOPLE}
    most = {"canvas": 1.0, "moodle": 0.5}[platform]
    read = PLATFORMS[platform][2](folder / f"{platform}.csv")
    told = {n: float(text) for n, grades in read.items() for text in grades.values() if text}
    assert told == {n: most * grade for n, grade in expected.items() if n != ABSENT}
    assert len(desk.roster.people) == 40
    alone = folder / "alone"
    alone.mkdir()
    write_reports(alone, records, Desk(platform=platform))
    read = PLATFORMS[platform][2](alone / f"{platform}.csv")
    told = {n: float(text) for n, grades in read.items() for text in grades.values() if text}
    assert told == {n: grade for n, grade in expected.items() if n != ABSENT}, "by numbers alone"


def test_there_is_a_column_for_each_exercise_and_no_formula(back):
    platform, folder, *_ = back
    for name in (f"{platform}.csv", "scores.csv", "teacher.csv"):
        with (folder / name).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        assert not any(cell.startswith(FORMULA) for row in rows for cell in row)
        if name != "teacher.csv":
            assert any(title.endswith("attention-lookup") for title in rows[0])


def test_a_feedback_file_goes_back_to_each(back):
    platform, folder, *_ = back
    with zipfile.ZipFile(folder / f"feedback-{platform}.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    owners = dict(PLATFORMS[platform][3](files))
    assert owners.keys() == PEOPLE.keys() - {ABSENT} | ({ABSENT} if platform == "moodle" else set())
    for name, raw in files.items():
        if name.endswith(".ipynb"):
            nbformat.validate(nbformat.reads(raw.decode(), as_version=4))
            assert json.loads(raw)["cells"][1]["outputs"][0]["data"]["text/plain"] == "card"
        elif name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(raw)) as inner:
                assert b"Feedback for" in inner.read("feedback.html")
        else:
            assert b"Feedback for" in raw


def test_who_is_late_is_shown_and_keeps_all_points_unless_told(back):
    platform, folder, records, desk = back
    page = (folder / "index.html").read_text("utf8")
    said = {"canvas": ": late<", "moodle": ": 1 day 2 hours late<"}[platform]
    assert page.count(said) == 1
    points, days = POINTS[LATE], {"canvas": 1, "moodle": 2}[platform]
    late = Desk(desk.roster, platform=platform, penalty=0.1)
    (student,) = [s for s in write_reports(folder, records, late) if s.key.endswith(str(LATE))]
    assert student.earned == pytest.approx(points * (1 - 0.1 * days))
    assert f"{10 * days} % taken off" in (folder / "index.html").read_text("utf8")
    _, _, takes, _ = PLATFORMS[platform]
    (grade, *_) = takes(folder / f"{platform}.csv")[LATE].values()
    most = {"canvas": 100, "moodle": 50}[platform]
    assert float(grade) == pytest.approx(most / 8 * points * (1 - 0.1 * days), abs=0.01)


def test_a_list_of_ones_own_names_whom_the_platform_numbers(back):
    platform, folder, records, _ = back
    known = [record["student"] for record in records[:3]]
    with (folder / "own.csv").open("w", encoding="utf8", newline="") as file:
        csv.writer(file).writerows([["name", "id", "login"], *(["Ana", "m1", k] for k in known)])
    write_reports(folder, records, Desk(read_roster(folder / "own.csv"), platform=platform))
    read = PLATFORMS[platform][2](folder / f"{platform}.csv")
    assert sorted(read) == sorted(int(key.rpartition("_")[2]) for key in known)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_of_somebody_who_handed_in_twice_the_best_goes_back(tmp_path, platform):
    handed = (("a_501", 1), ("b_501", 4), ("c_501", 2))
    records = [record(key, sheet("attention", work("attention-lookup", n))) for key, n in handed]
    write_reports(tmp_path, records, Desk(platform=platform))
    (grades,) = PLATFORMS[platform][2](tmp_path / f"{platform}.csv").values()
    assert {*map(float, filter(None, grades.values()))} == {100.0}

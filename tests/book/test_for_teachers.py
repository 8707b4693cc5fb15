"""The pages for teachers are literally true: their five commands, and their count of attacks."""

import re
import shlex
import shutil
import zipfile

import pytest

from lab_notebooks import cli
from tensorgrader.classes.grade_class import grade_student
from tensorgrader.classes.submissions import HandedIn
from tensorgrader.sandbox.processes import lacking
from tests.book.chapters import BOOK
from tests.course import CHAPTERS, Settings
from tests.tensorgrader.asking import worth
from tests.tensorgrader.classes.recorded import judge_by

PAGE, GRADING, LIMITS = (
    (BOOK / f"{name}.md").read_text("utf8") for name in ("for_teachers", "grading", "grader_limits")
)


def test_the_hostile_cells_are_as_many_as_it_says():
    (told,) = re.findall(r"`corpus/hostile` holds (\d+) hostile cells", LIMITS)
    assert int(told) == len([*(BOOK.parent / "corpus/hostile").rglob("*.cell")])


def test_the_points_are_those_that_the_exercises_have():
    rows = re.search(r"<!-- table of the points -->\n.*\n.*\n((?:\|.*\n)+)", PAGE)[1]
    told = {name: tuple(map(int, rest)) for name, *rest in re.findall(
        r"\| \**([\w ]+?)\** \| \**(\d+)\** \| \**(\d+)\** \|", rows)}  # fmt: skip
    real = {
        name: (len(chapter.exercises), sum(worth(name).values()))
        for name, chapter in CHAPTERS.items()
    }
    assert told == real | {"in all": tuple(map(sum, zip(*real.values(), strict=True)))}


def test_every_release_and_every_name_of_a_record_is_told():
    changes = (BOOK.parent / "CHANGELOG.md").read_text("utf8")
    rows = re.search(r"\| release \|.*\n.*\n((?:\|.*\n)+)", GRADING + "\n")[1]
    releases = re.findall(r"^## \[([\d.]+)\]", changes, re.MULTILINE)
    assert {*releases} == {*re.findall(r"^\| ([\d.]+) \|", rows, re.MULTILINE)}
    made = grade_student(HandedIn("ana"), Settings(1)) | {"failed": True}
    rows = re.search(r"\| name \| what it is \|\n.*\n((?:\|.*\n)+)", GRADING)[1]
    told = [name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(told) == sorted(made)


@pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")
def test_the_five_commands_work_in_an_empty_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    judge_by(monkeypatch)
    block = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL)[1].replace("\\\n", "")
    about, release, first, again, appeal = map(shlex.split, block.splitlines())
    with pytest.raises(SystemExit, match="0"):
        cli.main(about[1:])
    assert "with a sandbox" in capsys.readouterr().out
    assert cli.main(release[1:]) == 0
    given = tmp_path / "handout/exercises/attention.ipynb"
    with zipfile.ZipFile("submissions.zip", "w") as archive:
        archive.write(given, "doejane_501_90501_attention.ipynb")
    (tmp_path / "students.csv").write_text(
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Doe, Jane",501,S,j,A\n', "utf8"
    )
    assert cli.main(first[1:]) == 0
    (tmp_path / "report/teacher.csv").write_text(
        'student,exercise,points,comment\n"Doe, Jane",attention-lookup,4,\n', "utf8"
    )
    assert cli.main(again[1:]) == 0
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "index.html", "feedback", "scores.csv", "teacher.csv", "results.jsonl", "canvas.csv",
        "feedback-canvas.zip",
    }  # fmt: skip
    grades = (tmp_path / "report/canvas.csv").read_text("utf8").splitlines()
    assert grades[2] == '"Doe, Jane",501,S,j,A,100,100'
    shutil.copy(given, "appeal.ipynb")
    assert cli.main(appeal[1:]) == 1
    assert "(seed 1234)" in capsys.readouterr().out

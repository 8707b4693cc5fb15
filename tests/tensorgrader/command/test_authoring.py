"""A course of one's own in a class: released, handed in, graded, reported, beside the book's."""

import csv
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from lab_notebooks import cli
from tensorgrader.__main__ import main
from tensorgrader.author.new import new
from tensorgrader.command import refusing
from tests.sweeps import few

RIGHT = "def variance(x):\n    return ((x - x.mean()) ** 2).mean()\n"
WRONG = "def variance(x):\n    return ((x - x.mean()) ** 2).sum() / (x.numel() - 1)\n"


@pytest.fixture
def mine(tmp_path):
    """Return the folder of a course of one task."""
    assert [*new(tmp_path / "mine")]
    return tmp_path / "mine"


def hand_in(notebook, answer, path):
    """Write a released notebook with an answer of a student."""
    told = json.loads(notebook.read_text("utf8"))
    (cell,) = (c for c in told["cells"] if c["metadata"].get("nbgrader", {}).get("solution"))
    assert "NotImplementedError" in "".join(cell["source"])
    cell["source"] = answer
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told), "utf8")


def test_tasks_of_ones_own_are_released_and_reported_beside_the_books(tmp_path, mine, capsys):
    handout, report = tmp_path / "handout", tmp_path / "report"
    chapters = ["--chapter", "masking", "--chapter", "basics"]
    assert cli.main(["release", str(handout), "--course", str(mine), *chapters]) == 0
    released = handout / "exercises/basics.ipynb"
    assert "BEGIN SOLUTION" not in released.read_text("utf8")
    book = (handout / "exercises/masking.ipynb").read_bytes()
    for student, answer in {"ada": RIGHT, "bob": WRONG}.items():
        hand_in(released, answer, tmp_path / f"hand/{student}/basics.ipynb")
    (tmp_path / "hand/bob/masking.ipynb").write_bytes(book)
    hand = ["grade", str(tmp_path / "hand"), "--course", str(mine), "--out", str(report)]
    assert cli.main([*hand, "--without-sandbox"]) == 0
    with (report / "scores.csv").open(encoding="utf-8-sig") as file:
        ada, bob = csv.DictReader(file)
    assert (ada["basics"], ada["problems"], bob["basics"], bob["masking"]) == ("5", "", "0", "0")
    assert "it divides by n - 1" in (report / "index.html").read_text("utf8").lower()
    capsys.readouterr()
    (tmp_path / "agreed.csv").write_text("student,agreed\nada,yes\n", "utf8")
    asked = ["export", str(report), "--agreed", str(tmp_path / "agreed.csv")]
    assert cli.main([*asked, "--course", str(mine)]) == 0
    assert "def variance" in capsys.readouterr().out


def test_a_released_notebook_finds_its_course_beside_it(tmp_path, mine, monkeypatch, capsys):
    handout = tmp_path / "handout"
    assert main(["release", str(handout), "--course", str(mine)]) == 0
    assert not [*handout.rglob("test_*.py"), *handout.rglob("*.md")]
    hand_in(handout / "basics.ipynb", RIGHT, handout / "basics.ipynb")
    monkeypatch.chdir(handout)
    assert main(["grade", "basics.ipynb"]) == 0
    assert "5 of 5 points" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "folders"),
    [(["--nbgrader"], ["source/basics"]), (["--solutions"], [""])],
)
def test_the_forms_of_a_release(tmp_path, mine, options, folders):
    assert main(["release", str(tmp_path / "out"), "--course", str(mine), *options]) == 0
    text = (tmp_path / "out" / folders[0] / "basics.ipynb").read_text("utf8")
    assert (".square().mean()" in text, "BEGIN SOLUTION" in text) == (True, "--nbgrader" in options)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["release", "{mine}", "--course", "{mine}"], "your course itself"),
        (["release", "{out}", "--course", "{mine}", "--chapter", "basic"], "there are: basics"),
        (["release", "{out}", "--course", "{out}"], "no course.py"),
        (["test", "{mine}", "--task", "basics-var"], "basics-variance"),
        (["new", "{mine}/course.py/x"], "course.py"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, mine, capsys, command, words):
    places = {"mine": mine, "out": tmp_path / "out"}
    told = [word.format(**places) for word in command]
    with suppress(SystemExit):
        assert main(told) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("command", few(["tensorgrader", "lab_notebooks.cli"], "tensorgrader"))
def test_a_reader_who_has_seen_enough_gets_no_traceback(tmp_path, command):
    reading, writing = os.pipe()
    os.close(reading)
    asked = [sys.executable, "-m", command, "new", tmp_path / "mine"]
    done = subprocess.run(asked, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_chapter_that_the_book_has_too_is_refused(tmp_path, mine, capsys):
    (mine / "basics").rename(mine / "masking")
    (mine / "basics.md").rename(mine / "masking.md")
    course = mine / "course.py"
    course.write_text(course.read_text("utf8").replace("basics", "masking"), "utf8")
    with pytest.raises(SystemExit):
        cli.main(["grade", str(tmp_path / "x.ipynb"), "--course", str(mine)])
    assert "rename yours" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (lambda: b"\xff".decode(), "can't decode"),
        (lambda: {}["a task"], "a task"),
        (lambda: Path("/no/such/file").read_text(), "/no/such/file: No such file"),
    ],
)
def test_a_command_says_in_words_why_it_did_nothing(command, why, capsys):
    assert refusing(command)() == 2
    assert why in capsys.readouterr().err

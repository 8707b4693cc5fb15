"""What was handed in is found, bounded, and told in words where it cannot be read."""

import zipfile

import pytest

from tensorgrader.classes import files, submissions
from tensorgrader.classes.submissions import Entry, read_student
from tests.course import COURSE, students
from tests.tensorgrader.classes.zips import zipped


def read(folder, name):
    """Read what one entry of a folder holds."""
    return read_student(Entry(COURSE, name, folder, (name,)))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ana/week 1").mkdir(parents=True)
    (tmp_path / "ana/week 1/a.ipynb").write_text("one")
    (tmp_path / "ana/b.ipynb").write_text("two")
    (tmp_path / "ana/.ipynb_checkpoints").mkdir()
    (tmp_path / "ana/.ipynb_checkpoints/b.ipynb").write_text("old")
    (tmp_path / "ana/notes.txt").write_text("no notebook")
    (tmp_path / "bo.ipynb").write_text("three")
    with zipfile.ZipFile(tmp_path / "cy.zip", "w") as archive:
        archive.writestr("../../a.ipynb", "four")
        archive.writestr("__MACOSX/a.ipynb", "rest")
    (tmp_path / "notes.txt").write_text("no notebook")
    (tmp_path / ".hidden").write_text("")
    return tmp_path


def test_every_entry_is_a_student(folder):
    assert [e.student for e in students(folder)] == ["ana", "bo.ipynb", "cy.zip", "notes.txt"]


def test_notebooks_are_found_in_folders_zips_and_alone(folder):
    assert read(folder, "ana").notebooks == {"b.ipynb": b"two", "week 1/a.ipynb": b"one"}
    assert read(folder, "bo.ipynb").notebooks == {"bo.ipynb": b"three"}
    assert read(folder, "cy.zip").notebooks == {"cy.zip/a.ipynb": b"four"}
    assert "no notebook" in read(folder, "notes.txt").problems[0]
    assert "gone.ipynb" in read(folder, "gone.ipynb").problems[0]


def test_one_file_that_cannot_be_read_does_not_hide_the_others(folder):
    (folder / "ana/a link.ipynb").symlink_to(folder / "bo.ipynb")
    ana = read(folder, "ana")
    assert len(ana.notebooks) == 2
    assert "is a link" in ana.problems[0]
    (folder / "di").symlink_to(folder / "ana")
    assert read(folder, "di").problems == [
        "di could not be read: it is a link; hand in the file itself."
    ]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "bo.zip cannot be read: File is not a zip file."),
        (zipped({}), "There is no notebook (.ipynb) in it, and no zip file with one."),
        (zipped({"a.ipynb": "one" * 9})[:60], "bo.zip cannot be read: File is not a zip file."),
        (
            zipped({"a.ipynb": "one"}).replace(b"\x14\0\0\0", b"\x14\0\1\0"),
            "bo.zip/a.ipynb could not be read: it is protected by a password; make a zip without "
            "one.",
        ),
    ],
    ids=["empty", "without files", "cut off", "locked"],
)
def test_a_zip_without_a_notebook_to_read_says_why(tmp_path, raw, why):
    (tmp_path / "bo.zip").write_bytes(raw)
    assert read(tmp_path, "bo.zip").problems == [why]


def test_bounds_are_kept_and_told(folder, monkeypatch):
    monkeypatch.setattr(submissions, "SIZE_LIMIT", 3)
    assert "Clear its outputs" in read(folder, "bo.ipynb").problems[0]
    monkeypatch.setattr(submissions, "NOTEBOOKS_LIMIT", 1)
    ana = read(folder, "ana")
    assert len(ana.notebooks) == 1
    assert "1 notebook" in ana.problems[0]
    monkeypatch.setattr(submissions, "STUDENT_LIMIT", 2)
    assert "All together" in read(folder, "ana").problems[0]
    assert "All together" in read(folder, "cy.zip").problems[0]
    monkeypatch.setattr(submissions, "ENTRIES_LIMIT", 2)
    assert "2 files" in read(folder, "ana").problems[-1]


def test_a_folder_that_is_too_full_says_so_and_what_is_near_its_top_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "ENTRIES_LIMIT", 20)
    for name in ("exercises", *(f"venv/{n}" for n in range(20))):
        (tmp_path / "ana" / name).mkdir(parents=True)
        (tmp_path / "ana" / name / "a.ipynb").write_text("one")
    ana = read(tmp_path, "ana")
    assert "exercises/a.ipynb" in ana.notebooks
    assert "20 files" in ana.problems[0]


def found(place):
    """Give the names of each student's notebooks."""
    return {entry.student: [*read_student(entry).notebooks] for entry in students(place)}


def test_names_in_a_zip_are_read_as_whoever_packed_it_means_them(tmp_path):
    names = ("José/attention.ipynb", "李/attention.ipynb")
    raw = zipped(dict.fromkeys(names, "{}"))
    for head in (b"PK\3\4\x14\0", b"PK\1\2\x14\3\x14\0"):  # as on macOS: UTF-8 that is not marked
        raw = raw.replace(head + b"\0\x08", head + b"\0\0")
    (tmp_path / "class.zip").write_bytes(raw)
    assert found(tmp_path / "class.zip") == {name.partition("/")[0]: [name] for name in names}
    old = zipped({"Jos~/a.ipynb": "", "bo/a.ipynb": ""}).replace(b"Jos~", "José".encode("cp437"))
    (tmp_path / "class.zip").write_bytes(old)
    assert found(tmp_path / "class.zip").keys() == {"José", "bo"}, "what is no UTF-8 stays"


def test_no_student_is_lost_to_a_strange_name_in_a_zip(tmp_path):
    odd = (".", "/", "./", "..", "../", "//", "\\", "../ana/a.ipynb", "/bo/a.ipynb", "./cy/a.ipynb",
           "//di/../../a.ipynb")  # fmt: skip
    raw = zipped(dict.fromkeys(odd, "{}"))
    (tmp_path / "class.zip").write_bytes(raw)
    expected = {name: [f"{name}/a.ipynb"] for name in ("ana", "bo", "cy", "di")}
    assert found(tmp_path / "class.zip") == expected
    (tmp_path / "class").mkdir()
    (tmp_path / "class/all.zip").write_bytes(raw)
    (tmp_path / "class/one.zip").write_bytes(zipped(dict.fromkeys((*odd[:-4], "a.ipynb"), "")))
    all_of_them, one = map(read_student, students(tmp_path / "class"))
    assert "a.ipynb is in 4 folders" in all_of_them.problems[0]
    assert (one.notebooks, one.problems) == ({"one.zip/a.ipynb": b""}, [])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["class/jane/attention.ipynb", "class/jane/masking-1.ipynb", "class/jane/notes.txt"],
         {"jane": ["jane/attention.ipynb", "jane/masking-1.ipynb"]}),
        (["jane/attention.ipynb"], {"jane": ["jane/attention.ipynb"]}),
        (["x/class/ana.ipynb", "x/class/bo.ipynb"],
         {"ana.ipynb": ["ana.ipynb"], "bo.ipynb": ["bo.ipynb"]}),
        (["class/norm.ipynb", "class/ana.ipynb"],
         {"norm.ipynb": ["norm.ipynb"], "ana.ipynb": ["ana.ipynb"]}),
        (["norm.ipynb", "attention.ipynb"],
         {"norm.ipynb": ["norm.ipynb"], "attention.ipynb": ["attention.ipynb"]}),
    ],
)  # fmt: skip
def test_a_folder_with_notebooks_as_they_were_handed_out_is_a_students(tmp_path, names, expected):
    (tmp_path / "class.zip").write_bytes(zipped(dict.fromkeys(names, "{}")))
    assert found(tmp_path / "class.zip") == expected


def test_zips_in_zips_are_read_to_a_depth(folder, monkeypatch):
    once = zipped({"b.ipynb": "two"})
    (folder / "di.zip").write_bytes(zipped({"a.ipynb": "one", "week 2/B.Zip": once}))
    assert read(folder, "di.zip").notebooks == {
        "di.zip/a.ipynb": b"one",
        "di.zip/week 2/B.Zip/b.ipynb": b"two",
    }
    deep = once
    for _ in range(submissions.DEPTH_LIMIT):
        deep = zipped({"z.zip": deep, "a.ipynb": "one"})
    (folder / "di.zip").write_bytes(deep)
    handed = read(folder, "di.zip")
    assert "b.ipynb" not in "".join(handed.notebooks)
    assert any("over 3 deep" in problem for problem in handed.problems)
    bomb = zipped({f"{number}.zip": once for number in range(9)})
    (folder / "di.zip").write_bytes(zipped({f"{number}.zip": bomb for number in range(9)}))
    monkeypatch.setattr(submissions, "ENTRIES_LIMIT", 20)
    handed = read(folder, "di.zip")
    assert len(handed.notebooks) < 20
    assert any("20 files" in problem for problem in handed.problems)


def test_a_broken_file_in_a_zip_does_not_hide_the_others(folder):
    raw = zipped({"a.ipynb": "one", "b.ipynb": "two"})
    (folder / "cy.zip").write_bytes(raw.replace(b"one", b"ONE", 1))
    handed = read(folder, "cy.zip")
    assert handed.notebooks == {"cy.zip/b.ipynb": b"two"}
    assert "cy.zip/a.ipynb" in handed.problems[0]


NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4}'


@pytest.mark.parametrize("ending", [".ipynb.txt", ".ipynb.json", ".json", "", ".txt", ".ipynb (1)"])
def test_a_notebook_under_another_name_is_read_where_there_is_no_other(tmp_path, ending):
    for name in (f"ana/attention{ending}", f"bo/attention{ending}", "bo/masking.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(NOTEBOOK)
    (tmp_path / "cy.zip").write_bytes(zipped({f"week 1/attention{ending}": NOTEBOOK}))
    ana, bo, cy = (read(tmp_path, name) for name in ("ana", "bo", "cy.zip"))
    assert ana.notebooks == {f"attention{ending}": NOTEBOOK.encode()}
    assert "was read" in ana.notes[0]
    assert [*bo.notebooks] == ["masking.ipynb"]
    assert "was not read" in bo.notes[0]
    assert len(cy.notebooks) == 1
    assert ana.problems == bo.problems == cy.problems == []


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("attention.py", b"def f(x):\n    return x", "attention.py is a Python script"),
        ("attention.html", b"<html>", "is a web page"),
        ("attention.ipynb.txt", NOTEBOOK[:20].encode(), "ends in the middle"),
    ],
)
def test_what_lies_in_the_place_of_a_notebook_is_told(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    (problem,) = read(tmp_path, name).problems
    assert "no notebook" in problem
    assert words in problem


def test_names_in_any_script_are_kept_and_told_apart(folder):
    names = ["Zoë.ipynb", "Zoe\u0308.ipynb", "李.ipynb", "Łukasz Żak.ipynb", "😀.ipynb"]
    for name in names:
        (folder / name).write_text(name)
    shown = [entry.student for entry in students(folder)]
    assert len(set(shown)) == len(shown) == 9
    assert {"李.ipynb", "Łukasz Żak.ipynb", "😀.ipynb"} < set(shown)
    alike = [name for name in shown if name.startswith("Zoë.ipynb (")]
    assert len(alike) == 2
    for entry in students(folder):
        if entry.student in alike:
            assert read_student(entry).notebooks.keys() == {"Zoë.ipynb"}

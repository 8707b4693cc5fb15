"""What was handed in is found, bounded, and told in words where it cannot be read."""

import shutil
import zipfile

import pytest

from transformer_lab.grading.classes import reading
from transformer_lab.grading.classes.reading import HandedIn, printable, read_student, students


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
    assert students(folder) == ["ana", "bo.ipynb", "cy.zip", "notes.txt"]


def test_notebooks_are_found_in_folders_zips_and_alone(folder):
    assert read_student(folder, "ana").notebooks == {"b.ipynb": b"two", "week 1/a.ipynb": b"one"}
    assert read_student(folder, "bo.ipynb").notebooks == {"bo.ipynb": b"three"}
    assert read_student(folder, "cy.zip").notebooks == {"cy.zip/../../a.ipynb": b"four"}
    assert "no folder and no zip" in read_student(folder, "notes.txt").problems[0]
    assert "could not be read" in read_student(folder, "gone.ipynb").problems[0]


def test_zips_in_a_students_folder_are_read_each_by_its_name(folder):
    shutil.copy(folder / "cy.zip", folder / "ana/one.zip")
    shutil.copy(folder / "cy.zip", folder / "ana/two.ZIP")
    names = read_student(folder, "ana").notebooks
    assert {"one.zip/../../a.ipynb", "two.ZIP/../../a.ipynb"} < names.keys()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_strange_entries_of_a_zip_are_told(folder):
    with zipfile.ZipFile(folder / "cy.zip", "w") as archive:
        archive.writestr("a.ipynb", "one")
        archive.writestr("a.ipynb", "two")
        archive.writestr("b.ipynb", "three", compress_type=zipfile.ZIP_LZMA)
    handed = read_student(folder, "cy.zip")
    assert handed.notebooks == {"cy.zip/a.ipynb": b"one"}
    assert handed.problems == [
        "cy.zip/a.ipynb is in it twice; the first was read.",
        "cy.zip/b.ipynb is packed in an unusual way; make an ordinary zip.",
    ]


def test_one_file_that_cannot_be_read_does_not_hide_the_others(folder):
    (folder / "ana/a link.ipynb").symlink_to(folder / "bo.ipynb")
    ana = read_student(folder, "ana")
    assert len(ana.notebooks) == 2
    assert "is a link" in ana.problems[0]


def test_bounds_are_kept_and_told(folder, monkeypatch):
    monkeypatch.setattr(reading, "SIZE_LIMIT", 3)
    assert "larger than" in read_student(folder, "bo.ipynb").problems[0]
    monkeypatch.setattr(reading, "NOTEBOOKS_LIMIT", 1)
    ana = read_student(folder, "ana")
    assert len(ana.notebooks) == 1
    assert "more than 1 notebooks" in ana.problems[0]
    monkeypatch.setattr(reading, "STUDENT_LIMIT", 2)
    assert "All together" in read_student(folder, "ana").problems[0]
    assert "All together" in read_student(folder, "cy.zip").problems[0]
    monkeypatch.setattr(reading, "ENTRIES_LIMIT", 2)
    assert "more than 2 files" in read_student(folder, "ana").problems[-1]
    monkeypatch.setattr(reading, "PROBLEMS_LIMIT", 1)
    assert len(read_student(folder, "ana").problems) == 1


def test_the_hash_is_of_names_and_contents():
    hashes = {
        HandedIn("a", {"x": b"1"}).source,
        HandedIn("a", {"x": b"2"}).source,
        HandedIn("a", {"y": b"1"}).source,
        HandedIn("a", {"x": b"1"}, ["a problem"]).source,
        HandedIn("a", {"x": b"1", "y": b"1"}).source,
    }
    assert len(hashes) == 5
    assert HandedIn("a", {"x": b"1"}).source == HandedIn("b", {"x": b"1"}).source


def test_names_that_cannot_be_shown_stay_different():
    assert printable("zoë.ipynb") == "zoë.ipynb"
    shown = {printable("a\udcff"), printable("a\udcfe"), printable("a\x1b"), printable("a?")}
    assert len(shown) == 4
    assert all(name.isprintable() and name.encode() for name in shown)

"""A class is taken as its platform hands it out, and never for one student."""

import pytest

from tensorgrader.classes.submissions import Entry, read_student
from tests.course import COURSE, students
from tests.tensorgrader.classes.zips import zipped

CANVAS = {
    "doejane_12345_678901_attention.ipynb": "jane 1",
    "doejane_12345_678902_masking-1.ipynb": "jane 2",
    "doejane_12345_678903_notes.pdf": "jane 3",
    "roejohn_LATE_12346_678904_attention.ipynb": "john",
    "anon_x7Yz0_678905_attention.ipynb": "somebody",
    "LATE_anon_a1B2c_678906_attention.ipynb": "somebody late",
    "poeann_12347_text.html": "typed",
    "onlyone_12348_678907_table.csv": "no notebook",
    "grades.csv": "the teacher's",
}
MOODLE = {
    "Ana Żak_501_assignsubmission_file_/attention.ipynb": "ana",
    "Ana Żak_501_assignsubmission_onlinetext_/onlinetext.html": "hello",
    "Bo Li_502_assignsubmission_file_/week 1/attention.ipynb": "bo",
    "Cy_503_assignsubmission_onlinetext_/onlinetext.html": "no notebook",
    "Di_504_assignsubmission_file/attention.ipynb": "since 4.1",
}
MOODLE_FLAT = {
    "Ana Żak_501_assignsubmission_file_attention.ipynb": "ana 1",
    "Ana Żak_501_assignsubmission_file_masking.ipynb": "ana 2",
    "Bo Li_502_assignsubmission_file_attention.ipynb": "bo",
    "Cy_503_assignsubmission_file_x_502_assignsubmission_file_attention.ipynb": "cy",
}
GRADESCOPE = {
    "assignment_77_export/submission_9001/attention.ipynb": "one",
    "assignment_77_export/submission_9002/attention.ipynb": "two",
    "assignment_77_export/submission_9002/masking.ipynb": "three",
    "assignment_77_export/submission_metadata.yml": "submission_9001:",
}
CLASSROOM = {
    "lab-submissions/lab-ana/.git/HEAD": "ref",
    "lab-submissions/lab-ana/attention.ipynb": "ana",
    "lab-submissions/lab-bo/.git/HEAD": "ref",
    "lab-submissions/lab-bo/attention.ipynb": "bo",
}
BLACKBOARD = {
    f"Week_1_{user}_attempt_2026-11-{day}-09-05-00{rest}": text
    for user, day, text in (
        ("j_doe", "19", "jane 1"), ("j_doe", "20", "jane 2"), ("a_doe", "19", "ann"),
        ("j", "19", "jo"),
    )
    for rest, text in (("_attention.ipynb", text), (".txt", f"Name: {text} ({user})"))
}  # fmt: skip
BRIGHTSPACE = {
    "index.html": "the list",
    "501-88 - Jane Doe - Nov 9, 2026 945 PM/attention.ipynb": "jane 1",
    "501-88 - Jane Doe - Nov 9, 2026 1015 PM/attention.ipynb": "jane 2",
    "502-88 - Jane Doe - Nov 10, 2026 1215 AM/attention.ipynb": "another jane",
    "503-88 - Anne-Marie Li - Nov 10, 2026 115 PM/attention.ipynb": "anne",
}
NBGRADER = {f"submitted/{name}/week 1/attention.ipynb": name for name in ("ana", "bo", "cy")}
PLAIN = {f"class/{name}/attention.ipynb": name for name in ("ana", "bo", "cy")}
STUDENTS = {
    "canvas": (
        CANVAS,
        {
            "anon_a1B2c": ["somebody late"],
            "anon_x7Yz0": ["somebody"],
            "poeann_12347": [],
            "onlyone_12348": [],
            "doejane_12345": ["jane 1", "jane 2"],
            "roejohn_12346": ["john"],
        },
    ),
    "moodle": (
        MOODLE,
        {"Ana Żak_501": ["ana"], "Bo Li_502": ["bo"], "Cy_503": [], "Di_504": ["since 4.1"]},
    ),
    "moodle-flat": (
        MOODLE_FLAT,
        {"Ana Żak_501": ["ana 1", "ana 2"], "Bo Li_502": ["bo"], "Cy_503": ["cy"]},
    ),
    "gradescope": (GRADESCOPE, {"submission_9001": ["one"], "submission_9002": ["two", "three"]}),
    "classroom": (CLASSROOM, {"lab-ana": ["ana"], "lab-bo": ["bo"]}),
    "blackboard": (BLACKBOARD, {"a_doe": ["ann"], "j": ["jo"], "j_doe": ["jane 2"]}),
    "brightspace": (
        BRIGHTSPACE,
        {
            "Jane Doe_501": ["jane 2"],
            "Jane Doe_502": ["another jane"],
            "Anne-Marie Li_503": ["anne"],
        },
    ),
    "nbgrader": (NBGRADER, {name: [name] for name in ("ana", "bo", "cy")}),
    "plain": (PLAIN, {name: [name] for name in ("ana", "bo", "cy")}),
}


def unpacked(files, folder):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf8")
    return folder


def read(folder, name):
    """Read what one entry of a folder holds."""
    return read_student(Entry(COURSE, name, folder, (name,)))


def found(place):
    """Give what each student's notebooks hold."""
    return {
        entry.student: [raw.decode() for raw in read_student(entry).notebooks.values()]
        for entry in students(place)
    }


@pytest.mark.parametrize("platform", STUDENTS)
def test_a_class_is_unfolded_into_its_students(platform, tmp_path):
    files, expected = STUDENTS[platform]
    (tmp_path / "class.zip").write_bytes(zipped(files))
    assert found(tmp_path / "class.zip") == expected
    folder = unpacked(files, tmp_path / "unpacked")
    inside = [path for path in folder.iterdir() if path.is_dir()]
    assert found(inside[0] if len(inside) == 1 else folder) == expected


@pytest.mark.parametrize("platform", STUDENTS)
def test_a_class_among_students_is_refused_with_the_command(platform, tmp_path):
    files, _ = STUDENTS[platform]
    archive = zipped(files)
    (tmp_path / "class.zip").write_bytes(archive)
    (tmp_path / "CLASS.ZIP").write_bytes(zipped({"one.txt": "", "class.zip": archive}))
    unpacked(files, tmp_path / "folder")
    unpacked({"a.txt": ""}, tmp_path / "with zip")
    (tmp_path / "with zip/class.zip").write_bytes(archive)
    for entry in students(tmp_path):
        handed = read_student(entry)
        assert not handed.notebooks
        assert "not one student's" in handed.problems[0]
        assert "transformer-lab grade" in handed.problems[0]
        assert str(tmp_path / entry.names[0]) in handed.problems[0]


def test_one_students_files_are_no_class(tmp_path):
    alone = {
        "ana.zip": {name: text for name, text in CANVAS.items() if "jane" in text},
        "bo.zip": {"repo/.git/HEAD": "ref", "repo/attention.ipynb": "bo", "repo/masking.ipynb": ""},
        "cy.zip": {"try 1/attention.ipynb": "one", "try 2/attention.ipynb": "two"},
        "di.zip": {"submission_1/attention.ipynb": "di"},
        "ed.zip": {"week_1_2_attention.ipynb": "one", "week_2_3_masking.ipynb": "two"},
    }
    for name, files in alone.items():
        (tmp_path / name).write_bytes(zipped(files))
        handed = read(tmp_path, name)
        assert handed.notebooks, name
        assert not handed.problems


def test_names_that_only_look_like_a_platforms_are_students(tmp_path):
    names = ["group_2024_1_attention.ipynb", "group_2024_2_attention.ipynb", "notes_1.ipynb"]
    unpacked(dict.fromkeys(names, "x"), tmp_path)
    assert sorted(found(tmp_path)) == names


def test_a_folder_or_many_zips_that_no_platform_names_are_students(tmp_path):
    alike = {f"lab_1_2026_{name}.ipynb": name for name in ("ana", "bo")}
    names = unpacked(alike | {"cy/attention.ipynb": "cy"}, tmp_path / "folders")
    assert found(names) == {name: [text] for name, text in alike.items()} | {"cy": ["cy"]}
    zips = unpacked(alike, tmp_path / "zips")
    for name in ("cy", "di", "ed"):
        (zips / f"{name}.zip").write_bytes(zipped({"attention.ipynb": name}))
    assert len(found(zips)) == 5
    (tmp_path / "class.zip").write_bytes(zipped(alike | {"cy/attention.ipynb": "cy"}))
    assert len(found(tmp_path / "class.zip")) == 3
    assert read(tmp_path, "class.zip").notebooks, "it may be one student's"


def test_an_attempt_that_is_left_out_is_told(tmp_path):
    (tmp_path / "class.zip").write_bytes(zipped(BLACKBOARD))
    ann, jo, jane = map(read_student, students(tmp_path / "class.zip"))
    assert [*ann.notes, *jo.notes] == []
    assert "1 attempt before" in jane.notes[0]
    assert jane.people == ({"name": "jane 2", "login": "j_doe"},)
    assert not jane.problems

"""Who handed in, as a platform tells in a file beside the work: read strictly, and with bounds."""

import io
from pathlib import PurePosixPath

import pytest

from tensorgrader.classes import people
from tensorgrader.classes.files import File
from tensorgrader.classes.people import in_metadata, in_notes
from tensorgrader.classes.submissions import read_student
from tests.course import students
from tests.tensorgrader.classes.zips import zipped

METADATA = """---
submission_9001:
  :submitters:
  - :name: Ada Byron
    :sid: '0077'
    :email: &1 ada@x.org
  - :name: "Jos\\u00e9 \\xC9 \\"J\\""
    :sid:
    :email: 'o''neil@x.org'
  :created_at: 2026-11-20 10:15:30.000000000 Z
  :results:
    tests:
    - output: |-
        submission_9002:
          :submitters:
          - :name: Eve
  :history:
  - :id: 1
    :submitters:
    - :name: Old
submission_9002:
  :submitters: &2
  - :name: Bo
    :email: *1
  :history: []
submission_9003:
  :submitters: []
"""
ADA = {"name": "Ada Byron", "id": "0077", "email": "ada@x.org"}


def file(raw, name="submission_metadata.yml"):
    return File(PurePosixPath(name), lambda: io.BytesIO(raw))


def told(text):
    return in_metadata([file(text.encode())])


def test_all_of_a_group_are_read_and_nobody_of_what_was_printed_or_came_earlier():
    jose = {"name": 'José É "J"', "email": "o'neil@x.org"}
    bo = {"name": "Bo", "email": "ada@x.org"}
    assert told(METADATA) == {"submission_9001": (ADA, jose), "submission_9002": (bo,)}
    assert told(METADATA.replace("\n", "\r\n")) == told(METADATA)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe\0",
        b"submission_1:\n  :submitters:\n  - !ruby/object:Kernel {}\n  - :name: !!python/name:os\n",
        b"a: &a [x]\nb: &b [*a, *a]\nsubmission_1: *b\n",
        b"submission_1:\n  :submitters: [{:name: Ada}]\n",
        b"submission_1:" * 100_000,
        b"[" * 100_000,
    ],
)
def test_what_is_something_else_names_nobody(raw):
    assert not any(in_metadata([file(raw)]).values())


def test_bounds_are_kept(monkeypatch):
    monkeypatch.setattr(people, "METADATA_LIMIT", 60)
    assert told(METADATA) == {"submission_9001": ({"name": "Ada Byron"},)}
    monkeypatch.undo()
    group = "submission_1:\n  :submitters:\n" + "  - :name: Ada\n" * 1000
    assert len(told(group)["submission_1"]) == people.GROUP_LIMIT
    assert len(told(f"{group}  - :name: {'x' * 10**6}")["submission_1"][-1]["name"]) < 1000


def test_a_note_of_blackboards_names_one():
    name = "Week 1_jdoe_attempt_2026-11-20-10-15-30.txt"
    ada = ({"name": "Ada (Countess) Byron", "login": "ada"},)
    assert in_notes([file(b"Name: Ada (Countess) Byron (ada)\r\nAssignment: 1", name)]) == ada
    assert in_notes([file(b"Name: Ada (ada)", "notes.txt")]) == ()
    assert in_notes([file(b"hello", name)]) == in_notes([]) == ()


def test_metadata_lies_beside_the_submissions(tmp_path):
    files = {f"submission_900{n}/attention.ipynb": "x" for n in (1, 2, 4)}
    files["submission_metadata.yml"] = METADATA
    (tmp_path / "class.zip").write_bytes(zipped({f"all/{n}": text for n, text in files.items()}))
    one, two, four = map(read_student, students(tmp_path / "class.zip"))
    assert [len(one.people), len(two.people), len(four.people)] == [2, 1, 0]
    for name, text in files.items():
        (tmp_path / "all" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / name).write_text(text)
    here = [read_student(entry) for entry in students(tmp_path / "all")]
    assert [handed.people for handed in here] == [one.people, two.people, ()]
    assert one.about["people"] == [*one.people]

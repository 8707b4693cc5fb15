"""The command that grades a class says in words what is in its way, and keeps what was graded."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.grading.classes.recorded import sheet, work
from transformer_lab import cli
from transformer_lab.grading.classes import grading
from transformer_lab.grading.classes.grading import Pool
from transformer_lab.grading.command import a_class


def judged(handed, settings):
    """Give a recorded judgement in place of judging."""
    sheets = [sheet("attention", work("attention-scale", 3), notebook=n) for n in handed.notebooks]
    told = {"notebooks": sheets, "problems": [], "seconds": 0.1, "files": list(handed.files)}
    return settings.of(handed) | told


@pytest.fixture
def grade(tmp_path, monkeypatch):
    """Give a function that grades a class of two into `report`, with these options."""
    (tmp_path / "class").mkdir()
    for name in ("ana", "bo"):
        (tmp_path / f"class/{name}.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grading, "grade_student", judged)
    pool = Pool(lambda: ThreadPoolExecutor(1), width=1)
    monkeypatch.setattr(a_class, "local_pool", lambda jobs: pool)
    return lambda *more: cli.main(["grade", "class", "--out", "report", "--without-sandbox", *more])


def test_a_broken_record_is_told_and_the_rest_goes_on(grade, tmp_path, capsys):
    assert grade() == 0
    results = tmp_path / "report/results.jsonl"
    one, other = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(one + other[:30])
    assert grade() == 0
    assert "1 of its lines could not be read, or were never finished" in capsys.readouterr().err
    assert (tmp_path / "report/results.broken.jsonl").read_bytes() == other[:30] + b"\n"
    assert results.read_bytes() == one + other
    assert grade() == 0
    assert "could not be read" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("in_the_way", "why"),
    [
        ("results.jsonl", "cannot write to report/results.jsonl: Is a directory"),
        ("scores.csv", "cannot write the report: [Errno 21] Is a directory: 'report/scores.csv'"),
        ("teacher.csv", "cannot write the report: [Errno 21] Is a directory: 'report/teacher.csv'"),
    ],
)
def test_what_cannot_be_written_is_told_in_words(grade, tmp_path, capsys, in_the_way, why):
    (tmp_path / "report" / in_the_way).mkdir(parents=True)
    assert grade() == 2
    assert why in capsys.readouterr().err
    (tmp_path / "report" / in_the_way).rmdir()
    assert grade() == 0


def test_a_disk_that_is_full_ends_the_grading_in_words(grade, monkeypatch, capsys):
    def full(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(grading.os, "fsync", full)
        assert grade() == 2
    assert "Stopped: [Errno 28] No space left on device. What was" in capsys.readouterr().err
    assert grade() == 0


def test_who_is_on_the_list_and_who_came_twice_is_told(grade, tmp_path, capsys):
    (tmp_path / "class/ANA.ipynb").write_text("{}")
    (tmp_path / "list.csv").write_text("name;login\nAna Li;ana\n\nCy\n", "utf8")
    assert grade("--roster", "list.csv") == 0
    told = capsys.readouterr().out
    assert "Handed in under several names: 2: Ana Li (ANA.ipynb), Ana Li (ana.ipynb)" in told
    assert "Not on the roster: 1: bo.ipynb" in told
    scores = (tmp_path / "report/scores.csv").read_text("utf8").splitlines()
    assert [line.partition(",")[0] for line in scores[1:]] == [
        "Ana Li (ANA.ipynb)", "Ana Li (ana.ipynb)", "bo.ipynb", "Cy",
    ]  # fmt: skip

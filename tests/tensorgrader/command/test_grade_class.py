"""The command that grades a class says in words what is in its way, and keeps what was graded."""

import pytest

from lab_notebooks import cli
from tests.tensorgrader.classes.recorded import judge_by, table


@pytest.fixture
def grade(tmp_path, monkeypatch):
    """Give a function that grades a class of two into `report`, with these options."""
    (tmp_path / "class").mkdir()
    for name in ("ana", "bo"):
        (tmp_path / f"class/{name}.ipynb").write_text("{}")
    monkeypatch.chdir(tmp_path)
    judge_by(monkeypatch)
    return lambda *more: cli.main(["grade", "class", "--out", "report", "--without-sandbox", *more])


def test_only_the_chapters_that_are_told_count(grade, tmp_path):
    counted = {}
    for told in ([], ["norm"], ["norm", "attention"]):
        assert grade(*(word for name in told for word in ("--chapter", name))) == 0
        rows = table(tmp_path / "report/scores.csv").values()
        counted[tuple(told)] = {row["earned"] for row in rows}
    assert counted == {(): {"3"}, ("norm",): {"0"}, ("norm", "attention"): {"3"}}


@pytest.mark.parametrize(
    ("in_the_way", "why"),
    [
        ("results.jsonl", "cannot write to report/results.jsonl: Is a directory"),
        ("scores.csv", "cannot write the report: [Errno 21] Is a directory: 'report/scores.csv'"),
    ],
)
def test_what_cannot_be_written_is_told_in_words(grade, tmp_path, capsys, in_the_way, why):
    assert grade() == 0
    (tmp_path / "report" / in_the_way).unlink()
    (tmp_path / "report" / in_the_way).mkdir()
    assert grade() == 2
    assert why in capsys.readouterr().err
    (tmp_path / "report" / in_the_way).rmdir()
    assert grade() == 0


@pytest.mark.parametrize(
    "own", ["index.html", "scores.csv", "feedback/ana.html", "feedback-moodle.zip"]
)
def test_a_folder_with_files_of_the_teachers_own_is_no_place_for_a_report(
    grade, tmp_path, capsys, own
):
    path = tmp_path / "report" / own
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    (tmp_path / "report/results.jsonl").write_text('{"loss": 3}\n')
    before = sorted(tmp_path.rglob("*"))
    assert grade() == 2
    assert sorted(tmp_path.rglob("*")) == before
    assert path.read_text() == "mine"
    told = capsys.readouterr().err
    assert "new folder" in told
    assert own.partition("/")[0] in told
    assert "results.jsonl" in told


def test_an_earlier_report_is_known_by_its_records_or_by_the_teachers_table(grade, tmp_path):
    (tmp_path / "report").mkdir()
    (tmp_path / "report/results.jsonl").write_text('{"student": "an')  # killed while it wrote
    (tmp_path / "report/notes.txt").write_text("mine")
    assert grade() == 0
    (tmp_path / "report/results.jsonl").unlink()
    assert grade() == 0
    (tmp_path / "report/teacher.csv").unlink()
    assert grade() == 0
    assert (tmp_path / "report/notes.txt").read_text() == "mine"


def test_names_are_not_hidden_in_what_goes_to_a_platform(grade, tmp_path, capsys):
    assert grade("--anonymous", "--format", "canvas") == 2
    assert "leave out --anonymous" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()


def test_pages_that_no_report_wrote_stay(grade, tmp_path):
    assert grade() == 0
    (old,) = (tmp_path / "report/feedback").glob("bo*")
    own = tmp_path / "report/feedback/general-advice.html"
    own.write_text("mine")
    (tmp_path / "class/bo.ipynb").unlink()
    assert grade() == 0
    assert own.read_text() == "mine"
    assert not old.exists()


def test_a_list_or_a_class_that_the_report_would_replace_is_refused(grade, tmp_path, capsys):
    assert grade() == 0
    (tmp_path / "report/moodle.csv").write_text("name\nAna\n")
    assert grade("--roster", "report/moodle.csv", "--format", "moodle") == 2
    assert "report/moodle.csv" in capsys.readouterr().err
    assert (tmp_path / "report/moodle.csv").read_text() == "name\nAna\n"
    assert cli.main(["grade", "report/feedback", "--out", "report", "--without-sandbox"]) == 2
    assert "report/feedback" in capsys.readouterr().err

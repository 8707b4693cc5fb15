"""The command: what it prints, what it writes, its exit codes."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from lab_notebooks import cli
from lab_notebooks.sources import sources
from tensorgrader import progress
from tensorgrader.sandbox import processes
from tensorgrader.sandbox.processes import lacking
from tests.tensorgrader.asking import worth

ALL = sum(worth("attention").values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    assert cli.main(["notebooks", str(folder / "solved"), "--solved"]) == 0
    assert cli.main(["start", str(folder / "work")]) == 0
    return folder


@pytest.fixture
def solved(folder):
    return folder / "solved/exercises/attention.ipynb"


@pytest.fixture
def stub(folder):
    return folder / "work/exercises/attention.ipynb"


def state(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def test_start_writes_everything_and_never_overwrites(tmp_path, capsys):
    tmp_path /= "my work"
    assert cli.main(["start", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("wrote ") == len(sources())
    assert f"jupyter lab '{tmp_path}'\n" in out, "a command that holds for any name"
    assert f"transformer-lab grade '{tmp_path}'/exercises/*.ipynb\n" in out
    assert str(tmp_path / "progress.json") in out
    mine = tmp_path / "exercises/attention.ipynb"
    mine.write_text("my work", "utf8")
    (tmp_path / "notes.txt").write_text("mine too", "utf8")
    missing = tmp_path / "book/attention.ipynb"
    missing.unlink()
    before = state(tmp_path)
    assert cli.main(["start", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("kept ") == len(sources()) - 1
    assert f"kept  {mine}" in out
    assert out.count("wrote ") == 1
    after = state(tmp_path)
    del after[missing]
    assert after == before


def test_notebooks_replaces_what_a_build_folder_holds(tmp_path):
    path = tmp_path / "exercises/attention.ipynb"
    assert cli.main(["notebooks", str(tmp_path)]) == 0
    assert "NotImplementedError" in path.read_text("utf8")
    assert cli.main(["notebooks", str(tmp_path), "--solved"]) == 0
    assert "raise NotImplementedError" not in "".join(
        "".join(c["source"]) for c in json.loads(path.read_text("utf8"))["cells"]
        if c["cell_type"] == "code"
    )  # fmt: skip


def test_reset_gives_a_fresh_copy_and_keeps_the_old_one(folder, tmp_path, capsys):
    shutil.copytree(folder / "work", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "exercises/masking.ipynb"
    given = path.read_text("utf8")
    for number, mine in ((1, "my work"), (2, "more work")):
        path.write_text(mine, "utf8")
        assert cli.main(["reset", str(path)]) == 0
        kept = tmp_path / f"exercises/backups/masking-{number}.ipynb"
        assert str(kept) in capsys.readouterr().out
        assert (path.read_text("utf8"), kept.read_text("utf8")) == (given, mine)


def test_reset_of_a_broken_notebook_alone_gives_no_solution(tmp_path):
    path = tmp_path / "exercises/masking.ipynb"
    path.parent.mkdir()
    path.write_text("broken", "utf8")
    assert cli.main(["reset", str(path)]) == 0
    assert "NotImplementedError" in path.read_text("utf8")
    assert "Solution</summary>" not in path.read_text("utf8")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("masking.ipynb", Path.touch),
        ("exercises/masking.ipynb", Path.exists),  # makes nothing: it is missing
        ("exercises/masking.ipynb", Path.mkdir),
        ("exercises/masking.py", Path.touch),
        ("exercises/masking", Path.mkdir),
    ],
)
def test_reset_of_what_is_no_notebook_of_ours_is_told_and_changes_nothing(
    tmp_path, capsys, name, make
):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(["reset", str(path)]) == 2
    assert name in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_progress_is_told_where_start_has_begun_a_note(folder, tmp_path, capsys):
    assert cli.main(["progress", str(tmp_path)]) == 2
    assert "transformer-lab start" in capsys.readouterr().err
    assert cli.main(["progress", str(folder / "work")]) == 0
    assert f"masking: 0 of {sum(worth('masking').values())} points" in capsys.readouterr().out


def test_progress_tells_of_a_note_that_is_broken_and_leaves_it(tmp_path, capsys):
    (tmp_path / "progress.json").write_text('{"attention-scor', "utf8")
    assert cli.main(["progress", str(tmp_path)]) == 2
    assert "progress.json" in capsys.readouterr().err
    assert (tmp_path / "progress.json").read_text("utf8") == '{"attention-scor'


@pytest.mark.parametrize("command", [["release"], ["release", "--nbgrader"], ["notebooks"]])
def test_a_learners_answers_are_never_replaced(tmp_path, capsys, command):
    mine = tmp_path / "exercises/attention.ipynb"
    mine.parent.mkdir()
    mine.write_text("my work", "utf8")
    progress.begin(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main([*command, str(tmp_path)]) == 2
    assert "choose another folder" in capsys.readouterr().err
    assert (sorted(tmp_path.rglob("*")), mine.read_text("utf8")) == (before, "my work")


@pytest.mark.parametrize("options", [[], ["--solutions"]])
@pytest.mark.parametrize("broken", [False, True])
def test_reset_of_what_a_class_was_given_has_solutions_only_if_that_had(tmp_path, options, broken):
    chapters = ["--chapter", "masking", "--chapter", "norm"]  # one beside it says what was given
    assert cli.main(["release", str(tmp_path), *chapters, *options]) == 0
    path = tmp_path / "exercises/masking.ipynb"
    given = path.read_text("utf8")
    path.write_text("" if broken else given.replace("raise NotImplementedError", "pass  #"), "utf8")
    assert cli.main(["reset", str(path)]) == 0
    assert path.read_text("utf8") == given


def test_a_release_holds_solutions_only_if_told(tmp_path):
    texts = {}
    for options in ((), ("--solutions",)):
        assert cli.main(["release", str(tmp_path), "--chapter", "masking", *options]) == 0
        texts[options] = (tmp_path / "exercises/masking.ipynb").read_text("utf8")
    assert "masked_fill(~may_attend" not in texts[()]
    assert "masked_fill(may_attend" in texts[()]
    assert "masked_fill(~may_attend" in texts[("--solutions",)]


def test_a_release_may_be_of_some_chapters(tmp_path, capsys):
    assert cli.main(["release", str(tmp_path / "one"), "--chapter", "attention"]) == 0
    rooms = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.ipynb")]
    assert sorted(map(str, rooms)) == ["book/attention.ipynb", "exercises/attention.ipynb"]
    two = ["--chapter", "norm", "--chapter", "masking", "--nbgrader"]
    assert cli.main(["release", str(tmp_path / "two"), *two]) == 0
    assert {path.stem for path in (tmp_path / "two").rglob("*.ipynb")} == {"norm", "masking"}
    with pytest.raises(SystemExit):
        cli.main(["release", str(tmp_path), "--chapter", "atention"])
    assert "no chapter 'atention'; there are: attention" in capsys.readouterr().err


def test_a_release_for_nbgrader_is_a_course_of_assignments(tmp_path):
    assert cli.main(["release", str(tmp_path), "--nbgrader"]) == 0
    found = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.ipynb")}
    stems = [name.removeprefix("exercises/") for name in sources() if name.startswith("exercises/")]
    assert found == {f"source/{stem}/{stem}.ipynb" for stem in stems}
    assert "### BEGIN SOLUTION" in (tmp_path / "source/masking/masking.ipynb").read_text("utf8")


def test_solved_is_all_points_and_exit_code_0(solved, capsys):
    assert cli.main(["grade", str(solved), "--seed", "3"]) == 0
    assert f"{ALL} of {ALL} points (seed 3)" in capsys.readouterr().out


def test_a_stub_is_no_points_and_exit_code_1(stub, capsys):
    assert cli.main(["grade", str(stub)]) == 1
    out = capsys.readouterr().out
    assert f"0 of {ALL} points" in out
    assert "not written yet" in out


def test_bad_files_are_told_and_the_others_are_graded(folder, solved, tmp_path, capsys):
    corrupt, foreign = tmp_path / "corrupt.ipynb", tmp_path / "foreign.ipynb"
    corrupt.write_text(solved.read_text("utf8")[:1000], "utf8")
    foreign.write_text('{"cells": [], "metadata": {}, "nbformat": 4}', "utf8")
    chapter = folder / "work/book/attention.ipynb"
    files = [corrupt, foreign, chapter, solved]
    assert cli.main(["grade", *map(str, files)]) == 1
    told = capsys.readouterr()
    assert f"{ALL} of {ALL} points" in told.out
    lines = told.err.splitlines()
    assert len(lines) == 3
    assert "ends in the middle" in lines[0]
    assert "not an exercise" in lines[1]
    assert "nothing to grade" in lines[2]


def test_a_file_that_does_not_exist_is_exit_code_2(stub, tmp_path, capsys):
    assert cli.main(["grade", str(tmp_path / "nope.ipynb"), str(tmp_path), str(stub)]) == 2
    told = capsys.readouterr()
    assert "No such file" in told.err
    assert f"transformer-lab grade {tmp_path} --out REPORT" in told.err
    assert f"0 of {ALL} points" in told.out


def test_json_holds_scores_reasons_and_errors(stub, tmp_path, capsys):
    assert cli.main(["grade", "--json", str(stub), str(tmp_path / "nope.ipynb")]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told[0]["earned"] == 0
    assert told[0]["points"] == sum(row["points"] for row in told[0]["results"]) == ALL
    assert "not written yet" in told[0]["results"][0]["reason"]
    assert "No such file" in told[1]["error"]


@pytest.fixture
def submissions(solved, stub, tmp_path):
    folder = tmp_path / "submissions"
    folder.mkdir()
    shutil.copy(solved, folder / "ana.ipynb")
    shutil.copy(stub, folder / "bo.ipynb")
    return folder


def test_a_class_is_graded_into_a_report(submissions, tmp_path, capsys):
    command = ["grade", str(submissions), "--out", str(tmp_path / "report"), "--jobs", "1"]
    command += ["--without-sandbox"] if lacking() else []
    assert cli.main([*command, "--seed", "3"]) == 0
    assert "2 students, seed 3" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        "index.html", "scores.csv", "teacher.csv", "results.jsonl", "feedback"
    }  # fmt: skip
    (submissions / "notes.txt").write_text("no notebook")
    assert cli.main(command) == 1
    assert "seed 3\nSome files could not be read: 1: notes.txt" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--chapter", "norm"], "--chapter is for a class: add --out"),
        (["--chapter", "rope", "--out", "REPORT"], "no chapter 'rope'; there are: attention, "),
        (["--format", "canvas"], "--format is for a class: add --out"),
        (["--due", "soon"], "'soon' is not a time such as 2026-11-20T23:59"),
        (["--late", "120"], "per cent are between 0 and 100, not 120"),
        (["--roster", "no.csv", "--out", "REPORT"], "no.csv: there is no such file"),
        (
            ["--roster", "moodle.csv", "--out", "REPORT", "--format", "canvas"],
            "moodle.csv is from moodle, whose numbers canvas does not know",
        ),
    ],
)
def test_what_is_only_for_a_class_or_wrong_is_told(tmp_path, monkeypatch, capsys, options, why):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processes, "lacking", lambda: "")
    (tmp_path / "tests.csv").write_text("points")
    (tmp_path / "moodle.csv").write_text("Identifier,Full name\nParticipant 501,Ana")
    (tmp_path / "class").mkdir()
    with suppress(SystemExit):  # of the parser, which has told it
        assert cli.main(["grade", "class", *options]) == 2
    assert why in capsys.readouterr().err


def test_a_class_wants_one_folder_and_a_sandbox(submissions, tmp_path, capsys, monkeypatch):
    out = ["--out", str(tmp_path / "report")]
    inside = ["--out", str(submissions / "report")]
    for wrong in (
        [submissions / "ana.ipynb", *out],
        [submissions] * 2 + out,
        [submissions, *inside],
    ):
        assert cli.main(["grade", *map(str, wrong)]) == 2
        assert "one folder" in capsys.readouterr().err
    monkeypatch.setattr(processes, "lacking", lambda: "it needs Linux")
    assert cli.main(["grade", str(submissions), *out]) == 2
    told = capsys.readouterr().err
    assert "it needs Linux" in told
    assert "--without-sandbox" in told
    assert not (tmp_path / "report").exists()
    (tmp_path / "file").write_text("", "utf8")
    command = ["grade", str(submissions), "--out", str(tmp_path / "file/report")]
    assert cli.main([*command, "--without-sandbox"]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_notebook_is_graded_without_a_sandbox_where_there_is_none(stub, capsys, monkeypatch):
    monkeypatch.setattr(processes, "lacking", lambda: "it needs Linux")
    assert cli.main(["grade", str(stub)]) == 1
    told = capsys.readouterr()
    assert "Without a sandbox" in told.err
    assert f"0 of {ALL} points" in told.out


@pytest.mark.parametrize(
    "arguments",
    [[], ["grade"], ["grade", "x", "--jobs", "0"], ["nothing"], ["grade", "x", "--seed", "-1"]],
)
def test_a_command_that_is_not_understood_is_exit_code_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err

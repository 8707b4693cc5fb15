"""Hunts as students get them, hand them in and have them graded."""

import csv
import json
import stat
import sys
from types import ModuleType

import nbformat
import pytest

from lab_notebooks import cli
from lab_notebooks.hunts import _told, hunt_notebook, write_hunts
from tensorgrader.check import CheckFailed
from tensorgrader.classes.roster import Person
from tensorgrader.hunt.draw import TASKS, deal, hunt_of, is_theirs, with_hunt
from tensorgrader.hunt.key import read_key
from tensorgrader.sandbox.processes import lacking
from tensorgrader.submission import SubmissionError
from tests.course import COURSE, grade_notebook, parse_submission
from tests.tensorgrader.classes.recorded import table

(HUNT,) = deal(COURSE, b"k" * 32, ["Ana"])
ROSTER = "name,id\nAna Abt,11\nBo Berg,12\nCy Cole,13\nDi Dorn,14\n"


def answered(notebook, text, wrong=()):
    faults = dict(enumerate(with_hunt(COURSE, text).chapters["hunt"].exercises, 1))
    for cell in notebook.cells:
        graded = cell.metadata.get("nbgrader", {})
        number = int(cell.id.partition("-")[2]) if graded.get("grade") is False else 0
        if number and number not in wrong:
            same = (e for e in COURSE.exercises.values() if e.reference is faults[number].reference)
            exercise = next(same)
            cell.source = COURSE.solutions(exercise.chapter)[exercise.id]
    return notebook


def written(tmp_path, notebook):
    path = tmp_path / "hunt.ipynb"
    path.write_text(nbformat.writes(notebook), "utf8")
    return path


def test_the_notebook_does_not_give_the_faults_away():
    notebook = hunt_notebook(HUNT.text)
    whole = "\n".join(cell.source for cell in notebook.cells)
    for fault in HUNT.faults:
        assert fault.name not in whole
        assert fault.code in whole
        right = COURSE.solutions(COURSE.exercises[fault.exercise].chapter)[fault.exercise]
        assert right not in [cell.source for cell in notebook.cells]
    assert whole.count("\n## ") + whole.count("## 1.") >= TASKS
    assert "](../" not in whole


def test_each_task_is_told_from_its_heading_on():
    told = [_told(chapter) for chapter in COURSE.chapters]
    assert all(words.startswith("## ") for tasks in told for words, _ in tasks.values())


def test_a_task_gives_its_point_for_the_whole_only(tmp_path):
    untouched = grade_notebook(written(tmp_path, hunt_notebook(HUNT.text)), 1)
    assert (untouched.earned, untouched.points) == (0, TASKS)
    assert not any(result.mistakes for result in untouched.results)
    some = answered(hunt_notebook(HUNT.text), HUNT.text, wrong={2, 5})
    assert grade_notebook(written(tmp_path, some), 2).earned == TASKS - 2
    every = answered(hunt_notebook(HUNT.text), HUNT.text)
    assert grade_notebook(written(tmp_path, every), 3).earned == TASKS


def test_the_courses_own_answers_cannot_be_imported(tmp_path):
    notebook = hunt_notebook(HUNT.text)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade") is False:
            name = cell.source.partition("(")[0].removeprefix("def ").strip()
            cell.source = f"from my_gpt import {name}"
    assert grade_notebook(written(tmp_path, notebook), 1).earned == 0


@pytest.mark.parametrize(
    "line",
    [
        "", 'HUNT = "all"', "HUNT = 5", 'HUNT = "a"\nHUNT = "b"',
        f'HUNT = "{HUNT.text}"\nHUNT = "{HUNT.text[:-1]}"', f'HUNT = "{HUNT.text}" * 1',
        'HUNT = open("/etc/passwd").read()', f'HUNT = "{HUNT.text[:-17]}:{"g" * 16}"',
    ],
)  # fmt: skip
def test_a_tampered_seed_is_told_and_nothing_runs(line):
    notebook = hunt_notebook(HUNT.text)
    (setup,) = (cell for cell in notebook.cells if "HUNT =" in cell.source and cell.id != "x"
                and cell.cell_type == "code")  # fmt: skip
    setup.source = line
    with pytest.raises(SubmissionError, match="hunt"):
        parse_submission(nbformat.writes(notebook).encode())


def test_a_cell_of_a_hunt_in_another_notebook_costs_nothing():
    from lab_notebooks.notebooks import read_notebook

    other = read_notebook("exercises/norm")
    other.cells += [c for c in hunt_notebook(HUNT.text).cells if c.id == "hunt-1"]
    submission = parse_submission(nbformat.writes(other).encode())
    assert submission.chapter.name == "norm"


def test_a_check_in_the_notebook_says_what_fails_and_names_nothing(monkeypatch, capsys):
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr("tensorgrader.check.Looking", None)  # nothing looks for the fault's place
    cells = hunt_notebook(HUNT.text).cells
    last = cells[-1].source
    for cell in (cell for cell in cells if cell.cell_type == "code"):
        if not cell.source.startswith("check("):
            exec(cell.source, vars(main))
    with pytest.raises(CheckFailed) as failed:
        exec(last, vars(main))
    assert "0 of 1 point" in str(failed.value)
    assert "Known mistake" not in str(failed.value)
    assert HUNT.faults[-1].name not in str(failed.value)
    exec(answered(hunt_notebook(HUNT.text), HUNT.text).cells[-2].source, vars(main))
    exec(last, vars(main))
    assert "1 of 1 point" in capsys.readouterr().out
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    exec(f"earned = {last}", vars(main))
    assert vars(main)["earned"] == 1
    del main.HUNT
    with pytest.raises(ValueError, match="HUNT"):
        exec(last, vars(main))


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("teacher")
    (folder / "students.csv").write_text(ROSTER, "utf8")
    words = ["--hunt", "--roster", str(folder / "students.csv"), "--key", str(folder / "hunt.key")]
    assert cli.main(["release", str(folder / "out"), *words]) == 0
    return folder


def test_release_gives_everybody_a_hunt_and_the_teacher_a_table(released):
    notebooks = sorted((released / "out").rglob("*.*"))
    assert [path.name for path in notebooks] == ["hunt.ipynb"] * 4
    assert stat.S_IMODE((released / "hunt.key").stat().st_mode) == 0o600
    key = (released / "hunt.key").read_text().strip()
    assert not any(key in path.read_text("utf8") for path in notebooks)
    with (released / "hunt-faults.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * TASKS
    assert {row["student"] for row in rows} == {"Ana Abt", "Bo Berg", "Cy Cole", "Di Dorn"}
    assert all(row["fault"] and float(row["difficulty"]) for row in rows)


def test_release_keeps_the_key_out_of_what_is_handed_out(released, capsys):
    out = released / "out"
    words = [str(out), "--hunt", "--roster", str(released / "students.csv")]
    assert cli.main(["release", *words, "--key", str(out / "hunt.key")]) == 2
    assert "key" in capsys.readouterr().err
    assert cli.main(["release", str(out), "--hunt"]) == 2
    (released / "bad.key").write_text("secret", "utf8")
    assert cli.main(["release", *words, "--key", str(released / "bad.key")]) == 2


def test_a_hunt_is_its_owners_on_a_list_of_another_platform(tmp_path):
    """Platforms have other numbers for the same people, and write names the other way round."""
    row = {"name": "", "full name": ""}
    canvas = Person("Berg Lund, Ana Maria", "1", {**row, "name": "Berg Lund, Ana Maria"})
    moodle = Person("Ana María Berg Lund", "77", {**row, "full name": "Ana Maria Berg Lund"})
    path, hunt = next(write_hunts(tmp_path / "out", tmp_path / "k.key", [canvas], ["norm"]))
    key = read_key(tmp_path / "k.key")
    assert path.is_file()
    assert is_theirs(key, moodle.spelt, hunt.text)


def test_namesakes_get_other_hunts(tmp_path):
    people = [Person("Ana Abt", number, {"name": "Ana Abt"}) for number in ("1", "2")]
    one, other = write_hunts(tmp_path / "out", tmp_path / "k.key", people, [])
    assert one[0] != other[0]
    assert not one[1].exercises & other[1].exercises


@pytest.mark.skipif(bool(lacking()), reason="a class is graded in a sandbox")
def test_a_class_hands_hunts_in(released, tmp_path, capsys):
    out = {path.parent.name[:2]: path for path in (released / "out").rglob("*.ipynb")}
    text = {
        who: next(c.source for c in nbformat.read(path, 4).cells if "HUNT =" in c.source and
                  c.cell_type == "code").split('"')[-2]
        for who, path in out.items()
    }  # fmt: skip
    right = {who: answered(nbformat.read(out[who], 4), text[who]) for who in out}
    right["Bo"] = right["Ana"[:2]]  # hands in another's
    right["Cy"] = nbformat.read(out["Cy"], 4)  # wrote nothing
    broken = json.loads(nbformat.writes(right["Di"]).replace(text["Di"], text["Di"] + "0"))
    for who, number in zip(("An", "Bo", "Cy"), (11, 12, 13), strict=True):
        (tmp_path / f"in/{number}").mkdir(parents=True)
        (tmp_path / f"in/{number}/hunt.ipynb").write_text(nbformat.writes(right[who]), "utf8")
    (tmp_path / "in/14").mkdir()
    (tmp_path / "in/14/hunt.ipynb").write_text(json.dumps(broken), "utf8")
    words = ["--roster", str(released / "students.csv"), "--key", str(released / "hunt.key")]
    report = tmp_path / "report"
    assert cli.main(["grade", str(tmp_path / "in"), "--out", str(report), *words]) == 1
    rows = table(report / "scores.csv", "id")
    assert [rows[n]["earned"] for n in ("11", "12", "13")] == ["5", "5", "0"]
    assert not rows["11"]["problems"]
    assert "Ana Abt" in rows["12"]["problems"]
    assert not rows["13"]["problems"]
    assert "hunt" in rows["14"]["problems"]
    page = (report / "index.html").read_text("utf8")
    assert "Written alike" not in page
    assert page.count('class="mark empty"') >= TASKS  # what was given and not touched
    assert f'<td class="number">{hunt_of(COURSE, text["An"]).difficulty}</td>' in page
    record = (report / "results.jsonl").read_text("utf8")
    assert (released / "hunt.key").read_text().strip() not in record
    (report / "teacher.csv").write_text("student,exercise,points,comment\nCy Cole,hunt-2,1,Yes\n")
    assert cli.main(["grade", str(tmp_path / "in"), "--out", str(report), *words]) == 1
    assert table(report / "scores.csv", "id")["13"]["earned"] == "1"
    assert cli.main(["grade", str(tmp_path / "in"), "--out", str(report), *words[2:]]) == 2


def test_somebody_alone_gets_another_one_each_time(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["hunt", "--chapter", "norm"]) == 0
    assert cli.main(["hunt", "--chapter", "norm"]) == 0
    one, other = (tmp_path / f"hunt-{n}.ipynb" for n in (1, 2))
    assert "norm:" in one.read_text("utf8")
    assert one.read_text("utf8") != other.read_text("utf8")
    assert cli.main(["hunt", "hunt-1.ipynb"]) == 2
    assert "exists" in capsys.readouterr().err

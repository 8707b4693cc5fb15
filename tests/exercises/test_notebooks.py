"""The exercise notebooks, run by the tools that teachers use: nbval and nbgrader."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from lab_notebooks.notebooks import read_notebook
from tensorgrader.source.forms import nbgrader_text, release_text, solved_text, student_text
from tests.course import CHAPTERS, grade_notebook
from tests.page.node import taken_along

pytestmark = pytest.mark.notebook
#: Overflows, and speaks on stderr, which nbgrader takes for a failure where it hears it.
PARTLY = """\
import sys
def softmax(x):
    print("x", x.shape, file=sys.stderr)
    return x.exp() / x.exp().sum(dim=-1, keepdim=True)
"""


def run(*command, folder):
    """Run a tool of this environment, in a folder of its own and without the user's settings."""
    tools = str(Path(sys.executable).parent)
    env = os.environ | {
        "PATH": tools + os.pathsep + os.environ["PATH"],
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=env, capture_output=True, text=True
    )


def write(path, form):
    """Write the notebook of the file's stem."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(read_notebook(f"exercises/{path.stem}", form), path)
    return path


def graded(notebook, kind):
    """Give the ids of the answers ("solution") or of the checks ("grade")."""
    return [c.id for c in notebook.cells if c.metadata.get("nbgrader", {}).get(kind)]


def cells_by_verdict(path, *options, lax=False):
    """Run nbval on a notebook; gives the ids of the code cells that pass and of those that fail.

    If lax, what a cell prints is not compared with what it printed before.
    """
    report = path.with_suffix(".xml")
    how = "--nbval-lax" if lax else "--nbval"
    done = run(
        "pytest", how, path.name, f"--junitxml={report}", "-p", "no:cacheprovider", *options,
        folder=path.parent,
    )  # fmt: skip
    assert report.is_file(), done.stdout + done.stderr
    code = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    verdicts = {True: [], False: []}
    for case in ElementTree.parse(report).iter("testcase"):
        number = int(case.get("name").removeprefix("Cell "))
        verdicts[case.find("failure") is case.find("error") is None].append(code[number].id)
    assert sum(map(len, verdicts.values())) == len(code)
    return verdicts[True], verdicts[False]


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_cell_of_the_solved_notebook_passes_under_nbval(tmp_path, stem):
    """Leave out cells that train or load a real model; the next test runs them too."""
    notebook = read_notebook(f"exercises/{stem}", solved_text)
    trained = {e.id for e in CHAPTERS[stem].exercises if e.seconds}
    for cell in notebook.cells:
        checked = cell.source.removeprefix('check("').removesuffix('")')
        if checked in trained or "nbval-ignore-output" in cell.metadata.get("tags", []):
            cell.metadata["tags"] = ["nbval-skip"]
    path = tmp_path / f"{stem}.ipynb"
    nbformat.write(notebook, path)
    _, failed = cells_by_verdict(path, lax=True)
    assert not failed


@pytest.mark.slow  # the same, executed twice: the outputs are compared
@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_cell_of_the_solved_notebook_prints_the_same_again(tmp_path, stem):
    path = write(tmp_path / f"{stem}.ipynb", solved_text)
    done = run(
        "nbconvert", "--execute", "--inplace", "--to", "notebook", path.name, folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    passed, failed = cells_by_verdict(path)
    assert not failed
    notebook = nbformat.read(path, as_version=4)
    outputs = [c.outputs for c in notebook.cells if c.id in set(passed)]
    assert sum("points" in str(output) for output in outputs) == len(graded(notebook, "grade"))


PATIENCE = "c.Execute.timeout = 300"  # as teachers are told


@pytest.fixture(scope="module", params=CHAPTERS)
def course(request, tmp_path_factory):
    """Make a course whose students hand in a stub, a solved notebook, and a page's, half solved."""
    stem, folder = request.param, tmp_path_factory.mktemp("course")
    (folder / "nbgrader_config.py").write_text(f"c = get_config()\n{PATIENCE}\n")
    write(folder / f"source/one/{stem}.ipynb", nbgrader_text)
    students = {"stub": release_text, "solved": solved_text}
    if stem == "attention":
        students["partly"] = solved_text
    for student, form in students.items():
        path = write(folder / f"submitted/{student}/one/{stem}.ipynb", form)
        if student == "partly":
            notebook = nbformat.read(path, as_version=4)
            (cell,) = [c for c in notebook.cells if c.id == "attention-softmax"]
            cell.source = PARTLY
            nbformat.write(notebook, path)
    half = write(folder / f"submitted/half/one/{stem}.ipynb", student_text)
    solved = read_notebook(f"exercises/{stem}", solved_text)
    answers = {c.id: c.source for c in solved.cells if c.id in graded(solved, "solution")[::2]}
    half.write_text(taken_along(half.read_text("utf8"), answers), "utf8")
    return folder


def nbgraders_scores(course):
    """Have nbgrader make the assignment and grade it; give each student's score."""
    for command in (["generate_assignment", "one"], ["autograde", "one"], ["export"]):
        done = run("nbgrader", *command, folder=course)
        assert done.returncode == 0, done.stderr
    with (course / "grades.csv").open(encoding="utf8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.mark.slow
def test_nbgrader_takes_the_assignment_and_its_scores_agree_with_ours(course):
    (source,) = course.glob("source/one/*.ipynb")
    theirs = nbgraders_scores(course)
    release = (course / f"release/one/{source.name}").read_text("utf8")
    assert "BEGIN S" not in release
    assert release.count("raise NotImplementedError()") == source.read_text("utf8").count("# END S")
    ours = {
        student: grade_notebook(course / f"submitted/{student}/one/{source.name}", 0)
        for student in theirs
    }
    assert theirs == {student: grade.earned for student, grade in ours.items()}
    assert ours["stub"].earned == 0 < ours["half"].earned < ours["solved"].earned
    assert ours["solved"].earned == ours["solved"].points
    if "partly" in ours:
        assert ours["half"].earned < ours["partly"].earned < ours["solved"].earned

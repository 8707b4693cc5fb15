"""The exercise notebooks, run by the tools that teachers use: nbval and nbgrader."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from transformer_lab.grading.grade import grade_notebook
from transformer_lab.notebooks import read_notebook

pytestmark = pytest.mark.notebook
EXERCISE = "exercises/attention"


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


def write(path, *, solved):
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(read_notebook(EXERCISE, solved=solved), path)
    return path


def cells_by_verdict(path):
    """Run nbval on a notebook; gives the ids of the code cells that pass and of those that fail."""
    report = path.with_suffix(".xml")
    done = run(
        "pytest", "--nbval", path.name, f"--junitxml={report}", "-p", "no:cacheprovider",
        folder=path.parent,
    )  # fmt: skip
    assert report.is_file(), done.stdout + done.stderr
    code = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    verdicts = {True: [], False: []}
    for case in ElementTree.parse(report).iter("testcase"):
        number = int(case.get("name").removeprefix("Cell "))
        verdicts[len(case) == 0].append(code[number].id)
    assert sum(map(len, verdicts.values())) == len(code)
    return verdicts[True], verdicts[False]


def test_every_cell_of_the_solved_notebook_passes_under_nbval(tmp_path):
    path = write(tmp_path / "solved.ipynb", solved=True)
    done = run(
        "nbconvert", "--execute", "--inplace", "--to", "notebook", path.name, folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    passed, failed = cells_by_verdict(path)
    assert not failed
    outputs = [c.outputs for c in nbformat.read(path, as_version=4).cells if c.id in set(passed)]
    assert sum("points" in str(output) for output in outputs) == len(check_ids())


def test_the_stub_notebook_fails_exactly_in_its_check_cells(tmp_path):
    passed, failed = cells_by_verdict(write(tmp_path / "stub.ipynb", solved=False))
    assert failed == check_ids()
    assert len(passed) > 0


def check_ids():
    cells = read_notebook(EXERCISE).cells
    return [c.id for c in cells if c.metadata.get("nbgrader", {}).get("grade")]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Make a course whose students hand in a stub, a solved and a partly right notebook."""
    folder = tmp_path_factory.mktemp("course")
    write(folder / "source/one/attention.ipynb", solved=True)
    for student in ("stub", "solved", "partly"):
        path = write(folder / f"submitted/{student}/one/attention.ipynb", solved=student != "stub")
        if student == "partly":
            notebook = nbformat.read(path, as_version=4)
            cell = next(c for c in notebook.cells if c.id == "attention-softmax")
            cell.source = (
                "def softmax(x):\n    print('working')\n"
                "    return x.exp() / x.exp().sum(dim=-1, keepdim=True)"
            )
            nbformat.write(notebook, path)
    return folder


def test_nbgrader_takes_the_assignment_and_its_scores_agree_with_ours(course):
    made = run("nbgrader", "generate_assignment", "one", folder=course)
    assert made.returncode == 0, made.stderr
    release = (course / "release/one/attention.ipynb").read_text("utf8")
    assert "BEGIN SOLUTION" not in release
    assert "NotImplementedError" in release
    graded = run("nbgrader", "autograde", "one", folder=course)
    assert graded.returncode == 0, graded.stderr
    exported = run("nbgrader", "export", folder=course)
    assert exported.returncode == 0, exported.stderr
    with (course / "grades.csv").open(encoding="utf8") as file:
        theirs = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    ours = {
        student: grade_notebook(course / f"submitted/{student}/one/attention.ipynb", 0).earned
        for student in theirs
    }
    assert theirs == ours
    assert ours["stub"] == 0
    assert ours["solved"] == 23
    assert 0 < ours["partly"] < 23


def test_nbgraders_own_validator_accepts_the_solved_notebook(course):
    done = run("nbgrader", "validate", "source/one/attention.ipynb", folder=course)
    assert done.returncode == 0, done.stderr
    assert "Success" in done.stdout

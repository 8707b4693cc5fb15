"""Any course: found, checked, graded, put on a page, beside this book's and without it."""

import json
import pickle
import shutil
import subprocess
import sys
from importlib import metadata
from types import ModuleType

import pytest

from page.notebook import Lab
from tensorgrader.__main__ import main
from tensorgrader.check import CheckFailed, check
from tensorgrader.course import Course, CourseError, find_course
from tensorgrader.exercise import Exercise
from tests.conftest import ROOT
from transformer_lab._course import COURSE

EXAMPLE = ROOT / "examples/course"
OTHER = Course.load(EXAMPLE)
GRADIENT = """def gradient(x, y, slope, intercept):
    error = {}(slope * x + intercept - y)
    return (2 * error * x).mean(), (2 * error).mean()
"""
CONVOLVE = """def convolve(signal, kernel):
    k = len(kernel)
    return torch.stack([signal[i : i + k] @ kernel for i in range(len(signal) - k + 1)])
"""
DOWNHILL = "the gradient points downhill"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.chdir(EXAMPLE / "line")
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    names = vars(sys.modules["__main__"])
    return lambda code: exec(f"import torch\n{code}", names)


def notebook(folder, stem, answers):
    cells = [
        {
            "cell_type": "code",
            "metadata": {"nbgrader": {"grade_id": name, "solution": True}},
            "source": source,
        }
        for name, source in answers.items()
    ]
    path = folder / f"{stem}.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}}), "utf8")
    return path


def test_a_notebook_finds_the_course_above_it_and_is_answered(run, capsys):
    run(GRADIENT.format(""))
    check("line-gradient")
    assert "✓ gradient: 4 of 4 points (line: 4 of 6)" in capsys.readouterr().out
    run(GRADIENT.format("-"))
    with pytest.raises(CheckFailed, match=DOWNHILL):
        check("line-gradient")


def test_an_installed_course_is_found_by_what_it_asks(tmp_path, monkeypatch, run):
    told = tmp_path / "toys-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[tensorgrader.course]\ntoys = toys_here:COURSE\n")
    (tmp_path / "toys_here.py").write_text(
        f"from pathlib import Path\nfrom tensorgrader.course import Course\n"
        f"COURSE = Course.load(Path({str(EXAMPLE)!r}))\n"
    )
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:  # as where no course is installed
        patch.setattr(metadata, "entry_points", lambda **_: [])
        with pytest.raises(LookupError, match="convolution-convolve"):
            find_course("convolution-convolve", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_course("convolution-convolve", tmp_path) is OTHER
    run(CONVOLVE)
    check("convolution-convolve")


def test_the_command_grades_it_in_the_sandbox(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(EXAMPLE)
    wrong = notebook(tmp_path, "line", {"line-gradient": GRADIENT.format("-")})
    answer = f"from tensorgrader.check import check\ncheck('line-gradient')\n{CONVOLVE}"
    right = notebook(tmp_path, "convolution", {"convolution-convolve": answer})
    assert main(["grade", "--json", str(wrong), str(right)]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["earned"], first["points"]) == (0, 6)
    _, values, untouched = first["results"]
    assert values["mistakes"] == [DOWNHILL]
    assert "expected" in untouched["reason"]
    assert (second["earned"], second["points"]) == (4, 4)


def test_a_page_runs_its_cells_and_shows_its_card():
    page = Lab(OTHER)

    def ask(code):
        asked = {"cell": "line-gradient", "code": code, "check": True, "held": {}}
        return json.loads(page.answer(json.dumps(asked)))

    assert ask(GRADIENT.format(""))["holds"]
    told = ask(GRADIENT.format("-"))
    assert not told["holds"]
    assert "The gradient points downhill" in told["card"]


def test_a_course_beside_another_has_both_and_is_loaded_again_elsewhere():
    both = pickle.loads(pickle.dumps(COURSE.beside(OTHER)))
    assert both.exercises.keys() == COURSE.exercises.keys() | OTHER.exercises.keys()
    assert (both.name, both.version) == (COURSE.name, COURSE.version)
    assert {*OTHER.files} | {*COURSE.files} == {*both.files}
    assert both.stubs("line") == OTHER.stubs("line")
    assert both.solutions("masking") == COURSE.solutions("masking")
    with pytest.raises(CourseError, match="rename"):
        both.beside(OTHER)


def test_a_course_is_loaded_anew_only_if_its_python_has_changed(tmp_path):
    folder = shutil.copytree(EXAMPLE, tmp_path / "mine")
    course = Course.load(folder)
    assert Course.load(folder) is course
    path = folder / "line/gradient.py"
    path.write_text(path.read_text("utf8").replace("points=3", "points=7"), "utf8")
    assert Course.load(folder).exercises["line-gradient"].properties[0].points == 7
    assert course.exercises["line-gradient"].properties[0].points == 3


def test_ready_made_functions_are_given_as_any_set_but_not_as_one_name():
    def reference(x):
        return x

    made = Exercise("toys.line.f", reference, {"x": ""}, "line#f", {"conv1d"})
    assert made.forbidden == frozenset({"conv1d"})
    with pytest.raises(TypeError, match="expected a set"):
        Exercise("toys.line.f", reference, {"x": ""}, "line#f", "conv1d")


def test_the_engine_needs_nothing_of_this_book():
    code = (
        "import sys, tensorgrader.grade\nfrom tensorgrader.check import check\n"
        "check('convolution-convolve', lambda x, kernel: x.unfold(-1, len(kernel), 1) @ kernel)"
        "\nprint(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=EXAMPLE, capture_output=True, text=True, check=True
    )
    ours = {"transformer_lab", "lab_notebooks", "exercises", "page", "book"}
    assert not ours & {*done.stdout.splitlines()[-1].split()}


def test_a_folder_without_a_course_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no course\.py"):
        Course.load(tmp_path)

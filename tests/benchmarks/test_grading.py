"""benchmarks.grading gives every way the same submissions, and counts none that was not graded."""

import json

import nbformat
import pytest

from benchmarks import grading
from tests.course import CHAPTERS, grade_notebook

EXERCISES = CHAPTERS["attention"].exercises
POINTS = sum(prop.points for exercise in EXERCISES for prop in exercise.properties)


def test_a_third_each_is_solved_wrong_and_untouched(tmp_path):
    earned = []
    for student, notebook in grading.submissions(9):
        nbformat.write(notebook, tmp_path / f"{student}.ipynb")
        earned.append(grade_notebook(tmp_path / f"{student}.ipynb", seed=0).earned)
    assert earned[0::3] == [POINTS] * 3
    assert all(0 < points < POINTS for points in earned[1::3])
    assert earned[2::3] == [0] * 3


def test_the_report_divides_by_the_submissions_and_by_ours(monkeypatch):
    for way, seconds in (("ours", 8.0), ("nbval", 12.0), ("nbgrader", 20.0)):
        monkeypatch.setattr(grading, way, lambda folder, students, s=seconds: s)
    ours, nbval, nbgrader = grading.measure(count=2, copies=4).splitlines()[2:5]
    assert ours.endswith("| 8 | 1.000 | 1.0 |")
    assert nbval.endswith("| 2 | 6.000 | 6.0 |")
    assert nbgrader.endswith("| 2 | 10.000 | 10.0 |")


def test_a_tool_that_fails_is_not_measured(tmp_path):
    with pytest.raises(RuntimeError, match="ended with code"):
        grading.run("-m", "json.tool", "nothing.json", folder=tmp_path)


def test_a_mixed_class_is_told_with_what_was_lost(monkeypatch):
    def half(folder, results, settings, pool):
        for path in sorted(folder.iterdir())[::2]:
            json.loads(path.read_text("utf8"))
            yield {"student": path.stem, "seconds": 1.0, "failed": path.stem.startswith("hostile")}

    monkeypatch.setattr(grading, "grade_class", half)
    told = grading.mixed(count=10)
    assert "10 mixed submissions" in told
    assert "5 lost, 1 not graded" in told

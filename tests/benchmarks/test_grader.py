"""benchmarks.grader measures the command as it is installed, and holds it against promises."""

import tomllib
from pathlib import Path

from benchmarks import grader, promises


def test_the_report_is_held_against_its_promises(monkeypatch):
    monkeypatch.setattr(grader, "single", lambda runs: "1.40 (1.30–1.60)")
    monkeypatch.setattr(
        grader.grading, "ours", lambda folder, students, jobs: students * 0.06 * (1.5 / jobs)
    )
    told = promises.held_against({"grader": grader.measure(students=10, runs=2)})
    kept = [line.split(" | ")[2:] for line in told.splitlines()[2:5]]
    assert kept == [["1.4", "yes |"], ["0.045", "yes |"], ["2", "yes |"]]


def test_the_command_is_the_one_that_is_installed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf8"))
    module, _, function = project["project"]["scripts"]["transformer-lab"].partition(":")
    assert f"{module}.{function}()" in grader.grading.COMMAND

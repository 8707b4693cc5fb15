"""Style, formatting and types are kept, and what has to be covered by tests is named rightly."""

import subprocess
import sys
import tomllib

import pytest

from tests.test_structure import MODELS, PACKAGE, ROOT

COMMANDS = ["ruff check", "ruff format --check", "mypy"]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_found(command):
    tool, *arguments = command.split()
    where = [] if tool == "mypy" else ["."]
    done = subprocess.run(
        [sys.executable, "-m", tool, *arguments, *where], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_without_a_suffix_are_looked_at_too():
    scripts = {
        f".ci/{path.name}"
        for path in (ROOT / ".ci").iterdir()
        if path.read_text("utf8").startswith("#!/usr/bin/env python3\n")
    }
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["ruff"]
    assert scripts == set(settings["extend-include"])


def test_make_lint_runs_the_same():
    recipe = (ROOT / "Makefile").read_text("utf8").split("\nlint:")[1].split("\n\n")[0]
    assert [line.strip().removesuffix(" .") for line in recipe.splitlines()[1:]] == COMMANDS


def test_coverage_is_asked_of_the_model_modules_and_of_no_others():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["coverage"]
    omitted = set(settings["run"]["omit"]) - {"transformer_lab/*/*"}
    asked = {f"transformer_lab/{p.name}" for p in PACKAGE.glob("*.py")} - omitted
    assert asked - {"transformer_lab/__init__.py"} == {f"transformer_lab/{p.name}" for p in MODELS}
    assert settings["report"]["fail_under"] == 100

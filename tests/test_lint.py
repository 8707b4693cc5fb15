"""Style, formatting and types are kept, and what has to be covered by tests is named rightly."""

import json
import re
import subprocess
import sys
import tomllib

import pytest

from tests.sweeps import few
from tests.test_structure import MODELS, PACKAGE, ROOT, tracked

COMMANDS = ["ruff check", "ruff format --check", "mypy"]
JAVASCRIPT = ".ci/javascript $(BIN)/python"  # it needs npm, which no test may need


@pytest.mark.parametrize("command", few(COMMANDS, *COMMANDS[:2]))  # types take a minute
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
    assert [line.strip().removesuffix(" .") for line in recipe.splitlines()[1:]] == [
        *COMMANDS,
        JAVASCRIPT,
    ]


def test_all_our_javascript_is_looked_at():
    kinds = {
        "book/_ext/**/*.js",
        "book/_ext/**/*.d.ts",
        "page/**/*.js",
        "page/**/*.d.ts",
        "transformer_lab/**/*.js",
        "transformer_lab/**/*.d.ts",
        "benchmarks/**/*.js",
        "tests/**/*.js",
    }
    biome = json.loads((ROOT / "biome.json").read_text("utf8"))
    assert set(biome["files"]["includes"]) == kinds
    types = json.loads((ROOT / "jsconfig.json").read_text("utf8"))
    assert types["include"] == [
        "book/_ext",
        "page",
        "transformer_lab",
        "benchmarks/*.js",
        "tests/**/*.js",
    ]
    assert types["compilerOptions"]["checkJs"]
    assert {p.relative_to(ROOT).parts[0] for p in tracked("*.js", "*.ts")} == {
        "book",
        "page",
        "transformer_lab",
        "benchmarks",
        "tests",
    }


def test_what_looks_at_it_is_pinned_and_names_no_registry():
    wanted = json.loads((ROOT / ".ci/package.json").read_text("utf8"))["devDependencies"]
    assert set(wanted) == {"@biomejs/biome", "typescript"}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert "://" not in (ROOT / ".ci/package.json").read_text("utf8")


def test_coverage_is_asked_of_the_model_modules_and_of_no_others():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["coverage"]
    omitted = set(settings["run"]["omit"]) - {"transformer_lab/*/*"}
    asked = {f"transformer_lab/{p.name}" for p in PACKAGE.glob("*.py")} - omitted
    assert asked - {"transformer_lab/__init__.py"} == {f"transformer_lab/{p.name}" for p in MODELS}
    assert settings["report"]["fail_under"] == 100

"""What the front pages tell a user to do works: commands, options, links, code, forms."""

import re
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from lab_notebooks.cli import _parser

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
BOOK = [f"book/{path.name}" for path in sorted((ROOT / "book").glob("*.md"))]
COMMANDS = next(a.choices for a in _parser()._actions if isinstance(a.choices, dict))


@cache
def target_exists(name):
    return not subprocess.run(["make", "--dry-run", name], cwd=ROOT, capture_output=True).returncode


@pytest.mark.parametrize("page", [*PAGES, *BOOK])
def test_the_commands_and_their_options_exist(page):
    text = (ROOT / page).read_text("utf8")
    for target in re.findall(r"\bmake ([a-z-]+)\b(?=`|\s+#)", text):
        assert target_exists(target), target
    for command, rest in re.findall(r"transformer-lab ([a-z]+)((?:\\\n|[^`\n])*)", text):
        known = COMMANDS[command].format_help()
        for option in re.findall(r"(?<=\s)--[a-z-]+", rest):
            assert re.search(rf"{option}\b", known), f"{command} {option}"


@pytest.mark.parametrize("page", BOOK)
def test_the_tests_that_are_named_exist(page):
    for name in re.findall(r"`(tests/[\w/.]+)`", (ROOT / page).read_text("utf8")):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_are_linked_exist(page):
    text = (ROOT / page).read_text("utf8")
    for link in re.findall(r'\]\(([^)#]+)|(?:src|srcset)="([^"]+)"', text):
        target = "".join(link)
        assert target.startswith("https://") or (ROOT / target).is_file(), target


def test_the_python_of_the_readme_runs():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_citation_changes_and_wheels_have_the_packages_version():
    number = version("transformer-lab-book")
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf8"))["version"] == number
    assert f"\n## [{number}] - 20" in (ROOT / "CHANGELOG.md").read_text("utf8")
    pages = "".join((ROOT / page).read_text("utf8") for page in BOOK)
    assert set(re.findall(r"transformer_lab_book-([^-]+)-py3", pages)) == {number}

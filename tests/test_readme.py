"""What the front pages promise is there: commands, files, pictures, and little to read."""

import os
import re
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from PIL import Image

from lab_notebooks import addresses
from lab_notebooks.cli import _parser
from tests.book.test_spelling import AMERICAN, prose

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
BOOK = sorted((ROOT / "book").glob("*.md"))
README = (ROOT / "README.md").read_text("utf8")
FORMS = {
    path.stem: yaml.safe_load(path.read_text("utf8"))
    for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
}


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_exist(page):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf8"), re.MULTILINE)
    told = _parser().format_help()
    text = (ROOT / page).read_text("utf8")
    for command in re.findall(r"\bmake ([a-z-]+)\b(?=`|\s+#)", text):
        assert command in targets, f"{page}: make {command}"
    for command in re.findall(r"transformer-lab ([a-z]+)", text):
        assert re.search(rf"^    {command}\b", told, re.MULTILINE), f"{page}: {command}"


COMMANDS = next(a.choices for a in _parser()._actions if isinstance(a.choices, dict))


@pytest.mark.parametrize("page", [*PAGES, *(f"book/{path.name}" for path in BOOK)])
def test_the_options_of_commands_exist(page):
    text = (ROOT / page).read_text("utf8")
    for command, rest in re.findall(r"transformer-lab ([a-z]+)((?:\\\n|[^`\n])*)", text):
        known = COMMANDS[command].format_help()
        for option in re.findall(r"(?<=\s)--[a-z-]+", rest):
            assert re.search(rf"{option}\b", known), f"{page}: {command} {option}"


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_are_linked_exist(page):
    text = (ROOT / page).read_text("utf8")
    for link in re.findall(r'\]\(([^)#]+)|(?:src|srcset)="([^"]+)"', text):
        target = "".join(link)
        assert target.startswith("https://") or (ROOT / target).is_file(), target


@pytest.mark.parametrize("page", PAGES)
def test_the_prose_is_british(page):
    assert AMERICAN.findall(prose((ROOT / page).read_text("utf8"))) == []


def test_the_python_runs():
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_the_start_is_quick():
    start = README.partition("## Quick start")[2].partition("\n## ")[0]
    assert len(re.findall(r"^make \w+", start, re.MULTILINE)) == 2


def test_a_newcomer_finds_the_site_the_releases_and_what_to_clone():
    address = addresses.repository()
    assert f"({addresses.site(address)})" in README
    assert f"({address}/releases)" in README
    _, name = address.rsplit("/", 1)
    assert f"git clone {address}\ncd {name}\nmake book" in README


def test_contributing_is_short():
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf8").splitlines()) <= 100


@pytest.mark.parametrize("name", ["exercise", "exercise-dark"])
def test_the_picture_moves_and_is_light(name):
    path = ROOT / f".github/{name}.webp"
    assert path.stat().st_size < 150_000
    with Image.open(path) as picture:
        assert picture.n_frames >= 10
        assert f'width="{picture.width}"' in README
    (alt,) = re.findall(r'alt="([^"]+)"', README)
    assert len(alt) > 100


def test_citation_changes_and_wheels_tell_the_packages_version():
    number = version("transformer-lab-book")
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf8"))["version"] == number
    assert f"\n## [{number}] - 20" in (ROOT / "CHANGELOG.md").read_text("utf8")
    pages = "".join(page.read_text("utf8") for page in (ROOT / "book").glob("*.md"))
    assert set(re.findall(r"transformer_lab_book-([^-]+)-py3", pages)) == {number}


def test_a_page_fills_in_its_form():
    link = urlsplit(addresses.report("book/attention", "0.1.0", addresses.repository()))
    given = parse_qs(link.query)
    assert given.pop("template") == ["page.yml"]
    fields = {part["id"]: part["type"] for part in FORMS["page"]["body"]}
    assert {"page", "version"} <= given.keys() <= fields.keys() | {"title"}
    assert fields["what"] == "textarea"


@pytest.mark.parametrize("name", sorted(FORMS.keys() - {"config"}))
def test_a_form_has_what_github_asks_of_it(name):
    form = FORMS[name]
    assert {"name", "description", "body"} <= form.keys()
    assert any(part.get("validations", {}).get("required") for part in form["body"])
    assert len({part["id"] for part in form["body"]}) == len(form["body"])
    for part in form["body"]:
        assert part["type"] in {"input", "textarea", "dropdown"}
        assert part["attributes"]["label"]
        assert ("options" in part["attributes"]) is (part["type"] == "dropdown")


@pytest.mark.parametrize("name", ["grader", "package"])
def test_a_form_asks_for_what_the_command_tells(name):
    fields = {part["id"]: part["attributes"] for part in FORMS[name]["body"]}
    assert "`transformer-lab --version`" in fields["versions"]["description"]
    ours = re.escape(version("transformer-lab-book"))
    told = rf"transformer-lab {ours}, PyTorch [\d.]+, Python [\d.]+, (with a|no) sandbox"
    assert re.search(told, fields["versions"]["placeholder"])


def test_what_is_asked_before_a_commit_is_there():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf8"))
    (local,) = config["repos"]
    assert local["repo"] == "local"  # no second list of versions
    for hook in local["hooks"]:
        words = hook["entry"].split()
        if words[0] == ".venv/bin/python":
            assert words[1] == "-m"
            assert words[2] in {"mypy", "pytest", "ruff"}
        else:
            assert os.access(ROOT / words[0], os.X_OK)
        assert all((ROOT / word).is_file() for word in words if word.startswith("tests/"))

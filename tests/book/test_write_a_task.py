"""The pages for authors are literally true: every command, file and example in them is run."""

import doctest
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import torch

import tensorgrader
from lab_notebooks import cli
from tensorgrader.__main__ import main
from tests.book.chapters import BOOK

GUIDE, REFERENCE = ((BOOK / f"{name}.md").read_text("utf8") for name in ("write_a_task", "engine"))
BLOCK = re.compile(r"^(?P<fence>`{3,4})(?P<kind>\w+)\n(?P<text>.*?)^(?P=fence)$", re.S | re.M)
FILE = re.compile(r"`(mine/[\w/]+\.\w+)`")
MODULES = {name: import_module(f"tensorgrader.{name}") for name in tensorgrader.__all__}


@pytest.fixture(autouse=True)
def _somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def typed(line):
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "tensorgrader"] or words[0] == "transformer-lab"
    return cli.main(words[1:]) if words[0] == "transformer-lab" else main(words[3:])


def test_the_guide_does_what_it_shows(tmp_path, capsys):
    printed = ""
    kinds = []
    for block in BLOCK.finditer(GUIDE):
        kind, text = block["kind"], block["text"]
        kinds.append(kind)
        if kind == "sh":
            typed(text.strip())
            printed = capsys.readouterr().out
        elif kind == "text":
            shown = (re.escape(part.strip("\n")) for part in text.split("  …\n"))
            assert re.search("(?s)" + ".*".join(shown), printed), printed
        else:
            path = tmp_path / FILE.findall(GUIDE[: block.start()])[-1]
            before = path.read_text("utf8") if path.exists() else ""
            if kind == "diff":
                old, new = (re.findall(rf"^\{sign}(.*)$", text, re.M) for sign in "-+")
                assert before.count("\n".join(old)) == 1
                text = before.replace("\n".join(old), "\n".join(new))
            path.write_text(before + text if kind == "md" else text, "utf8")
    assert {*kinds} == {"sh", "text", "md", "python", "diff"}


@pytest.fixture
def mine(monkeypatch, capsys):
    assert main(["new", "mine"]) == 0
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    return MODULES["course"].Course.load(Path("mine"))


def failures(test):
    """Run the examples of a doctest; return what its failures say."""
    said = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    return "".join(said)


@pytest.mark.usefixtures("mine")
def test_the_examples_of_the_reference_give_what_they_show():
    code = "\n".join(
        block["text"] for block in BLOCK.finditer(REFERENCE) if block["kind"] == "pycon"
    )
    examples = doctest.DocTestParser().get_doctest(code, {}, "engine.md", None, 0)
    assert not failures(examples)
    assert len(examples.examples) > 25


def test_the_reference_tells_all_that_is_public():
    assert re.findall(r"^## tensorgrader\.(\w+)", REFERENCE, re.M) == [
        "exercise", "course", "check", "grade", "author",
    ]  # fmt: skip
    for name, module in MODULES.items():
        section = REFERENCE.partition(f"## tensorgrader.{name}:")[2].partition("\n## ")[0]
        for public in module.__all__:
            assert re.search(rf"`[^`]*\b{public}\b", section), f"{name}.{public}"


NAMES = {n: getattr(module, n) for module in MODULES.values() for n in module.__all__}


@pytest.mark.parametrize("public", NAMES)
def test_the_docstring_of_what_is_public_has_an_example_that_is_true(mine, public, capsys):
    if public == "grade_notebook":
        main(["release", "handout", "--course", "mine"])
    capsys.readouterr()
    (task,) = mine.exercises.values()
    names = NAMES | {"course": mine, "task": task, "Path": Path, "torch": torch}
    doc = NAMES[public].__doc__
    test = doctest.DocTestParser().get_doctest(doc, names, public, None, 0)
    assert test.examples
    assert not failures(test)

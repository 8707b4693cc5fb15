"""Pages are executed again when what they can import has changed, and only then."""

import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from book._ext import execution

HEAD = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---

# Page

"""
CONFIG = """
ours = "book._ext."
extensions = ["myst_nb", ours + "jobs", ours + "execution"]
nb_execution_mode = "cache"
"""


def test_only_the_cache_of_this_package_is_kept_and_files_are_left_alone(tmp_path, monkeypatch):
    for name in execution.ENVIRONMENT:
        monkeypatch.setenv(name, "")  # set below; as it was again afterwards
    app, config = SimpleNamespace(outdir=tmp_path / "html"), SimpleNamespace()
    cache = tmp_path / "cache"
    (cache / "an older state" / "cards").mkdir(parents=True)
    (cache / ".DS_Store").touch()
    present = cache / execution.baked_hash()
    kept = {present, cache / "notebooks", cache / "page", cache / "words"}
    for folder in kept:
        folder.mkdir()
    execution._configure(app, config)
    assert {*cache.iterdir()} == {*kept, cache / ".DS_Store"}
    assert config.nb_execution_cache_path == str(cache / "notebooks")
    assert config.transformer_lab_baked == str(present)


def test_a_page_is_forgotten_if_what_it_used_has_changed_or_is_not_known():
    now = execution.file_hashes(["transformer_lab/attention.py"])
    other = {"transformer_lab/attention.py": "0"}
    records = {"same": now, "changed": other, "gone": {"x.py": "0"}, "unknown": None}
    kept = [SimpleNamespace(pk=name, data={"used": used}) for name, used in records.items()]
    removed = []
    cache = SimpleNamespace(list_cache_records=lambda: kept, remove_cache=removed.append)
    execution.forget_changed(cache)
    assert removed == ["changed", "gone", "unknown"]


@pytest.fixture
def book(tmp_path):
    """Build a book of pages beside a copy of the package: name of the page → its only cell."""
    log = tmp_path / "log"
    for folder in execution.FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(execution.ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "book").mkdir(exist_ok=True)
    (tmp_path / "book/conf.py").write_text(CONFIG, "utf8")

    def build(pages):
        for name, code in pages.items():
            noted = f"print({name!r}, file=open({str(log)!r}, 'a'))\n"
            cell = f"{HEAD}```{{code-cell}} ipython3\n{noted}{code}\n```\n"
            (tmp_path / f"book/{name}.md").write_text(cell, "utf8")
        log.write_text("", "utf8")
        command = [sys.executable, "-m", "sphinx", "-q", "book", "_build/html"]
        env = os.environ | {"PYTHONPATH": str(tmp_path)}
        told = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
        return sorted(log.read_text("utf8").split()), told

    return tmp_path, build


@pytest.mark.slow  # five books are built
def test_only_pages_that_use_what_changed_are_run_again(book):
    root, build = book
    pages = {
        "index": "import torch, transformer_lab.norm\nassert torch.get_num_threads() == 1",
        "masks": "from transformer_lab.widgets import MaskPlayground",
    }
    run, told = build(pages)
    assert run == ["index", "masks"]
    assert told.stdout.startswith("2 jobs, ")
    assert re.search(r"2 of 2\b.*\bdone\n", told.stdout)
    assert told.stderr.count("\n") == 1, told.stderr  # that a page is in no list of contents
    for changed, again in {
        "tensorgrader/judge.py": [],
        "transformer_lab/widgets/mask_playground.py": ["masks"],
        "transformer_lab/norm.py": ["index", "masks"],
    }.items():
        with (root / changed).open("a", encoding="utf8") as file:
            file.write("# changed\n")
        assert build(pages)[0] == again, changed
    assert build(pages | {"index": "pass"})[0] == ["index"]


@pytest.mark.slow  # two books are built
def test_a_page_that_fails_is_told_with_its_cell_and_run_again_the_next_time(book):
    _, build = book
    told = build({"index": "1 / 0"})[1]
    assert "index failed after" in told.stdout
    assert "division by zero" in told.stdout
    assert "Executing notebook failed" in told.stderr
    assert build({"index": "1 / 1"})[0] == ["index"]

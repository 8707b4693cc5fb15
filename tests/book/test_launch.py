"""On each page of the built book: the bar with the links to its notebook."""

import json
import re
from html import unescape

import nbformat
import pytest

from lab_notebooks.addresses import binder, colab, repository
from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import sources
from tests.chromium import SITE
from tests.parsed import PAGES


def links(page):
    """Return the bar's links: from accessible name to address."""
    source = (SITE / f"{page}.html").read_text("utf8")
    (nav,) = re.findall(r'</h1><nav class="tl-launch".*?</nav>', source)
    return {name: unescape(to) for to, name in re.findall(r'href="(.*?)" aria-label="(.*?)"', nav)}


def test_the_site_brings_no_source_with_its_solutions():
    assert not (SITE / "_sources").exists()


@pytest.mark.parametrize("page", PAGES)
def test_every_notebook_is_offered_on_its_page_and_on_no_other(page):
    if page not in sources():
        assert "tl-launch" not in (SITE / f"{page}.html").read_text("utf8")
        return
    assert links(page) == {
        "Open in Binder": binder(page, repository()),
        "Open in Colab": colab(page, repository()),
        "Download the notebook": f"../notebooks/{page}.ipynb",
    }


@pytest.mark.parametrize("name", sources())
def test_the_download_is_the_notebook_that_start_writes(name):
    path = SITE / f"notebooks/{name}.ipynb"
    assert nbformat.read(path, as_version=4) == read_notebook(name)
    script = path.with_name(f"{path.name}.js").read_text("utf8")
    text = re.fullmatch(r"tensorgraderNotebook\((.*)\);\n", script)[1]
    assert json.loads(text) == path.read_text("utf8")


def test_no_solution_is_published():
    for path in SITE.rglob("*"):
        is_guide = path.stem == "write_a_task"  # says how a solution is marked
        if path.suffix in {".html", ".ipynb", ".md", ".txt", ".js"} and not is_guide:
            assert "BEGIN SOLUTION" not in path.read_text("utf8"), path

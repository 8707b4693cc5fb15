"""On each page of the built book: the bar with the links to its notebook."""

import json
import re
from html import unescape

import nbformat
import pytest

from tests.chromium import SITE
from transformer_lab.publish.addresses import binder, colab, repository
from transformer_lab.publish.notebooks import read_notebook
from transformer_lab.publish.sources import sources
from transformer_lab.publish.sphinxext.launch import bar

PAGES = sorted(
    page.relative_to(SITE).with_suffix("").as_posix()
    for room in ("book", "exercises")
    for page in (SITE / room).glob("*.html")
)


def links(page):
    """Return the bar's links: from accessible name to address."""
    source = (SITE / f"{page}.html").read_text("utf8")
    (nav,) = re.findall(r'</h1><nav class="tl-launch".*?</nav>', source)
    return {name: unescape(to) for to, name in re.findall(r'href="(.*?)" aria-label="(.*?)"', nav)}


def test_the_book_was_built():
    assert {*sources(), "book/index"} <= set(PAGES), "no built book: run make html"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_offers_a_notebook(page):
    of = page if page in sources() else "book/attention"
    assert links(page) == {
        "Open in Binder": binder(of, repository()),
        "Open in Colab": colab(of, repository()),
        "Download the notebook": f"../notebooks/{of}.ipynb",
    }


@pytest.mark.parametrize("name", sources())
def test_the_download_is_the_notebook_that_start_writes(name):
    path = SITE / f"notebooks/{name}.ipynb"
    assert nbformat.read(path, as_version=4) == read_notebook(name)
    script = path.with_name(f"{path.name}.js").read_text("utf8")
    text = re.fullmatch(r"transformerLabNotebook\((.*)\);\n", script)[1]
    assert json.loads(text) == path.read_text("utf8")


def test_no_solution_is_published():
    for path in SITE.rglob("*"):
        if path.suffix in {".html", ".ipynb", ".md", ".txt", ".js"}:
            assert "BEGIN SOLUTION" not in path.read_text("utf8"), path


def test_a_title_cannot_break_the_bar():
    shown = bar("a", "<b>&", own=False, file="x.ipynb", address="https://github.com/o/n")
    assert "&lt;b&gt;&amp; as a notebook:" in shown

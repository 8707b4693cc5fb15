"""A notebook that nbconvert has made into one HTML file: its widgets need nothing beside it."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.browser.test_every_widget import is_torchs, movable, moves
from tests.widget_pages import KINDS

INLINE = {"TRANSFORMER_LAB_STATIC": "inline", "OMP_NUM_THREADS": "1"}  # one thread, as the tests
# What the exporter's own template would fetch.
ADDRESSES = ("require_js_url", "mathjax_url", "mermaid_js_url", "jquery_url")


#: One whose frames are all within, one that the page computes. The frames of the others take
#: minutes: they have their own file, in `make test-full`.
QUICK = ("mask_playground", "attention_stepper")


def converted(folder, stems):
    """Run a notebook with these widgets, and make a file of it."""
    cells = [new_code_cell("from transformer_lab.widgets import *")]
    cells += [new_code_cell(f"{KINDS[stem].__name__}()") for stem in stems]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), folder / "widgets.ipynb")
    emptied = [f"--HTMLExporter.{name}=" for name in ADDRESSES]
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", *emptied, "widgets.ipynb"],
        cwd=folder, env=os.environ | INLINE, check=True,
        capture_output=True,
    )  # fmt: skip
    return folder / "widgets.html"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """One file with a widget of each kind, the first of them twice."""
    return converted(tmp_path_factory.mktemp("nbconvert"), [*QUICK, QUICK[0]])


@pytest.mark.slow  # the widgets are those of the page
@pytest.mark.parametrize("stem", QUICK)
def test_every_control_works_from_the_one_file(open_page, file, stem):
    every_control_works(open_page, file, stem)


def every_control_works(open_page, file, stem):
    """Move each control of a widget, and see that the file shows torch's numbers."""
    page = open_page(file.as_uri())
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    widget = page.locator(f"#{stem}")
    widget.scroll_into_view_if_needed()
    widget.locator(".tl-numbers").wait_for()
    for name in movable(stem):
        for move in moves(widget, name)[:2]:
            move()
            is_torchs(widget, stem)
    assert not [url for url in asked if not url.startswith("data:")]
    page.emulate_media(media="print")
    widget.get_by_role("img", name=KINDS[stem].alt).wait_for()

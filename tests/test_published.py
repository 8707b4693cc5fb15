"""The notebooks that are put online with their results: a widget is a picture, no cell fails."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

SCRIPT = Path(__file__).parents[1] / ".ci/run-notebooks"
STILL = {"image/png": "iVBORw0KGgo=", "application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


def published(folder, *sources):
    for number, source in enumerate(sources):
        nbformat.write(new_notebook(cells=[new_code_cell(source)]), folder / f"{number}.ipynb")
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)


@pytest.mark.notebook
def test_a_widget_leaves_its_still_picture(tmp_path):
    source = f"from IPython.display import display\ndisplay({STILL}, raw=True)\n2 + 3"
    done = published(tmp_path, source)
    assert done.returncode == 0, done.stderr
    picture, number = nbformat.read(tmp_path / "0.ipynb", as_version=4).cells[0].outputs
    assert list(picture["data"]) == ["image/png"]
    assert number["data"]["text/plain"] == "5"


@pytest.mark.notebook
@pytest.mark.parametrize("sources", [(), ("1 / 0",)])
def test_nothing_and_what_fails_are_not_published(tmp_path, sources):
    assert published(tmp_path, *sources).returncode != 0

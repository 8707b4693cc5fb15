"""JupyterLab in Chromium: one server, and pages that complain of whatever goes wrong in them."""

import pytest

from tests.chromium import opener
from tests.jupyterlab.notebook import Kernel, Notebook, written
from tests.jupyterlab.server import jupyterlab
from tests.widget_pages import KINDS

JUPYTERLABS_OWN = (
    # Its debugger asks a kernel for its state at the moment when the kernel is restarted.
    "Could not restore the debugger state: "
    "Canceled future for debug_request message before replies were done",
    # It may show a widget before it has read the state that was saved (jupyterlab#15361).
    "Error: widget model not found",
)


def pytest_itemcollected(item):
    item.add_marker(pytest.mark.browser)
    item.add_marker(pytest.mark.notebook)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab on a folder that `transformer-lab start` has made; nobody may ask outside."""
    with jupyterlab(tmp_path_factory.mktemp("learner")) as running:
        yield running
    assert not running.outside.exists(), running.outside.read_text()


@pytest.fixture(scope="session")
def troubles():
    """What went wrong in the pages since somebody last looked."""
    return []


@pytest.fixture(autouse=True)
def _no_trouble(troubles):
    yield
    found, troubles[:] = [text for text in troubles if not text.startswith(JUPYTERLABS_OWN)], []
    assert not found


@pytest.fixture(scope="session")
def open_page(chromium, troubles):
    """Give a function that opens a page which reaches nothing but this machine."""
    with opener(chromium, troubles) as open_:
        yield open_


@pytest.fixture(scope="session")
def open_notebook(lab, open_page):
    """Give a function that opens a notebook on a page of its own; its kernel comes with it."""
    kernels = []

    def open_(path):
        notebook = Notebook(open_page("about:blank"), lab, path)
        notebook.kernel = Kernel(lab, path)
        kernels.append(notebook.kernel)
        return notebook

    yield open_
    for kernel in kernels:
        kernel.close()


#: One that trains here, on a page of the book: no class of `transformer_lab.widgets` is like it.
TRAINS = """
from transformer_lab.widgets.train_here import TrainHere
train = TrainHere("size=24x2,steps=60")
train"""


@pytest.fixture(scope="session")
def notebook(lab, open_notebook):
    """A notebook with every widget in a cell of its own; the cell before them is run."""
    cells = ["import ipywidgets\nfrom transformer_lab.widgets import *"]
    for stem, kind in KINDS.items():
        cells.append(f"{stem} = {kind.__name__}()\nipywidgets.VBox([{stem}])")
    notebook = open_notebook(written(lab, "widgets.ipynb", [*cells, TRAINS]))
    notebook.run("import ipywidgets")
    return notebook

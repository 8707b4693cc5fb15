"""JupyterLab in Chromium: one server, and pages that complain of whatever goes wrong in them."""

import pytest

from tests.browser.conftest import SCREENS, chromium  # noqa: F401
from tests.jupyterlab.notebook import Kernel, Notebook
from tests.jupyterlab.server import jupyterlab


def pytest_collection_modifyitems(items):
    """Everything in this folder drives the browser and starts kernels."""
    for item in items:
        if "tests/jupyterlab" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.notebook)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab on a folder that `transformer-lab start` has made; nobody may ask outside."""
    with jupyterlab(tmp_path_factory.mktemp("learner")) as running:
        yield running
    assert not running.outside.exists(), running.outside.read_text()


@pytest.fixture(scope="module")
def troubles():
    """What went wrong in the pages of this module since somebody last looked."""
    return []


@pytest.fixture(autouse=True)
def _no_trouble(troubles):
    """Every test ends without a complaint of the browser's."""
    yield
    found, troubles[:] = list(troubles), []
    assert not found


@pytest.fixture(scope="module")
def open_page(chromium, troubles):  # noqa: F811
    """Give a function that opens a page which reaches nothing but this machine."""
    contexts = []

    def gate(route):
        address = route.request.url
        if address.startswith(("http://127.0.0.1:", "data:", "blob:")):
            route.continue_()
        else:
            troubles.append(f"tried to reach {address}")
            route.abort()

    def open_(address):
        context = chromium.new_context(**SCREENS["desktop"])
        contexts.append(context)
        context.route("**/*", gate)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("response", lambda r: r.status >= 400 and troubles.append(f"{r.status}: {r.url}"))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
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

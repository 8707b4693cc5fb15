"""The built book in Chromium, served and as files."""

import threading
from pathlib import Path

import pytest

from tests.chromium import SITE, opener
from transformer_lab.serve import server


def pytest_collection_modifyitems(items):
    """Everything in this folder drives the browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def served():
    """Serve the built book; give its address."""
    http = server(SITE, 0)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    http.server_close()


@pytest.fixture(params=["http", "file"])
def site(request):
    """The book's address: from a server, and straight from its folder."""
    return request.getfixturevalue("served") if request.param == "http" else SITE.as_uri()


@pytest.fixture
def open_page(chromium):
    """Give a function that opens a page; afterwards, complain of whatever went wrong in it."""
    troubles = []
    with opener(chromium, troubles) as open_:
        yield open_
    assert not troubles

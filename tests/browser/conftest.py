"""The built book in Chromium, served and as files; and widgets on pages of their own."""

import functools
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from book._ext.serve import server
from tests.chromium import SITE, opener
from tests.sweeps import few
from tests.widget_pages import KINDS, build


def pytest_collection_modifyitems(items):
    """Everything in this folder drives the browser."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.browser)


@contextmanager
def _served(folder):
    http = server(folder, 0)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    http.server_close()


@pytest.fixture(scope="session")
def served():
    """Serve the built book; give its address."""
    with _served(SITE) as address:
        yield address


@pytest.fixture(params=few(["http", "file"], "http"))
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


@pytest.fixture(scope="session")
def widget_folders(tmp_path_factory):
    """Give a function that builds pages of widgets, their address, and their place on disk."""
    folder = tmp_path_factory.mktemp("widgets")
    (folder / "index.html").write_text("<h1>Widgets</h1>")
    with _served(folder) as address:
        yield functools.partial(build, folder), address, folder


@pytest.fixture
def widget_page(open_page, widget_folders):
    """Give a function that opens a page with one widget and gives the widget, drawn.

    `name` and `code` are for a page of one's own; `home` is http or file; `theme` light or dark.
    """
    built, address, folder = widget_folders

    def open_(stem, name="", code="", *, home="http", theme="", fragment="", **options):
        page_name = f"{stem}-{name}" if name else stem
        if not (folder / f"{page_name}.html").exists():
            built({page_name: [code or f"{KINDS[stem].__name__}()"]})
        root = address if home == "http" else folder.as_uri()
        page = open_page(f"{root}/{page_name}{theme and '-'}{theme}.html{fragment}", **options)
        widget = page.locator(f"[data-widget={stem}]")
        if options.get("java_script_enabled", True):
            widget.locator(".tl-numbers").wait_for()
        return widget

    return open_

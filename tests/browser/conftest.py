"""A Chromium that reaches nothing but this machine, and the built book, served and as files."""

import os
import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from transformer_lab.serve import server

ROOT = Path(__file__).parents[2]
SITE = ROOT / "_build/html"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True},
}


def pytest_collection_modifyitems(items):
    """Everything in this folder drives the browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests. None on the machine is a failure, not a skip."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


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
    contexts, troubles = [], []

    def gate(route):
        address = route.request.url
        if address.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            route.continue_()
        else:
            troubles.append(f"tried to reach {address}")
            route.abort()

    def open_(address, **options):
        context = chromium.new_context(**(SCREENS["desktop"] | options))
        contexts.append(context)
        context.route("**/*", gate)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and troubles.append(m.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("requestfailed", lambda r: troubles.append(f"failed: {r.url}"))
        page.on("response", lambda r: r.status >= 400 and troubles.append(f"{r.status}: {r.url}"))
        page.goto(address)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not troubles

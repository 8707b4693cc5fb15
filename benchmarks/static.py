"""The built book: how fast its slider paints."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.slider import explorer, route
from book._ext.serve import server

PAGE = "/book/attention.html"


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the built book on this machine; yield its address."""
    http = server(site, 0)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()


def measure(page: Page, site: Path, moves: int) -> list[float]:
    """Time the slider on the static page."""
    with served(site) as address:
        page.goto(address + PAGE)
        widget = page.locator(".tl-attention-explorer").first
        widget.scroll_into_view_if_needed()
        widget.locator(".tl-map").wait_for()
        slider = explorer(widget)
        return [slider.move(index) for index in route(moves)]

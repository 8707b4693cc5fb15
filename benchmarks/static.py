"""The built book: how quickly its slider paints, and what its page weighs."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page

from benchmarks.slider import explorer, route
from transformer_lab.serve import server

PAGE = "/book/attention.html"
OURS = "_static/transformer_lab/"


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the built book on this machine; gives its address."""
    http = server(site, 0)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()


def measure(page: Page, site: Path, moves: int) -> tuple[list[float], dict[str, dict[str, bytes]]]:
    """Time the slider on the static page; also read the files that the page loads, by kind."""
    paths = set()
    with served(site) as address:
        page.on("request", lambda r: r.url.startswith(address) and paths.add(urlsplit(r.url).path))
        page.goto(address + PAGE)
        slider = explorer(_drawn(page))
        times = [slider.move(index) for index in route(moves)]
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_load_state("networkidle")
    kinds = {name: {} for name in ("the page", "widget data", "our runtime", "theme and fonts")}
    for path in sorted(path.lstrip("/") for path in paths):
        kinds[_kind(path)][path] = (site / path).read_bytes()
    return times, kinds


def _drawn(page: Page) -> Locator:
    widget = page.locator(".tl-attention-explorer").first
    widget.scroll_into_view_if_needed()
    widget.locator(".tl-map").wait_for()
    return widget


def _kind(path: str) -> str:
    if path.endswith(".html"):
        return "the page"
    if path.endswith(".data.js"):
        return "widget data"
    is_runtime = path.startswith(OURS) and path.endswith((".js", ".css"))
    return "our runtime" if is_runtime else "theme and fonts"


def weights(files: dict[str, bytes]) -> tuple[int, int]:
    """Give the bytes of files, and of the same files compressed one by one with gzip."""
    packed = [gzip.compress(content, mtime=0) for content in files.values()]
    return sum(map(len, files.values())), sum(map(len, packed))

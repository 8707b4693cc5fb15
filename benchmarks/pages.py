"""What every page of the built book weighs: before its widgets' data, and that data."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from benchmarks.browser import chromium
from benchmarks.report import table
from benchmarks.static import served
from tests.chromium import SCREENS

OURS = "_static/transformer_lab/"
DATA = "widget data"
KINDS = ("the page", "our runtime", "theme, fonts, pictures", DATA)
WHAT = """\
KB of the files that a browser asks for while the page is read from its beginning to its end and
every widget on it is drawn, each file compressed by itself with gzip, as hosts do. A widget's data
are fetched when the widget comes near. Of a visit to a second page, only the page itself, its
pictures and its data are new: the rest is in the browser's cache."""


def measure(site: Path) -> str:
    """Weigh every page; give the report."""
    names = sorted(path.relative_to(site).as_posix() for path in site.glob("[!_]*/*.html"))
    with chromium() as browser, served(site) as address:
        rows = [[name, *weights(site, files(browser, address, name))] for name in names]
    header = ["KB gzip", *KINDS[:-1], "before data", DATA]
    return f"{table(header, rows)}\n\n{WHAT}"


def files(browser: Browser, address: str, name: str) -> set[str]:
    """Read a page to its end, as its first visitor; give the paths of the files that it loads."""
    seen = set()
    page = browser.new_page(**SCREENS["desktop"])
    page.on("request", lambda r: r.url.startswith(address) and seen.add(urlsplit(r.url).path))
    page.goto(f"{address}/{name}")
    for widget in page.locator("[data-widget]").all():
        widget.scroll_into_view_if_needed()
        widget.locator(".tl-numbers").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    page.close()
    return {path.lstrip("/") for path in seen}


def weights(site: Path, paths: Iterable[str]) -> list[str]:
    """Give a row: the KB of each kind, and of all but the data."""
    sizes = dict.fromkeys(KINDS, 0)
    for path in paths:
        sizes[kind(path)] += packed(site / path)
    *shell, data = sizes.values()
    return [f"{size / 1000:.0f}" for size in (*shell, sum(shell), data)]


def kind(path: str) -> str:
    """Tell what a file belongs to."""
    if path.endswith(".html"):
        return "the page"
    if path.endswith(".data.js"):
        return DATA
    is_runtime = path.startswith(OURS) and path.endswith((".js", ".css"))
    return "our runtime" if is_runtime else "theme, fonts, pictures"


def packed(path: Path) -> int:
    """Give the bytes of a file after gzip."""
    return len(gzip.compress(path.read_bytes(), mtime=0))

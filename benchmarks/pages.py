"""The weight of every page of the built book, without and with its widgets' data, and the length of
each chapter.
"""

import gzip
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from benchmarks.browser import chromium
from benchmarks.report import table
from benchmarks.static import served
from tests.book.chapters import CHAPTERS, Chapter
from tests.chromium import SCREENS

OURS = "_static/transformer_lab/"
DATA = "widget data"
KINDS = ("the page", "our runtime", "theme, fonts, pictures", DATA)
WHAT = """\
KB of the files that a browser asks for while the page is read from its beginning to its end and
every widget in sight is drawn, each file compressed by itself with gzip, as hosts do. A widget's
data are fetched when the widget comes near. Of a visit to a second page, only the page itself, its
pictures and its data are new: the rest is in the browser's cache."""
PACE = 200  # words a minute of a learner
LENGTH = f"""\
Words of each chapter's prose: those that stand open, and all, with the answers and deep dives that
a click opens; and the minutes that reading them takes at {PACE} words a minute, without the code
and without anything tried out. A proof is a cell that asserts what the text says. The first picture
or widget begins so many pixels below the page's top, in a window 1,280 pixels wide."""
# Visible text, without symbols and folded parts.
FIRST = """() => Math.min(...[...document.querySelectorAll("article :is(img, svg, [data-widget])")]
  .filter((drawn) => drawn.checkVisibility())
  .map((drawn) => drawn.getBoundingClientRect())
  .filter(({ width, height }) => width > 120 && height > 60)
  .map(({ top }) => Math.round(top + scrollY)))"""


def measure(site: Path) -> str:
    """Weigh every page, and count every chapter's words; return the report."""
    names = sorted(path.relative_to(site).as_posix() for path in site.glob("[!_]*/*.html"))
    with chromium() as browser, served(site) as address:
        rows = [[name, *weights(site, files(browser, address, name))] for name in names]
        lengths = [length(browser, address, stem) for stem in CHAPTERS]
    header = ["KB gzip", *KINDS[:-1], "before data", DATA]
    columns = [
        "chapter",
        "words open",
        "in all",
        "minutes",
        "in all ",
        "proofs",
        "first picture, px",
    ]
    return f"{table(header, rows)}\n\n{WHAT}\n\n{table(columns, lengths)}\n\n{LENGTH}"


def length(browser: Browser, address: str, stem: str) -> list[str]:
    """Return a chapter's row: its words, their reading time, its proofs and its first picture."""
    chapter = Chapter(stem)
    words = len(chapter.unfolded), len(chapter.prose.split())
    proofs = sum("proof" in cell.metadata.get("tags", []) for cell in chapter.code)
    page = browser.new_page(**SCREENS["desktop"])
    page.goto(f"{address}/book/{stem}.html")
    first = page.evaluate(FIRST)
    page.close()
    minutes = [round(count / PACE) for count in words]
    return [stem, *(f"{n:,}" for n in (*words, *minutes, proofs, first))]


def files(browser: Browser, address: str, name: str) -> set[str]:
    """Read a page to its end, as on a first visit, boxes closed; return the files it loads."""
    seen = set()
    page = browser.new_page(**SCREENS["desktop"])
    page.on("request", lambda r: r.url.startswith(address) and seen.add(urlsplit(r.url).path))
    page.goto(f"{address}/{name}")
    for widget in page.locator("[data-widget]:visible").all():
        widget.scroll_into_view_if_needed()
        widget.locator(".tl-numbers").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    page.close()
    return {path.lstrip("/") for path in seen}


def weights(site: Path, paths: Iterable[str]) -> list[str]:
    """Return a row: the KB of each kind, and of all but the data."""
    sizes = dict.fromkeys(KINDS, 0)
    for path in paths:
        sizes[kind(path)] += packed(site / path)
    *shell, data = sizes.values()
    return [f"{size / 1000:.0f}" for size in (*shell, sum(shell), data)]


def kind(path: str) -> str:
    """Return what a file belongs to."""
    if path.endswith(".html"):
        return "the page"
    if path.endswith(".data.js"):
        return DATA
    is_runtime = path.startswith(OURS) and path.endswith((".js", ".css"))
    return "our runtime" if is_runtime else "theme, fonts, pictures"


def packed(path: Path) -> int:
    """Return the bytes of a file after gzip."""
    return len(gzip.compress(path.read_bytes(), mtime=0))

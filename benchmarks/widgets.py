"""Every control of every widget on a page without a kernel: the time until the new picture."""

import random
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page

from benchmarks.browser import chromium
from benchmarks.report import table
from tests.chromium import SCREENS
from tests.widget_pages import KINDS, build

MOVE = Path(__file__).with_name("move_to_paint.js").read_text("utf8")
WHAT = """\
One move: a control is given another of its values, and its event is sent. The clock stops in the
first task after the next animation frame, when layout and paint of the new picture are done; so a
rest of up to {frame:.1f} ms until the next frame is part of every number. {moves} moves of every
widget, its controls in turn; before the first come as many that are not counted, since a browser
that has just started is slower. Chromium {chromium} without a screen."""
FRAME = 1000 / 60


def measure(moves: int = 60) -> str:
    """Time every widget on a page of its own; return the report."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = build(Path(name), {stem: [f"{kind.__name__}()"] for stem, kind in KINDS.items()})
        page = browser.new_context(**SCREENS["desktop"]).new_page()
        rows = []
        move_all(opened(page, (folder / f"{next(iter(KINDS))}.html").as_uri()), moves)
        for stem in KINDS:
            times = move_all(opened(page, (folder / f"{stem}.html").as_uri()), moves)
            late = np.quantile(times, 0.95)
            rows.append([stem, f"{np.median(times):.1f}", f"{late:.1f}", f"{max(times):.1f}"])
        what = WHAT.format(frame=FRAME, moves=moves, chromium=browser.version)
    header = ["a move to its picture, ms", "median", "95th percentile", "longest"]
    return f"{table(header, rows)}\n\n{what}"


def opened(page: Page, address: str) -> Locator:
    """Open a page with one widget; return the widget once it is drawn."""
    page.goto(address)
    widget = page.locator("[data-widget]")
    widget.scroll_into_view_if_needed()
    widget.locator(".tl-numbers").wait_for()
    return widget


def move_all(widget: Locator, moves: int) -> list[float]:
    """Move the controls in turn, each to another of its values; return the milliseconds."""
    dice = random.Random(0)
    controls = widget.locator("[data-name]").all()
    return [controls[turn % len(controls)].evaluate(MOVE, dice.random()) for turn in range(moves)]

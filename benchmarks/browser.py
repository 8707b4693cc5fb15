"""What a reader waits for in a browser: sliders, live and on the page."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from benchmarks import live, static
from benchmarks.report import table
from benchmarks.slider import PAUSE
from tests.chromium import SCREENS, launch
from tests.jupyterlab.server import jupyterlab

NAMES = {"static": "static page, the explorer"} | live.KINDS
WHAT = """\
One move: the pointer is pressed on the slider's track at another stop of d_k. The clock starts with
the time stamp of that `pointerdown` event and stops in the first animation frame after the new
picture is there: the explorer's grid has its new numbers (its canvases are painted in the same
task), or the new `<img>` has been decoded. All kinds take the same route through the stops, with
{pause} ms of rest before each move. In JupyterLab every kind has a notebook with a kernel of its
own, all in one session, and they take turns, move by move. All show the same weights of four heads
over six words. The explorer has tokens and numbers; plain panels have tokens; the tiled picture has
neither. Chromium {chromium} without a screen."""


def sliders(site: Path, moves: int) -> str:
    """Time every kind of slider in one browser; return the report."""
    with chromium() as browser, tempfile.TemporaryDirectory() as home:
        page = browser.new_context(**SCREENS["desktop"]).new_page()
        on_page = static.measure(page, site, moves)
        page.close()
        context = browser.new_context(**SCREENS["desktop"])
        with jupyterlab(Path(home)) as lab:
            times = {"static": on_page} | live.measure(context, lab, moves)
        what = WHAT.format(pause=PAUSE, chromium=browser.version)
    return f"{slider_table(times)}\n\n{what}"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser, and end it afterwards."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def slider_table(times: dict[str, list[float]]) -> str:
    """Return median, 95th percentile and ratio to the live explorer of every kind."""
    live = np.median(times["live"])
    rows = []
    for kind, name in NAMES.items():
        median, late = np.median(times[kind]), np.quantile(times[kind], 0.95)
        numbers = [f"{median:.1f}", f"{late:.1f}", f"{median / live:.2f}"]
        rows.append([name, str(len(times[kind])), *numbers])
    return table(["slider to paint", "moves", "median", "95th percentile", "median / live"], rows)

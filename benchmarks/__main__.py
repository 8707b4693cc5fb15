"""Measure everything and write build/benchmarks.md: `make bench`, or `python -m benchmarks`."""

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks import live, report, static
from benchmarks.slider import PAUSE
from tests.chromium import SCREENS, SITE, launch
from tests.jupyterlab.server import jupyterlab

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run the moves and write the report."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--moves", type=int, default=60, help="moves of each slider (60)")
    parser.add_argument("--site", type=Path, default=SITE, help="the built book")
    parser.add_argument("--output", type=Path, default=ROOT / "build/benchmarks.md")
    options = parser.parse_args()
    text = measure(options.site, options.moves)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf8")
    print(text)


def measure(site: Path, moves: int) -> str:
    """Make all measurements in one browser; give the report."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as home:
        browser = launch(playwright)
        setting = report.machine(browser.version)
        page = browser.new_context(**SCREENS["desktop"]).new_page()
        on_page, files = static.measure(page, site, moves)
        page.close()
        context = browser.new_context(**SCREENS["desktop"])
        with jupyterlab(Path(home)) as lab:
            times = {"static": on_page} | live.measure(context, lab, moves)
        browser.close()
    what = report.WHAT.format(pause=PAUSE)
    parts = [
        "# Measurements",
        setting,
        report.slider_table(times),
        what,
        report.weight_table(files),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()

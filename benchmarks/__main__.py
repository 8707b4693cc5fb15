"""Measure everything and write build/benchmarks.md: `make bench`, or `python -m benchmarks`."""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks import report
from tests.chromium import SITE

ROOT = Path(__file__).parents[1]
TOPICS = ("attention", "generation", "training", "grading", "sliders", "widgets", "pages")


def main() -> None:
    """Measure the topics that are wanted, one after the other, and write the report."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=TOPICS, default=TOPICS, metavar="TOPIC",
                        help=f"some of {', '.join(TOPICS)} (all)")  # fmt: skip
    parser.add_argument("--moves", type=int, default=60, help="moves of each slider (60)")
    parser.add_argument("--site", type=Path, default=SITE, help="the built book")
    parser.add_argument("--output", type=Path, default=ROOT / "build/benchmarks.md")
    options = parser.parse_args()
    parts = ["# Measurements", report.machine()]
    for topic in options.only:
        parts += [f"## {topic.capitalize()}", measure(topic, options)]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text("\n\n".join(parts) + "\n", encoding="utf8")
    print(options.output.read_text("utf8"))


def measure(topic: str, options: argparse.Namespace) -> str:
    """Measure one topic, loading only what it needs; give its part of the report."""
    if topic == "sliders":
        return import_module("benchmarks.browser").sliders(options.site, options.moves)
    if topic == "pages":
        return import_module("benchmarks.browser").pages(options.site)
    if topic == "widgets":
        return import_module("benchmarks.widgets").measure(options.moves)
    return import_module(f"benchmarks.{topic}").measure()


if __name__ == "__main__":
    main()

"""Measure everything and write build/benchmarks.md: `make bench`, or `python -m benchmarks`."""

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks import appendix, promises, report
from tests.chromium import SITE

ROOT = Path(__file__).parents[1]
#: The names of the other topics.
TITLES = {"smollm2": "SmolLM2", "laboratory": "Exercises and own words",
          "on_page": "Training on a page"}  # fmt: skip
USUAL = ("attention", "modules", "generation", "smollm2", "training", "tokenizer", "shakespeare",
         "on_page", "grading", "grader", "sliders", "widgets", "pages", "laboratory",
         "lighthouse")  # fmt: skip
TOPICS = (*USUAL, "build")  # this takes minutes more


def main() -> None:
    """Measure the chosen topics, one after the other, and write the report."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=TOPICS, metavar="TOPIC",
                        help=f"some of {', '.join(TOPICS)} (all but build)")  # fmt: skip
    parser.add_argument("--moves", type=int, default=60, help="moves of each slider (60)")
    parser.add_argument("--site", type=Path, default=SITE, help="the built book")
    parser.add_argument("--output", type=Path, default=ROOT / "build/benchmarks.md")
    parser.add_argument("--appendix", action="store_true",
                        help="measure all, and show it in book/measurements.md")  # fmt: skip
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    machine, parts = report.machine(), {}
    for topic in options.only or (TOPICS if options.appendix else USUAL):
        parts[topic] = measure(topic, options)
        options.output.write_text(written(machine, parts), encoding="utf8")
    text = options.output.read_text("utf8")
    if options.appendix:
        page = appendix.PAGE.read_text("utf8")
        appendix.PAGE.write_text(appendix.put_into(page, text), encoding="utf8")
        appendix.REPORT.write_text(text, encoding="utf8")
    print(text)


def written(machine: str, parts: dict[str, str]) -> str:
    """Return the report: the machine, the promises, and each topic."""
    found = ["# Measurements", machine]
    if kept := promises.held_against(parts):
        found += ["## Promises", kept]
    for topic, part in parts.items():
        found += [f"## {TITLES.get(topic, topic.capitalize())}", part]
    return "\n\n".join(found) + "\n"


def measure(topic: str, options: argparse.Namespace) -> str:
    """Measure one topic, importing only what it needs; return its part of the report."""
    if topic == "sliders":
        return import_module("benchmarks.browser").sliders(options.site, options.moves)
    if topic in {"pages", "laboratory", "lighthouse"}:
        return import_module(f"benchmarks.{topic}").measure(options.site)
    if topic == "widgets":
        return import_module("benchmarks.widgets").measure(options.moves)
    return import_module(f"benchmarks.{topic}").measure()


if __name__ == "__main__":
    main()

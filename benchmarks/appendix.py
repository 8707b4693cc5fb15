"""Show a report in the repository, and its promises in the book."""

from pathlib import Path

REPORT = Path(__file__).with_name("measured.md")
PAGE = Path(__file__).parents[1] / "book/measurements.md"
MARK = "<!-- `make measurements` writes what follows -->"


def put_into(page: str, report: str) -> str:
    """Return a page with a report's promises below its mark, without the title and the topics."""
    before, mark, _ = page.partition(MARK)
    if not mark:
        raise ValueError(f"The page has no line {MARK}, below which a report could stand.")
    machine, promises, *_topics = report.partition("\n\n")[2].split("\n\n## ")
    return f"{before}{mark}\n\n{machine}\n\n## {promises.rstrip()}\n"

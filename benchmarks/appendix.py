"""Show a report in the book: below its mark, book/measurements.md holds the last one."""

from pathlib import Path

PAGE = Path(__file__).parents[1] / "book/measurements.md"
MARK = "<!-- `make measurements` writes what follows -->"


def put_into(page: str, report: str) -> str:
    """Return a page with this report below its mark, without the report's own title."""
    before, mark, _ = page.partition(MARK)
    if not mark:
        raise ValueError(f"The page has no line {MARK}, below which a report could stand.")
    _title, _, rest = report.partition("\n\n")
    return f"{before}{mark}\n\n{rest}"

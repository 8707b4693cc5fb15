"""The sizes that the page "Where it runs" states, for the tests that weigh."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "book/where_it_runs.md"


def as_stated(what: str, file: Path) -> bool:
    """Whether a file weighs at most what the page says, and more than half of it."""
    (size,) = re.findall(rf"\*\*{what}\*\* \(at most ([\d.]+) MB\)", PAGE.read_text("utf8"))
    return float(size) / 2 < file.stat().st_size / 1e6 <= float(size)

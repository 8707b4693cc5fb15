"""Tables (CSV) as teachers bring them and as we write them, for spreadsheets and platforms."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run

Row = dict[str, str]


def write_table(path: Path, rows: Iterable[Iterable[object]]) -> None:
    """Write a table (UTF-8, with commas), in which no text is a formula; numbers stay numbers."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([_cell(value) for value in row] for row in rows)


def inert(text: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def read_table(path: Path) -> tuple[list[str], list[Row]]:
    """Read the columns and the rows of a table, with commas, semicolons or tabs.

    Raises OSError as open does, ValueError for what is no table.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not in UTF-8: save it again as “CSV UTF-8”.") from None
    mark = max(",;\t", key=text.partition("\n")[0].count)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=mark))
    except csv.Error as error:
        raise ValueError(f"{path} is not a table (CSV): {error}.") from None
    columns = [name.strip() for name in lines[0]] if lines else []
    filled = (line for line in lines[1:] if any(map(str.strip, line)))
    return columns, [dict(zip(columns, map(str.strip, line), strict=False)) for line in filled]


def per_cent(share: float) -> str:
    """Write a share of 1 as per cent, with two decimals at most."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".")


def _cell(value: object) -> object:
    """Write a cell."""
    return inert(value) if isinstance(value, str) else value

"""Tables (CSV) from teachers, and those written for spreadsheets and platforms."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # the beginning of a formula in a spreadsheet
SIGN = f"[{re.escape(''.join(FORMULA))}]"
BEGIN = re.compile(rf'^(?={SIGN})|(?<=[;\t\r\n])(?=[" ]*{SIGN})')  # any program's separators

Row = dict[str, str]


def write_table(path: Path, rows: Iterable[Iterable[object]], encoding: str = "utf-8-sig") -> None:
    """Write a table (UTF-8, commas) in which no text is a formula; numbers stay numbers.

    Excel recognises UTF-8 only by the mark that utf-8-sig starts with.
    """
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file).writerows(
            [inert(value) if isinstance(value, str) else value for value in row] for row in rows
        )


def inert(text: str) -> str:
    """Escape a text that a spreadsheet would read as a formula, whatever its separators."""
    return BEGIN.sub("'", text)


def read_table(path: Path) -> tuple[list[str], dict[int, Row]]:
    """Read the columns and, by line number, the rows of a table with commas, semicolons or tabs.

    Empty lines are skipped; missing cells are empty. Raises OSError as open does, ValueError for
    what isn't a table, a missing quotation mark, or a line longer than the header.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not in UTF-8: save it again as “CSV UTF-8”.") from None
    mark = max(",;\t", key=text.lstrip().partition("\n")[0].count)
    lines = _lines(path, text, mark)
    columns = lines.pop(min(lines)) if lines else []
    for number, line in lines.items():
        if any(line[len(columns) :]):
            raise ValueError(
                f"{path}, line {number}: there are {len(line)} cells, and only {len(columns)} "
                f"columns. Put a text that has {mark!r} in it between quotation marks."
            )
    return columns, {
        n: dict(zip_longest(columns, line[: len(columns)], fillvalue=""))
        for n, line in lines.items()
    }


def read_columns(path: Path, wanted: Sequence[str], needed: Iterable[str]) -> dict[int, Row]:
    """Read a table of the teacher's own. Raises ValueError also if a needed column is not once."""
    columns, rows = read_table(path)
    for name in needed:
        if (often := columns.count(name)) != 1:
            raise ValueError(
                f"{path}: the column {name!r} occurs {often} times; expected: {wanted}, once each."
            )
    return rows


def _lines(path: Path, text: str, mark: str) -> dict[int, list[str]]:
    """Return the non-empty lines, each by the number of the line it begins in."""
    lines, number = {}, 1
    reader = csv.reader(io.StringIO(text), delimiter=mark, strict=True)
    try:
        for line in reader:
            cells = [cell.strip() for cell in line]
            if any(cells):
                lines[number] = cells
            number = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"{path} is not a table (CSV): in the row that begins in line {number}, a text begins "
            f"with a quotation mark but doesn't end with one ({error}). Inside such a text, write "
            "a quotation mark twice."
        ) from None
    return lines


def per_cent(share: float) -> str:
    """Return a share of 1 as a percentage, with at most two decimals."""
    return f"{100 * share:.2f}".rstrip("0").rstrip(".")

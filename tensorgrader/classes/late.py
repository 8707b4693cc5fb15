"""How late a submission is: as the platform says, or by its time and the deadline."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil
from typing import Any

from tensorgrader.classes.platform_exports import is_late
from tensorgrader.classes.tables import Row

IN_NAME = re.compile(r"(20\d\d-\d\d-\d\d)[-T_ ](\d\d)[-:.]?(\d\d)(?:[-:.]?(\d\d))?(?!\d)")
MOODLES = "%d %B %Y, %I:%M %p"  # "Tuesday, 10 November 2026, 11:59 PM" without the day
LONG = re.compile(r"(\d{1,6})\s*(year|week|day|hour|hr|min|sec)(?:ute|ond)?s?\b")
UNITS = {
    "year": 31_536_000, "week": 604_800, "day": 86_400, "hour": 3600, "hr": 3600, "min": 60,
    "sec": 1,
}  # fmt: skip
NOTHING = ("", "-", "–", "—", "n/a", "none")
NO = (*NOTHING, "no", "false", "0", "not late", "on time")
YES = ("yes", "true", "x", "late")
SAID = "`yes`, `no`, or how long, such as `1 day 2 hours`"
TIME = "a time such as `2026-11-20 23:59`"


@dataclass(frozen=True)
class Late:
    """A submission is late, and by how much if that is known."""

    by: timedelta | None = None

    @property
    def days(self) -> int:
        """The days late, rounded up; one if unknown."""
        return ceil(self.by / timedelta(days=1)) if self.by else 1

    def __str__(self) -> str:
        """Return it in words."""
        if not self.by:
            return "late"
        hours = ceil(self.by / timedelta(hours=1))
        days, hours = divmod(hours, 24)
        told = [f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((days, "day"), (hours, "hour")) if n]
        return f"{' '.join(told)} late"


def lateness(files: Iterable[str], row: Row, due: datetime | None) -> Late | None:
    """Return how late these files are: by a column that says so, else a time, else Canvas's mark.

    A time is read from a column, else from a file name, which doesn't undo Canvas's mark; a column
    `due` is one student's own deadline. Raises ValueError as `read_cells` does.
    """
    files, (late, own, times) = list(files), read_cells(row)
    if late:
        return late
    due = own or due
    named = [
        _perhaps(f"{m[1]}T{m[2]}:{m[3]}:{m[4] or '00'}") for m in map(IN_NAME.search, files) if m
    ]
    last = max(times or filter(None, named), default=None)
    marked = any(map(is_late, files))
    if due and last and (times or last > due or not marked):  # the student chose the name
        return Late(last - due) if last > due else None
    return Late() if marked else None


def read_cells(row: Row) -> tuple[Late | None, datetime | None, list[datetime]]:
    """Read what a row says: whether it is late, its deadline, the times of submission.

    Raises ValueError if a cell of the teacher's own columns cannot be read. What Moodle writes in
    another language is ignored.
    """
    moodles = {column.lower(): text for column, text in row.items()}
    says = re.search(r".*(?<!\bnot) late\b", moodles.get("status", "").lower())
    times = (
        _read(row, "submitted", read_time, TIME),
        _read(row, "submitted at", read_time, TIME),
        _perhaps(moodles.get("last modified (submission)", "")),
    )
    late = _read(row, "late", read_late, SAID) or (says and _how_late(says[0]))
    due = _read(row, "due", read_deadline, TIME)
    return late, due, [*filter(None, times)]


def _read(row: Row, name: str, reader: Callable[[str], Any], expected: str) -> Any:
    """Read the cell of a column; None if it is missing or empty."""
    for column, text in row.items():
        if column.lower() == name and text.lower() not in NOTHING:
            try:
                return reader(text)
            except ValueError:
                told = f"column {column!r}: {text!r} cannot be read. Expected: {expected}."
                raise ValueError(told) from None
    return None


def read_deadline(text: str) -> datetime:
    """Read a deadline: without a time of day, it is the end of that day."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max)
    except ValueError:
        return read_time(text)


def read_time(text: str) -> datetime:
    """Read a time as ISO 8601 or Moodle writes it, in this machine's zone unless it names one."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        read = datetime.strptime(re.sub(r"^\w+day, ", "", text), MOODLES)
    try:
        return read.astimezone().replace(tzinfo=None) if read.tzinfo else read
    except OverflowError:  # the year 1 or 9999
        raise ValueError(text) from None


def read_late(text: str) -> Late | None:
    """Read yes, no, or a duration; zero is not late."""
    said = text.lower()
    if said in NO:
        return None
    if said in YES:
        return Late()
    if not LONG.search(said) or not re.fullmatch(r"(\s|,|and)*(late)?", LONG.sub("", said)):
        raise ValueError(text)
    return _how_late(said)


def _how_late(text: str) -> Late | None:
    """Sum words like "1 day 2 hours"; without any, it is just late."""
    long = [int(n) * UNITS[unit] for n, unit in LONG.findall(text)]
    return Late(timedelta(seconds=sum(long)) if long else None) if any(long) or not long else None


def _perhaps(text: str) -> datetime | None:
    """Read a time in a file name, or return None."""
    try:
        return read_time(text)
    except ValueError:
        return None

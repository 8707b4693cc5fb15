"""How late something was handed in: as the platform says, or by a time and when it was due."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from transformer_lab.grading.classes.exports import is_late
from transformer_lab.grading.classes.tables import Row

IN_NAME = re.compile(r"(20\d\d-\d\d-\d\d)[-T_ ](\d\d)[-:.]?(\d\d)(?:[-:.]?(\d\d))?(?!\d)")
TIMES = ("submitted", "submitted at", "last modified (submission)")  # columns that have one
MOODLES = "%d %B %Y, %I:%M %p"  # "Tuesday, 10 November 2026, 11:59 PM" without the day
LONG = re.compile(r"(\d+)\s*(week|day|hour|min|sec)", re.IGNORECASE)
UNITS = {"week": 604_800, "day": 86_400, "hour": 3600, "min": 60, "sec": 1}
NO = ("", "no", "false", "0", "-")


@dataclass(frozen=True)
class Late:
    """That something came late, and how much, where that is known."""

    by: timedelta | None = None

    @property
    def days(self) -> int:
        """The days begun; one where nothing is known."""
        return ceil(self.by / timedelta(days=1)) if self.by else 1

    def __str__(self) -> str:
        """Say it."""
        if not self.by:
            return "late"
        hours = ceil(self.by / timedelta(hours=1))
        days, hours = divmod(hours, 24)
        told = [f"{n} {unit}{'s' * (n != 1)}" for n, unit in ((days, "day"), (hours, "hour")) if n]
        return f"{' '.join(told)} late"


def lateness(files: Iterable[str], row: Row, due: datetime | None) -> Late | None:
    """Find how late these files are: what a column says of it, else a time, else Canvas's mark.

    A time is taken from a column, else from a name, which does not undo Canvas's mark; a column
    `due` is one student's own deadline.
    """
    files, cells = list(files), {column.lower(): text for column, text in row.items()}
    own = cells.get("late", "").lower() or " ".join(re.findall(r".* late", cells.get("status", "")))
    if own not in NO:
        return Late(read_duration(own))
    due = read_time(cells.get("due", "")) or due
    named = [
        read_time(f"{m[1]}T{m[2]}:{m[3]}:{m[4] or '00'}") for m in map(IN_NAME.search, files) if m
    ]
    times = [time for column in TIMES if (time := read_time(cells.get(column, "")))]
    last = max(times or filter(None, named), default=None)
    marked = any(map(is_late, files))
    if due and last and (times or last > due or not marked):  # a name is the student's own
        return Late(last - due) if last > due else None
    return Late() if marked else None


def read_time(text: str) -> datetime | None:
    """Read a time as ISO 8601 or Moodle writes it, in this machine's zone unless it names one."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        try:
            time = datetime.strptime(re.sub(r"^\w+day, ", "", text), MOODLES)
        except ValueError:
            return None
    return time.astimezone().replace(tzinfo=None) if time.tzinfo else time


def read_duration(text: str) -> timedelta | None:
    """Read words like "1 day 2 hours", or nothing."""
    seconds = sum(int(n) * UNITS[unit.lower()] for n, unit in LONG.findall(text))
    return timedelta(seconds=seconds) if seconds else None

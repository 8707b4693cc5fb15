"""What a card says, in plain values: texts, numbers, shapes. How it looks is not known here."""

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote

Number = float | int | str  # what stands in a cell of a table: a bool is an int, a text any other


class Standing(Enum):
    """How it stands with one thing that was asked for."""

    HOLDS = "✓"
    FAILS = "✗"
    WAITS = "·"  # nothing is known of it before something else is mended


@dataclass(frozen=True)
class Table:
    """Numbers to look at, of a value that may have more of them.

    `shape` is the whole value's, and so is `dtype`, which is empty for a usual one. `part` says
    which part is shown, `start` is the place of its first number in the last two axes. `framed` is
    a place in what is shown.
    """

    name: str
    shape: tuple[int, ...]
    rows: tuple[tuple[Number, ...], ...]
    digits: int = 2
    part: str = ""
    start: tuple[int, int] = (0, 0)
    framed: tuple[int, int] | None = None
    dtype: str = ""

    @property
    def title(self) -> str:
        """What stands above it."""
        return f"{self.name} {self.about}"

    @property
    def about(self) -> str:
        """What is said of it beside its name."""
        dtype, part = self.dtype and f" of {self.dtype}", self.part and f" {self.part}"
        return f"{self.shape}{dtype}{part}"


@dataclass(frozen=True)
class Section:
    """Where to read again: a page, a heading, and an address where there is one."""

    page: str
    heading: str
    address: str = ""


@dataclass(frozen=True)
class Named:
    """A known mistake: its name, why it is one, and where to read again."""

    name: str
    why: str
    read: Section


@dataclass(frozen=True)
class Trouble:
    """What is wrong and what it shows in.

    `mistakes` are the known ones that explain it. `code` is the learner's own line and `line` its
    number, `had` the shapes of what they had there. `given` is the smallest input that shows it, in
    numbers, and `call` names what of it is not shown so.
    """

    mistakes: tuple[Named, ...] = ()
    sentences: tuple[str, ...] = ()
    code: str = ""
    line: int = 0
    had: tuple[str, ...] = ()
    call: str = ""
    given: tuple[Table, ...] = ()
    results: tuple[Table, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Return whether an input shows it, that one could ask for again."""
        return bool(self.call or self.given)


@dataclass(frozen=True)
class Line:
    """One thing that is asked for, what it is worth, and how it stands."""

    says: str
    points: int
    standing: Standing
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Progress:
    """The points that a learner's checks have shown so far, of all in a chapter."""

    chapter: str
    held: int
    points: int


@dataclass(frozen=True)
class Card:
    """The answer to one check of one function.

    `trouble` is what stands in the way of judging anything. `beside` is what else is to be said of
    its cell, `said` what the function printed, `again` the line that asks the same once more.
    """

    function: str
    lines: tuple[Line, ...]
    trouble: Trouble | None = None
    said: tuple[str, ...] = ()
    again: str = ""
    progress: Progress | None = None
    beside: str = ""

    @property
    def points(self) -> int:
        """The points there are."""
        return sum(line.points for line in self.lines)

    @property
    def earned(self) -> int:
        """The points gained: by what holds, and by nothing else."""
        return sum(line.points for line in self.lines if line.standing is Standing.HOLDS)

    @property
    def is_seen(self) -> bool:
        """Return whether an input shows what is wrong."""
        return any(trouble.is_seen for trouble in self.troubles)

    @property
    def troubles(self) -> list[Trouble]:
        """All that is wrong, in the order in which it is told."""
        troubles = (self.trouble, *(line.trouble for line in self.lines))
        return [trouble for trouble in troubles if trouble]

    @property
    def holds(self) -> bool:
        """Return whether all that was asked for holds."""
        return all(line.standing is Standing.HOLDS for line in self.lines)


def score(card: Card) -> str:
    """Write the points of a card."""
    return f"{card.earned} of {card.points} point{'s' * (card.points != 1)}"


def cell(value: Number, digits: int) -> str:
    """Write one number with so many decimals; a mask's are words."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.{digits}e}"


def anchor(heading: str) -> str:
    """Write a heading as JupyterLab's address of it. Within a page JupyterLab decodes nothing."""
    return "#" + quote(re.sub("[`*]", "", heading).replace(" ", "-"), safe="!$&'*+,/:;=?@")

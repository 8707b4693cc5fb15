"""The contents of a card in plain values: texts, numbers, shapes. Layout is defined elsewhere."""

import re
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote

Number = float | int | str  # the content of a table's cell: a bool is an int, a text anything else


class Standing(Enum):
    """The state of one requirement."""

    HOLDS = "✓"
    FAILS = "✗"
    WAITS = "·"  # unknown until something else is corrected


@dataclass(frozen=True)
class Table:
    """Numbers of a value, or the part of it that is shown.

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
    def about(self) -> str:
        """The shape, dtype and part, as they follow the name."""
        dtype, part = self.dtype and f" of {self.dtype}", self.part and f" {self.part}"
        return f"{self.shape}{dtype}{part}"


@dataclass(frozen=True)
class Section:
    """Where the topic is taught: a page, a heading, and an address if there is one."""

    page: str
    heading: str
    address: str = ""


@dataclass(frozen=True)
class Named:
    """A known mistake: its name, why it is one, where to read again, and what would be right."""

    name: str
    why: str
    read: Section
    remedy: str = ""


@dataclass(frozen=True)
class Trouble:
    """What is wrong, and an input that shows it.

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


@dataclass(frozen=True)
class Line:
    """One requirement, its points, and its state."""

    says: str
    points: int
    standing: Standing
    trouble: Trouble | None = None


@dataclass(frozen=True)
class Progress:
    """The points that a learner's checks have shown so far, out of all in a chapter."""

    chapter: str
    held: int
    points: int


@dataclass(frozen=True)
class Hint:
    """One way to make an answer right, told in steps: where to look, what would help, the change.

    `changes` are statements before and after it; there are none where they would be the solution's.
    """

    where: str
    what: str
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Card:
    """The result of one check of one function.

    `trouble` is what prevents any judgement. `beside` is what else there is to say about the cell,
    `said` what the function printed, `again` the line that draws the same input once more.
    """

    function: str
    lines: tuple[Line, ...]
    trouble: Trouble | None = None
    said: tuple[str, ...] = ()
    again: str = ""
    progress: Progress | None = None
    beside: str = ""
    hint: Hint | None = None

    @property
    def points(self) -> int:
        """The maximum of points."""
        return sum(line.points for line in self.lines)

    @property
    def earned(self) -> int:
        """The points earned, by requirements that hold."""
        return sum(line.points for line in self.lines if line.standing is Standing.HOLDS)

    @property
    def is_seen(self) -> bool:
        """Return whether an input shows what is wrong."""
        return any(trouble.call or trouble.given for trouble in self.troubles)

    @property
    def troubles(self) -> list[Trouble]:
        """All that is wrong, in the order in which it is shown."""
        troubles = (self.trouble, *(line.trouble for line in self.lines))
        return [trouble for trouble in troubles if trouble]

    @property
    def holds(self) -> bool:
        """Return whether all requirements hold."""
        return all(line.standing is Standing.HOLDS for line in self.lines)


def score(card: Card) -> str:
    """Write the points of a card."""
    return f"{card.earned} of {card.points} point{'s' * (card.points != 1)}"


def cell(value: Number, digits: int) -> str:
    """Return one number with so many decimals, or a word of a mask."""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.{digits}f}" if abs(value) < 1e5 else f"{value:.{digits}e}"


def anchor(heading: str) -> str:
    """Return a heading as JupyterLab's address of it. Within a page JupyterLab decodes nothing."""
    return "#" + quote(re.sub("[`*]", "", heading).replace(" ", "-"), safe="!$&'*+,/:;=?@")

"""What came of applying a function to inputs: below all who ask for it, compare it or judge it.

A worker loads this by path, so it imports the standard library only.
"""

from typing import Any, NamedTuple


class Returned(NamedTuple):
    """What a function gave back, and what its arguments had become by then.

    `origins` lists for each result the numbers of the tensors that its gradient reaches, of those
    among the arguments that want one; it is empty where none does. `severed` are the numbers of the
    results that depend on something that was cut off from the gradient.
    """

    value: Any
    after: Any
    origins: Any = ()
    severed: Any = ()


class Raised(NamedTuple):
    """An exception from the learner's code, with the line of theirs that raised it.

    `had` tells the shapes of the tensors that line could see, and other small values. `within` is
    what the error came out of: the number of an argument, a model or a function, or the name of a
    function of another cell, or -1.
    """

    type: str
    message: str
    line: int
    code: str
    had: tuple[str, ...] = ()
    within: int | str = -1


class Unfit(NamedTuple):
    """Something was given back that can do nothing of what is asked, and why."""

    words: str


class Missing(NamedTuple):
    """No function of that name was defined."""

    name: str


class TimedOut(NamedTuple):
    """No answer came within so many seconds, and whoever was to answer was ended.

    Of a cell that was run, `statement` is the number of the one it was at; of a call it is -1.
    """

    seconds: float
    statement: int = -1


class Died(NamedTuple):
    """The process ended, or answered something that is no answer."""

    how: str


Outcome = Returned | Raised | Unfit | Missing | TimedOut | Died

#: What an answer raises that nobody has begun.
UNWRITTEN = Raised("NotImplementedError", "", 0, "")

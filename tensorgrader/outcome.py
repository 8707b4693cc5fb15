"""The outcome of applying a function to inputs: imported by all that produce, compare or judge it.

A worker loads this by path, so it imports the standard library only.
"""

from typing import Any, NamedTuple


class Returned(NamedTuple):
    """The value that a function returned, and its arguments after the call.

    `origins` lists for each result the numbers of the argument tensors that its gradient reaches,
    among those that require one; it is empty if none does. `severed` are the numbers of the results
    that depend on something detached from the gradient. `words` say what is wrong with the value,
    if the exercise explains it.
    """

    value: Any
    after: Any
    origins: Any = ()
    severed: Any = ()
    words: str = ""


class Raised(NamedTuple):
    """An exception from the learner's code, with the line of theirs that raised it.

    `had` describes the tensors that line could see, and other small values. `within` is where the
    error came from: the number of an argument, a model or a function, or the name of a function of
    another cell, or -1.
    """

    type: str
    message: str
    line: int
    code: str
    had: tuple[str, ...] = ()
    within: int | str = -1


class Unfit(NamedTuple):
    """A result of which nothing can be made, and why."""

    words: str


class Missing(NamedTuple):
    """No function of that name was defined."""

    name: str


class TimedOut(NamedTuple):
    """There was no answer within so many seconds, and its process was ended.

    `statement` is the number of the statement that ran in a cell; -1 for a call.
    """

    seconds: float
    statement: int = -1


class Died(NamedTuple):
    """The process ended, or sent something invalid."""

    how: str


Outcome = Returned | Raised | Unfit | Missing | TimedOut | Died

#: The error of an unwritten answer.
UNWRITTEN = Raised("NotImplementedError", "", 0, "")

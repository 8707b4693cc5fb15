"""The grader's end of the line to a process that holds functions for learners' code."""

import secrets
from contextlib import suppress
from typing import Any

from tensorgrader.exercise import Inputs
from tensorgrader.outcome import Returned
from tensorgrader.sandbox import values
from tensorgrader.sandbox.connection import START_DEADLINE
from tensorgrader.sandbox.processes import Forked
from tensorgrader.sandbox.values import Made

Place = tuple[int, int]  # a field of Inputs, and the number of an argument in it
ARGS, BEFORE = Inputs._fields.index("args"), Inputs._fields.index("before")


class Holder:
    """A process that builds things by their recipes, and answers a worker's calls of them."""

    def __init__(self, process: Forked):
        self._process = process

    def hold(self, things: list[Made]) -> bool:
        """Build these in place of the earlier ones; return whether that worked."""
        tensors: list[Any] = []
        token = secrets.token_hex(8)
        request = {"things": values.encode(tuple(things), tensors), "token": token}
        with suppress(OSError, EOFError, ValueError), self._process.within(START_DEADLINE):
            values.send(self._process.requests, request, tensors)
            return values.receive(self._process.replies)[0].get("token") == token
        return False

    def end(self) -> None:
        """End the process."""
        self._process.end()


def things(inputs: Inputs) -> dict[Place, Made]:
    """Return what a worker can only call, by its place."""
    parts = {ARGS: inputs.args, BEFORE: inputs.before or ()}
    return {
        (field, place): arg
        for field, part in parts.items()
        for place, arg in enumerate(part)
        if isinstance(arg, Made) and not arg.trained
    }


def without(inputs: Inputs, held: dict[Place, Made]) -> Inputs:
    """Return the inputs without what is held."""

    def left(field: int, part: tuple) -> tuple:
        return tuple(None if (field, place) in held else arg for place, arg in enumerate(part))

    before = inputs.before and left(BEFORE, inputs.before)
    return inputs._replace(args=left(ARGS, inputs.args), before=before)


def untouched(outcome: Any, inputs: Inputs, held: dict[Place, Made]) -> Any:
    """Restore in an outcome what is held, and so can't have changed."""
    if not isinstance(outcome, Returned) or not isinstance(outcome.after, tuple):
        return outcome
    was = values.numbers(inputs.args)
    after = (
        was[place] if (ARGS, place) in held else now for place, now in enumerate(outcome.after)
    )
    return outcome._replace(after=tuple(after))

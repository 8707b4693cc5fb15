"""The trusted end of the pipe to a worker: sends requests, and ends it when it is late."""

import secrets
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from torch import Tensor

from tensorgrader.exercise import Inputs
from tensorgrader.outcome import Died, Missing, Outcome, Raised, Returned, TimedOut
from tensorgrader.sandbox import values
from tensorgrader.sandbox.audit import MOST
from tensorgrader.sandbox.connection import START_DEADLINE
from tensorgrader.sandbox.describe import TOLD_LIMIT
from tensorgrader.sandbox.processes import Forked, did_not_start, lacking, start_worker
from tensorgrader.sandbox.proxy_client import Holder, Place, things, untouched, without
from tensorgrader.sandbox.spawn import Spawned
from tensorgrader.sandbox.values import Made, clean

DEADLINE = 5.0


class Sandbox:
    """One worker: own session, empty environment, nothing to write to, limited resources.

    It has no access to files, network and processes if the system can prevent it (see `lacking`).
    """

    _process: Forked | Spawned
    _holder: Holder | None = None

    def __init__(
        self,
        deadline: float = DEADLINE,
        *,
        forbidden: Iterable[str] = (),
        hidden: Iterable[str] = (),
        confined: bool | None = None,
    ):
        """Start a worker with `deadline` seconds for each answer, and without ready-made functions.

        Imports of `hidden` packages do nothing.
        """
        self.deadline = deadline
        self.alive = False
        self.seconds = 0.0  # of its workers, without waiting for a busy machine
        self.tried: dict[str, None] = {}  # what its code tried, as the worker reports
        if confined and (why := lacking()):
            raise ChildProcessError(f"there is no sandbox here: {why}")
        self._hidden = sorted(hidden)
        self._confined = not lacking() if confined is None else confined
        self.begin(forbidden)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def begin(self, forbidden: Iterable[str] = ()) -> None:
        """Forget everything so far, or start another worker in place of this one."""
        if self.alive and self._process.reusable:
            self._ask({"do": "begin"}, [])
            return
        self.close()
        self._process = start_worker(self._confined, forbidden)
        self.alive = True
        ready = self._receive("", START_DEADLINE)
        if isinstance(ready, TimedOut | Died):
            self.close()
            raise did_not_start(str(ready[0]))

    def run(
        self, cells: dict[str, str], without: Iterable[int] = ()
    ) -> list[Raised | None] | TimedOut | Died:
        """Execute cells in order within one deadline; return an outcome for each.

        Statements of these numbers are left out.
        """
        request = {"do": "run", "cells": list(cells.items()), "without": sorted(without)}
        request["hidden"] = self._hidden
        token, began, statement = self._send(request, []), self.seconds, -1
        outcome: Any = None
        while outcome is None:
            outcome = self._receive(token, self.deadline - (self.seconds - began))
            if type(outcome) is int:  # the number of the next statement
                statement, outcome = outcome, None
        if isinstance(outcome, TimedOut):
            return TimedOut(self.deadline, statement)
        if isinstance(outcome, list) and len(outcome) == len(cells):
            return outcome
        return outcome if isinstance(outcome, Died) else self._no_answer()

    def module(self, name: str, parts: Iterable[Sequence]) -> bool:
        """Make a module of the wanted names of chapters; return whether that worked."""
        request = {"do": "module", "name": name, "parts": list(parts)}
        return isinstance(self._ask(request, []), list)

    def call(
        self, name: str, batch: Iterable[Inputs], seconds: float | None = None
    ) -> Iterator[Outcome]:
        """Apply the learner's function of that name to each input, up to one without an answer.

        Each call has `seconds`, by default the worker's deadline. Functions among its arguments are
        held by another process if there can be one, for one call at a time.
        """
        inputs = list(batch)
        apart = self._process.holder is not None and any(map(things, inputs))
        for some in [[one] for one in inputs] if apart else [inputs]:
            held = things(some[0]) if apart else {}
            if held and not self._hold(held):
                self.close()
                yield Died("ended the process that holds its arguments")
                return
            for outcome in self._called(name, some, held, seconds or self.deadline):
                yield untouched(outcome, some[0], held)
                if not self.alive or isinstance(outcome, Missing):
                    return

    def _called(
        self, name: str, batch: list[Inputs], held: dict[Place, Made], seconds: float
    ) -> Iterator[Outcome]:
        """Yield an outcome for each input, of which some things are held elsewhere."""
        tensors: list[Tensor] = []
        calls = [values.encode(tuple(without(inputs, held)), tensors) for inputs in batch]
        request = {"do": "call", "name": name, "calls": calls, "held": list(held)}
        token = self._send(request, tensors)
        for _ in calls:
            outcome = self._receive(token, seconds)
            yield outcome if isinstance(outcome, Outcome) else self._no_answer()

    def _hold(self, held: dict[Place, Made]) -> bool:
        """Build things in the holder, which is started if needed; return whether that worked."""
        with suppress(ConnectionError, TimeoutError):
            if self.alive and self._process.holder and self._holder is None:
                self._holder = Holder(self._process.holder())
        return self._holder is not None and self._holder.hold(list(held.values()))

    def close(self) -> None:
        """End the worker and all it started."""
        if self.alive:
            self._end()

    def _end(self, patience: float = 0.0) -> int:
        self.alive = False
        code = self._process.end(patience)
        if self._holder:
            self._holder.end()
            self._holder = None
        return code

    def _ask(self, request: dict, tensors: list[Tensor]) -> Any:
        """Send one request and wait for its outcome; afterwards a late worker is gone."""
        return self._receive(self._send(request, tensors), self.deadline)

    def _send(self, request: dict, tensors: list[Tensor]) -> str:
        token = secrets.token_hex(8)  # unknown before the request, so no answer can precede it
        with suppress(OSError, ValueError), self._within(self.deadline):
            values.send(self._process.requests, {**request, "token": token}, tensors)
        return token

    def _receive(self, token: str, seconds: float) -> Any:
        """Read the next reply, or end the worker and say why there is none."""
        try:
            with self._within(seconds):
                header, tensors = values.receive(self._process.replies)
            if header.get("token") == token:
                self.tried |= _tried(header.get("tried", []))
                return _outcome(header, tensors)
        except TimeoutError:
            self.close()
            return TimedOut(seconds)
        except (EOFError, OSError):
            return Died(_ending(self._end(patience=1.0)))
        except (ValueError, TypeError, IndexError, AttributeError, RecursionError):
            pass
        return self._no_answer()

    @contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        """Limit sending and receiving, and add the time that it took."""
        with self._process.within(seconds) as watch:
            try:
                yield
            finally:
                self.seconds += watch.seconds()

    def _no_answer(self) -> Died:
        self.close()
        return Died("sent an invalid answer")


def _outcome(header: dict, tensors: list[Tensor]) -> Any:
    match header:
        case {"returned": [value, after, list(origins), severed]}:
            told = values.decode(value, tensors), values.decode(after, tensors)
            return Returned(*told, tuple(map(_numbers, origins)), _numbers(severed))
        case {"raised": [str(kind), str(message), int(line), str(code), list(had), within]}:
            names = tuple(clean(text) for text in had[:TOLD_LIMIT] if isinstance(text, str))
            within = clean(within) if isinstance(within, str) else int(within)
            return Raised(clean(kind), clean(message), line, clean(code), names, within)
        case {"missing": str(name)}:
            return Missing(clean(name))
        case {"at": int(statement)}:
            return statement
        case {"ran": list(outcomes)}:
            return [outcome and _outcome({"raised": outcome}, []) for outcome in outcomes]
    raise ValueError("malformed reply")


def _tried(listed: Any) -> dict[str, None]:
    if not isinstance(listed, list) or not all(type(text) is str for text in listed):
        raise ValueError("malformed reply")
    return dict.fromkeys(map(clean, listed[:MOST]))


def _numbers(listed: Any) -> tuple[int, ...]:
    if not isinstance(listed, list) or not all(type(number) is int for number in listed):
        raise ValueError("malformed reply")
    return tuple(listed)


def _ending(code: int) -> str:
    if code < 0:
        names = {int(known): known.name for known in signal.Signals}  # real-time ones have none
        return f"was stopped by the system ({names.get(-code, f'signal {-code}')})"
    return f"ended the Python process (exit code {code})"

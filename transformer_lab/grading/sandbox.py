"""The trusted end of the pipe to a worker: asks it, and ends it when it is late."""

import queue
import secrets
import signal
import threading
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedIOBase
from typing import Any, NamedTuple

from torch import Tensor

from transformer_lab.grading import values
from transformer_lab.grading.processes import (
    START_DEADLINE,
    Forked,
    Spawned,
    did_not_start,
    lacking,
    start_worker,
)
from transformer_lab.grading.values import clean
from transformer_lab.grading.worker import Missing, Raised, Returned

DEADLINE = 5.0


class TimedOut(NamedTuple):
    """The worker did not answer in so many seconds, and was ended."""

    seconds: float


class Died(NamedTuple):
    """The worker's process ended, or answered something that is no answer."""

    how: str


Outcome = Returned | Raised | Missing | TimedOut | Died


class Sandbox:
    """One worker: own session, empty environment, nothing to write to, bounded resources.

    Files, network and processes are closed to it where the system can do that (see `lacking`).
    """

    _process: Forked | Spawned

    def __init__(
        self,
        deadline: float = DEADLINE,
        *,
        forbidden: Iterable[str] = (),
        confined: bool | None = None,
    ):
        """Start a worker that has `deadline` seconds for each answer, and refuses ready-mades."""
        self.deadline = deadline
        self.alive = False
        self._confined = not lacking() if confined is None else confined
        self.begin(forbidden)

    def __enter__(self) -> "Sandbox":
        """Give the sandbox itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the worker."""
        self.close()

    def begin(self, forbidden: Iterable[str] = ()) -> None:
        """Forget everything so far: another worker takes the place of this one."""
        if self.alive and self._process.reusable:
            self._ask({"do": "begin"}, [])
            return
        self.close()
        self._process = start_worker(self._confined, forbidden)
        self.alive = True
        self._replies: queue.Queue = queue.Queue(maxsize=2)
        listening = (self._process.replies, self._replies)
        threading.Thread(target=_listen, args=listening, daemon=True).start()
        ready = self._wait(START_DEADLINE, token="")
        if isinstance(ready, TimedOut | Died):
            self.close()
            raise did_not_start(str(ready[0]))

    def run(self, cell: str, code: str) -> Raised | TimedOut | Died | None:
        """Execute an answer cell; None means that it ran to its end."""
        outcomes = self.run_all({cell: code})
        return outcomes[0] if isinstance(outcomes, list) else outcomes

    def run_all(self, cells: dict[str, str]) -> list[Raised | None] | TimedOut | Died:
        """Execute cells one after the other within one deadline; give an outcome for each."""
        outcomes = self._ask({"do": "run", "cells": list(cells.items())}, [])
        if isinstance(outcomes, list) and len(outcomes) == len(cells):
            return outcomes
        return outcomes if isinstance(outcomes, TimedOut | Died) else self._no_answer()

    def call(self, name: str, args: tuple, mask: Tensor | None = None) -> Outcome:
        """Apply the learner's function of that name."""
        tensors: list[Tensor] = []
        encoded = values.encode((args, mask), tensors)
        outcome = self._ask({"do": "call", "name": name, "args": encoded}, tensors)
        return outcome if isinstance(outcome, Outcome) else self._no_answer()

    def close(self) -> None:
        """End the worker and all it started."""
        if self.alive:
            self.alive = False
            self._process.end()

    def _ask(self, request: dict, tensors: list[Tensor]) -> Any:
        """Send one request and wait for its outcome; afterwards a late worker is gone."""
        token = secrets.token_hex(8)  # not known before it is asked, so no answer comes ahead
        with suppress(OSError, ValueError), self._process.sending_within(self.deadline):
            values.send(self._process.requests, {**request, "token": token}, tensors)
        return self._wait(self.deadline, token)

    def _wait(self, seconds: float, token: str) -> Any:
        """Take the next reply, or end the worker and say why there is none."""
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.close()
            return TimedOut(seconds)
        if reply is None:
            self.alive = False
            return Died(_ending(self._process.end(patience=1.0)))
        try:
            header, tensors = reply
            if header.get("token") == token:
                return _outcome(header, tensors)
        except (ValueError, TypeError, IndexError, AttributeError, RecursionError):
            pass
        return self._no_answer()

    def _no_answer(self) -> Died:
        """End a worker that speaks another language."""
        self.close()
        return Died("sent something that is no answer")


def _listen(stream: BufferedIOBase, replies: queue.Queue) -> None:
    """Queue every reply, and None at the end of the stream; stop at a flood or at nonsense."""
    with stream, suppress(queue.Full):
        try:
            while True:
                replies.put_nowait(values.receive(stream))
        except ValueError:
            replies.put_nowait(({}, []))
        except (EOFError, OSError):
            replies.put_nowait(None)


def _outcome(header: dict, tensors: list[Tensor]) -> Any:
    """Read a reply into an outcome."""
    match header:
        case {"returned": [value, after]}:
            return Returned(values.decode(value, tensors), values.decode(after, tensors))
        case {"raised": [str(kind), str(message), int(line), str(code)]}:
            return Raised(clean(kind), clean(message), line, clean(code))
        case {"missing": str(name)}:
            return Missing(clean(name))
        case {"ran": list(outcomes)}:
            return [outcome and _outcome({"raised": outcome}, []) for outcome in outcomes]
    raise ValueError("malformed reply")


def _ending(code: int) -> str:
    """Say how a process ended."""
    if code < 0:
        return f"was stopped by the system ({signal.Signals(-code).name})"
    return f"ended the Python process (exit code {code})"

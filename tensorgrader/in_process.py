"""A learner's function, applied in this process: within a deadline, and what it prints is heard."""

import contextlib
import io
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch.overrides import TorchFunctionMode

from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.outcome import Outcome, TimedOut
from tensorgrader.sandbox.client import DEADLINE
from tensorgrader.sandbox.no_compile import as_written, eagerly
from tensorgrader.sandbox.stopwatch import Stopwatch, Waiting
from tensorgrader.trial import apply_here

LINES, WIDTH = 10, 200


class Listener:
    """Applies a function to inputs, and keeps the first lines that it prints for each."""

    def __init__(self, function: Callable[..., Any], exercise: Exercise, patient: bool):
        """Take the function, and the exercise, which says what it is refused and how long it has.

        After one deadline that has passed, only the patient wait again.
        """
        self.function = as_written(function)
        self.refused, self.patient = exercise.forbidden, patient
        self.seconds = exercise.seconds or DEADLINE
        self._late: Outcome | None = None
        self._said: dict[int, tuple[str, ...]] = {}

    def __call__(self, batch: Iterable[Inputs]) -> Iterator[Outcome]:
        """Yield an outcome for each input."""
        for inputs in batch:
            yield self._late or self._apply(inputs)

    def said(self, inputs: Inputs) -> tuple[str, ...]:
        """Return what the function printed and was warned of, ten lines at most."""
        return self._said.get(id(inputs), ())

    def _apply(self, inputs: Inputs) -> Outcome:
        ear = _Ear()
        try:
            with listening(ear), deadline(self.seconds), Without(self.refused), eagerly():
                return apply_here(self.function, inputs)
        except _Late:
            late = TimedOut(self.seconds)
            self._late = None if self.patient else late
            return late
        finally:
            self._said[id(inputs)] = ear.lines()


class Without(TorchFunctionMode):
    """Have PyTorch's functions and methods of these names raise RuntimeError."""

    def __init__(self, names: frozenset[str]):
        """Take the names."""
        super().__init__()
        self._names = names

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Call a function, unless it is refused."""
        name = getattr(func, "__name__", "")
        if name in self._names:
            raise RuntimeError(f"the ready-made `{name}` is what this exercise asks you to write")
        return func(*args, **(kwargs or {}))


class _Late(BaseException):
    """The deadline has passed. Not an Exception, so that `except Exception` lets it through."""


@contextlib.contextmanager
def _by_signals(seconds: float) -> Iterator[None]:
    """Raise _Late after so many seconds; without signals, or off the main thread, do nothing.

    The alarm repeats, so that a bare `except:` in a loop does not stop it.
    """
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or not hasattr(signal, "setitimer"):
        yield
        return

    waiting = Waiting("thread-self")
    watch = Stopwatch(waiting)

    def late(*_: object) -> None:
        if watch.seconds() >= seconds:
            raise _Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        waiting.close()


#: What ends a call that takes too long; a page, which gets no signals, puts its own here.
deadline: Callable[[float], contextlib.AbstractContextManager[None]] = _by_signals


class _Ear(io.TextIOBase):
    """A stream that keeps its beginning."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        if len(self._text) <= LINES * WIDTH:
            self._text += text[: LINES * WIDTH + 1]
        return len(text)

    def lines(self) -> tuple[str, ...]:
        """Return the first lines, and a sign where there were more."""
        lines = [line[:WIDTH] for line in self._text.splitlines()]
        return (*lines[:LINES], *["…"] * (len(lines) > LINES or len(self._text) > LINES * WIDTH))


@contextlib.contextmanager
def listening(ear: io.TextIOBase) -> Iterator[None]:
    """Send there what is printed and warned of."""

    def warn(message: object, category: type, *_: object) -> None:
        ear.write(f"{category.__name__}: {message}\n")

    with (
        contextlib.redirect_stdout(ear),
        contextlib.redirect_stderr(ear),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = warn  # type: ignore[assignment]
        yield

"""An answer in this process: applied within a deadline, and what it prints is kept."""

import ast
import contextlib
import inspect
import io
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from types import FunctionType
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from tensorgrader.course import Course
from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.judge import Result, blaming, holds
from tensorgrader.outcome import Outcome, TimedOut
from tensorgrader.ready_made import called_names, ready_made, statements, used_names
from tensorgrader.sandbox.client import DEADLINE
from tensorgrader.sandbox.no_compile import as_written, eagerly
from tensorgrader.trial import Questions, Trial, apply_here

LINES, WIDTH = 10, 200
DATA = (Tensor, bool, int, float, str, list, tuple, dict)

#: Ends what takes more than so many seconds, by raising Late.
Deadline = Callable[[float], AbstractContextManager[None]]


class Late(BaseException):
    """The deadline has passed. Not an Exception, so that `except Exception` lets it through."""


class FunctionAnswer:
    """A function of this process, and what is known of the cell that it was written in."""

    def __init__(
        self,
        course: Course,
        questions: Questions,
        function: Callable[..., Any] | None,
        deadline: Deadline,
        *,
        source: str = "",
        problem: str = "",
        patient: bool = False,
    ):
        """Take the function and its source, as far as there is any.

        `problem` says why there is no function, or what of its cell is no Python. After one
        deadline that has passed, only the patient wait again.
        """
        self.function, self.problem, self.patient = as_written(function), problem, patient
        self._course, self._questions, self._deadline = course, questions, deadline
        self._exercise = questions.exercise
        self._source = source
        self._runs = Applied(self.function, self._exercise, deadline, patient)

    @property
    def missing(self) -> str:
        """Why there is no function."""
        return self.problem if self.function is None else ""

    def ready_made(self) -> str | None:
        """Look for a module's ready-made in the source, and behind the names that it uses.

        What `x.softmax` is, if not PyTorch's, may be written in another cell: there the run tells.
        """
        tree, forbidden = _tree(self._source), self._exercise.forbidden
        names = getattr(self.function, "__globals__", {})
        for name in used_names(tree):
            value: Any = names.get(name)
            if value is not self.function and _is_torch(value) and value.__name__ in forbidden:
                return name
        roots = [getattr(self.function, "__name__", "")]
        code = [replace(statement, owns=forbidden) for statement in statements(tree)]
        return ready_made(roots, code, forbidden)

    def apply(self, batch: list[Inputs]) -> Iterator[Outcome]:
        """Yield what comes of each input."""
        return self._runs(batch)

    def explained(self, results: list[Result]) -> list[Result]:
        """Add to what fails which functions it calls that are wrong, and what else is wrong."""
        if not any(result.finding for result in results):
            return results
        steps = self._wrong_steps()
        notes = (*self.problem.splitlines(), *self._stray_globals())
        return [blaming(replace(r, notes=notes), steps) if r.finding else r for r in results]

    def said(self, results: list[Result]) -> tuple[str, ...]:
        """Return what the function printed for the case that is told: ten lines at most."""
        if self.function is None:
            return ()
        failing = next((result for result in results if result.finding), None)
        if failing:
            return self._runs.said(failing.case.inputs) if failing.case else ()
        first = self._exercise.properties[0]
        return self._runs.said(self._questions.drawn(first.id, first.inputs)[0].inputs)

    def _wrong_steps(self) -> list[str]:
        """Return the chapter's other functions that this one calls and that are not right yet."""
        names = getattr(self.function, "__globals__", {})
        called = called_names(_tree(self._source))
        seed = self._questions.seed
        return [
            step.function
            for step in self._course.chapters[self._exercise.chapter].exercises
            if step is not self._exercise
            and step.function in called
            and callable(names.get(step.function))
            and not holds(tried(step, names[step.function], seed, self._deadline))
        ]

    def _stray_globals(self) -> tuple[str, ...]:
        """Say which data of the notebook the function reads, where its arguments were meant."""
        if not isinstance(self.function, FunctionType):
            return ()
        read = inspect.getclosurevars(self.function).globals.items()
        stray = [name for name, value in read if isinstance(value, DATA) and not name.isupper()]
        if not stray:
            return ()
        listed = ", ".join(f"`{name}`" for name in self._exercise.arguments)
        return (
            f"It reads `{stray[0]}`, which belongs to the notebook. Its own arguments are "
            f"{listed}.",
        )


def tried(exercise: Exercise, function: Callable[..., Any], seed: int, deadline: Deadline) -> Trial:
    """Put a function of this process on trial."""
    return Trial(Questions(exercise, seed), Applied(function, exercise, deadline))


class Applied:
    """Applies a function to inputs, and keeps the first lines that it prints for each."""

    def __init__(
        self, function: Any, exercise: Exercise, deadline: Deadline, patient: bool = False
    ):
        """Take the function, and the exercise, which says what is forbidden and how long it has."""
        self.function, self.patient = as_written(function), patient
        self.refused, self.deadline = exercise.forbidden, deadline
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
        printed = _Beginning()
        try:
            with (
                capturing(printed), self.deadline(self.seconds), Without(self.refused), eagerly(),
            ):  # fmt: skip
                return apply_here(self.function, inputs)
        except Late:
            late = TimedOut(self.seconds)
            self._late = None if self.patient else late
            return late
        finally:
            self._said[id(inputs)] = printed.lines()


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


class _Beginning(io.TextIOBase):
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
def capturing(stream: io.TextIOBase) -> Iterator[None]:
    """Send what is printed and warned of to a stream."""

    def warn(message: object, category: type, *_: object) -> None:
        stream.write(f"{category.__name__}: {message}\n")

    with (
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = warn  # type: ignore[assignment]
        yield


def _tree(source: str) -> ast.Module:
    """Parse the source of a function; none is kept of some, and `grade` reads the notebook."""
    try:
        return ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return ast.parse("")


def _is_torch(value: Any) -> bool:
    """Tell a function or class of PyTorch's from anything else."""
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(getattr(value, "__name__", None), str) and (
        inspect.isbuiltin(value) or str(module).startswith("torch")
    )

"""An answer in this process: applied within a deadline, with its output captured."""

import ast
import contextlib
import dis
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
from tensorgrader.sandbox.call import names_of
from tensorgrader.sandbox.client import DEADLINE
from tensorgrader.sandbox.no_compile import as_written, eagerly
from tensorgrader.trial import Questions, Trial, apply_here

LINES, WIDTH = 10, 200
DATA = (Tensor, bool, int, float, str, list, tuple, dict)

#: Raises Late in code that takes more than so many seconds.
Deadline = Callable[[float], AbstractContextManager[None]]


class Late(BaseException):
    """The deadline has passed. Not an Exception, so that `except Exception` doesn't catch it."""


class FunctionAnswer:
    """A function of this process: its outcomes, its output, and notes on it."""

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
        """Store the function and its source, as far as there is any.

        `problem` says why there is no function, or what of its cell is no Python. After one
        deadline that has passed, only the patient wait again.
        """
        self.function: Any = as_written(function)
        self.questions, self.problem = questions, problem
        self._course, self._exercise = course, questions.exercise
        self._deadline, self._source, self._patient = deadline, source, patient
        self._seconds = self._exercise.seconds or DEADLINE
        self._late: Outcome | None = None
        self._said: dict[int, tuple[str, ...]] = {}

    @property
    def trial(self) -> Trial:
        """The function on trial."""
        return Trial(self.questions, self.apply)

    @property
    def missing(self) -> str:
        """Why there is no function, or ""."""
        return self.problem if self.function is None else ""

    def ready_made(self) -> str | None:
        """Return a ready-made function in the source, or behind the names that it uses, if any.

        `x.softmax` may be a method of the learner's own from another cell: the run shows which it
        is.
        """
        tree, forbidden = _tree(self._source), self._exercise.forbidden
        names = names_of(self.function)
        for name in used_names(tree):
            value: Any = names.get(name)
            if value is not self.function and _is_torch(value) and value.__name__ in forbidden:
                return name
        roots = [getattr(self.function, "__name__", "")]
        code = [replace(statement, owns=forbidden) for statement in statements(tree)]
        return ready_made(roots, code, forbidden)

    def apply(self, batch: Iterable[Inputs]) -> Iterator[Outcome]:
        """Yield the outcome of each input."""
        for inputs in batch:
            yield self._late or self._apply(inputs)

    def explained(self, results: list[Result]) -> list[Result]:
        """Add to failures which functions it calls are wrong, and what else is."""
        if not any(result.finding for result in results):
            return results
        steps = self._wrong_steps()
        notes = (*self.problem.splitlines(), *self._stray_globals())
        return [blaming(replace(r, notes=notes), steps) if r.finding else r for r in results]

    def said(self, results: list[Result]) -> tuple[str, ...]:
        """Return what the function printed for the reported case: ten lines at most."""
        first = self._exercise.properties[0]
        failing = next((result for result in results if result.finding), None)
        if failing and not failing.case:
            return ()
        told = failing.case if failing else self.questions.drawn(first.id, first.inputs)[0]
        return self._said.get(id(told.inputs), ()) if told else ()

    def _wrong_steps(self) -> list[str]:
        """Return the chapter's other functions that this one calls and that are not right yet."""
        names = names_of(self.function)
        called = called_names(_tree(self._source))
        steps = self._course.chapters[self._exercise.chapter].exercises
        return [
            step.function
            for step in steps
            if step is not self._exercise
            and step.function in called
            and callable(names.get(step.function))
            and not holds(self._beside(step, names[step.function]).trial)
        ]

    def _beside(self, step: Exercise, function: Any) -> "FunctionAnswer":
        questions = Questions(step, self.questions.seed)
        return FunctionAnswer(self._course, questions, function, self._deadline)

    def _stray_globals(self) -> tuple[str, ...]:
        """Return a note if the function reads data of the notebook instead of its arguments."""
        if not isinstance(self.function, FunctionType):
            return ()
        names, steps = names_of(self.function), dis.get_instructions(self.function)
        read = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
        stray = [n for n in read if isinstance(names.get(n), DATA) and not n.isupper()]
        if not stray:
            return ()
        listed = ", ".join(f"`{name}`" for name in self._exercise.parameters)
        return (
            f"It reads `{stray[0]}`, which belongs to the notebook. Its own arguments are "
            f"{listed}.",
        )

    def _apply(self, inputs: Inputs) -> Outcome:
        printed, bare = _Beginning(), Without(self._exercise.forbidden)
        try:
            with capturing(printed), self._deadline(self._seconds), bare, eagerly():
                return apply_here(self.function, inputs)
        except Late:
            late = TimedOut(self._seconds)
            self._late = None if self._patient else late
            return late
        finally:
            self._said[id(inputs)] = printed.lines()


class Without(TorchFunctionMode):
    """Makes PyTorch's functions and methods of these names raise RuntimeError."""

    def __init__(self, names: frozenset[str]):
        super().__init__()
        self._names = names

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Call a function, unless it is forbidden."""
        name = getattr(func, "__name__", "")
        if name in self._names:
            raise RuntimeError(f"the ready-made `{name}` is what this exercise asks you to write")
        return func(*args, **(kwargs or {}))


class _Beginning(io.TextIOBase):
    def __init__(self) -> None:
        super().__init__()
        self._text = ""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        if len(self._text) <= LINES * WIDTH:
            self._text += text[: LINES * WIDTH + 1]
        return len(text)

    def lines(self) -> tuple[str, ...]:
        """Return the first lines, and a mark if there were more."""
        lines = [line[:WIDTH] for line in self._text.splitlines()]
        return (*lines[:LINES], *["…"] * (len(lines) > LINES or len(self._text) > LINES * WIDTH))


@contextlib.contextmanager
def capturing(stream: io.TextIOBase) -> Iterator[None]:
    """Redirect what is printed, and warnings, to a stream."""

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
    """Parse the source of a function if it is kept; `grade` reads the notebook instead."""
    try:
        return ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return ast.parse("")


def _is_torch(value: Any) -> bool:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(getattr(value, "__name__", None), str) and (
        inspect.isbuiltin(value) or str(module).startswith("torch")
    )

"""The answers of a notebook, run in workers: as few as are safe."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.outcome import Died, Missing, Outcome, Raised, TimedOut
from tensorgrader.sandbox.client import DEADLINE, Sandbox

DEFINITIONS = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
ASSIGNMENTS = ast.Assign | ast.AnnAssign | ast.AugAssign


@dataclass(frozen=True)
class Limits:
    """The seconds a worker has for each cell and call, a notebook in all, a student in all.

    An exercise that trains may allow more for its calls.
    """

    deadline: float = DEADLINE
    budget: float = 60.0
    student: float = 120.0


LIMITS = Limits()


def beside(source: str, slow: int, *, strict: bool) -> set[int]:
    """Return the numbers of the statements to leave out of a cell in which one takes too long.

    Definitions stay, and what has been run by then; if strict, only what can hardly take long:
    imports, functions, classes and constants.
    """
    left = {slow}
    for number, statement in enumerate(ast.parse(source).body):
        assigns = isinstance(statement, ASSIGNMENTS)
        computes = any(isinstance(node, ast.Call) for node in ast.walk(statement))
        defines = isinstance(statement, DEFINITIONS) or (assigns and not (strict and computes))
        if not defines and (strict or number > slow):
            left.add(number)
    return left


class WorkerPool:
    """The cells of a notebook, loaded in order into workers, and into others when these end.

    There is one worker for all exercises that forbid the same ready-made functions. A cell that
    takes too long is run again without its slow lines, twice at most, so it takes three deadlines
    at most.
    """

    def __init__(self, limits: Limits, confined: bool | None, hidden: Iterable[str] = ()):
        """Store the workers' limits, whether they are in a sandbox, and the hidden packages.

        Imports of `hidden` packages do nothing.
        """
        self._limits, self._confined, self._hidden = limits, confined, tuple(hidden)
        self._spent = 0.0  # of workers that have ended
        self._workers: dict[frozenset[str], tuple[Sandbox, set[str]]] = {}  # with the loaded cells
        self._forbidden: frozenset[str] = frozenset()
        self._cells: dict[str, str] = {}
        self.tried: dict[str, None] = {}  # what the code tried
        self._problems: dict[str, Raised | TimedOut | Died | None] = {}
        self._without: dict[str, list[set[int]]] = {}  # the statements to leave out of a slow cell
        self.slow: dict[str, TimedOut] = {}  # cells that run without these
        self._module, self._versions = "", list[Sequence[Sequence]]()

    def module(self, name: str, *versions: Sequence[Sequence]) -> None:
        """Make in each worker a module of the first of these versions that it can make."""
        self._module, self._versions = name, list(versions)

    def add(self, name: str, source: str) -> None:
        """Add the next cell."""
        self._cells[name] = source

    def begin(self, exercise: Exercise) -> None:
        """Start an exercise, with the worker that forbids its ready-made functions."""
        self._forbidden = exercise.forbidden

    def call(self, exercise: Exercise, batch: list[Inputs]) -> Iterator[Outcome]:
        """Apply the function of an exercise, or return what kept its cell from defining it."""
        late = Died(f"was not run, since this notebook took over {self._limits.budget:.3g} s")
        sandbox = self._load()
        if sandbox is None:
            yield late
            return
        problem = self._problems.get(exercise.id)
        if isinstance(problem, TimedOut | Died):
            yield problem
            return
        for outcome in sandbox.call(exercise.function, batch, exercise.seconds):
            missing = self.slow.get(exercise.id) or problem
            if missing and isinstance(outcome, Missing):
                yield from repeat(missing, len(batch))
                return
            yield outcome
            if self.seconds > self._limits.budget:
                sandbox.close()
                yield late
                return

    def raised(self, exercise: Exercise) -> Raised | None:
        """Return what a statement of an exercise's cell raised although the others ran."""
        problem = self._problems.get(exercise.id)
        return problem if isinstance(problem, Raised) else None

    @property
    def seconds(self) -> float:
        """The seconds of all its workers, without the time spent waiting for a busy machine."""
        return self._spent + sum(sandbox.seconds for sandbox, _ in self._workers.values())

    def close(self) -> None:
        """End the workers."""
        for forbidden in list(self._workers):
            self._end(forbidden)

    def _end(self, forbidden: frozenset[str]) -> None:
        sandbox, _ = self._workers.pop(forbidden)
        sandbox.close()
        self.tried |= sandbox.tried
        self._spent += sandbox.seconds

    def _load(self) -> Sandbox | None:
        """Return a live worker that has run all cells but those that end it; None if too late."""
        while self.seconds <= self._limits.budget:
            sandbox, loaded = self._living()
            waiting = (n for n in self._cells if n not in loaded and not self._is_fatal(n))
            name = next(waiting, None)
            if name is None:
                return sandbox
            without = self._without.get(name, [])
            outcome = sandbox.run({name: self._cells[name]}, set().union(*without))
            if isinstance(outcome, list):
                self._problems[name] = outcome[0]
                loaded.add(name)
            elif isinstance(outcome, TimedOut) and outcome.statement >= 0 and len(without) < 2:
                slow = beside(self._cells[name], outcome.statement, strict=bool(without))
                self._without[name] = [*without, slow]
                self.slow[name] = outcome
            else:
                self._problems[name] = outcome
                self.slow.pop(name, None)
        return None

    def _living(self) -> tuple[Sandbox, set[str]]:
        """Return the current worker with what it has loaded, or a fresh one if it has ended."""
        if self._forbidden in self._workers and not self._workers[self._forbidden][0].alive:
            self._end(self._forbidden)
        if self._forbidden not in self._workers:
            sandbox = self._fresh()
            while self._versions and not sandbox.module(self._module, self._versions[0]):
                del self._versions[0]
                self._spent += sandbox.seconds
                sandbox = self._fresh()
            self._workers[self._forbidden] = sandbox, set()
        return self._workers[self._forbidden]

    def _fresh(self) -> Sandbox:
        return Sandbox(
            self._limits.deadline,
            forbidden=self._forbidden,
            hidden=self._hidden,
            confined=self._confined,
        )

    def _is_fatal(self, name: str) -> bool:
        return isinstance(self._problems.get(name), TimedOut | Died)

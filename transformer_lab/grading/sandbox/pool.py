"""The answers of a notebook, run in workers: as few as are safe."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.outcome import Died, Missing, Outcome, Raised, TimedOut
from transformer_lab.grading.sandbox.client import DEADLINE, Sandbox


@dataclass(frozen=True)
class Limits:
    """The seconds a worker has for each cell and call, a notebook for all, a student for all.

    An exercise that trains may give its calls more.
    """

    deadline: float = DEADLINE
    budget: float = 60.0
    student: float = 120.0


LIMITS = Limits()


class WorkerPool:
    """The cells of a notebook, loaded in order into a worker, and into another when it ends."""

    def __init__(self, limits: Limits, confined: bool | None):
        """Take what bounds the workers, and whether they are in a sandbox."""
        self._limits, self._confined = limits, confined
        self._spent = 0.0  # by workers that have ended
        self._sandbox: Sandbox | None = None
        self._forbidden: frozenset[str] = frozenset()
        self._cells: dict[str, str] = {}
        self._loaded: set[str] = set()  # into the worker at hand
        self.tried: dict[str, None] = {}  # what the code was seen to try
        self._problems: dict[str, Raised | TimedOut | Died | None] = {}

    def add(self, name: str, source: str) -> None:
        """Add the next cell."""
        self._cells[name] = source

    def begin(self, exercise: Exercise) -> None:
        """Turn to an exercise: the worker at hand stays if it refuses the same ready-mades."""
        if exercise.forbidden != self._forbidden:
            self.close()
            self._forbidden = exercise.forbidden

    def call(self, exercise: Exercise, batch: list[Inputs]) -> Iterator[Outcome]:
        """Apply the function of an exercise, or say what kept its cell from defining it."""
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
            if problem and isinstance(outcome, Missing):
                yield from repeat(problem, len(batch))
                return
            yield outcome
            if self.seconds > self._limits.budget:
                sandbox.close()
                yield late
                return

    @property
    def seconds(self) -> float:
        """The seconds that all its workers took, but for waiting while the machine was busy."""
        return self._spent + (self._sandbox.seconds if self._sandbox else 0.0)

    def close(self) -> None:
        """End the worker."""
        if self._sandbox:
            self._sandbox.close()
            self.tried |= self._sandbox.tried
            self._spent, self._sandbox = self.seconds, None

    def _load(self) -> Sandbox | None:
        """Give a living worker that has run every cell but those that end it, or None: too late."""
        at_once = True
        while self.seconds <= self._limits.budget:
            sandbox = self._living()
            waiting = [n for n in self._cells if n not in self._loaded and not self._is_fatal(n)]
            if not waiting:
                return sandbox
            names = waiting if at_once else waiting[:1]
            outcomes = sandbox.run({name: self._cells[name] for name in names})
            if isinstance(outcomes, list):
                self._problems |= zip(names, outcomes, strict=True)
                self._loaded.update(names)
            elif at_once and len(names) > 1:
                at_once = False  # to find the one that ends it
            else:
                self._problems[names[0]] = outcomes
                at_once = True
        return None

    def _living(self) -> Sandbox:
        """Give the worker at hand, or a fresh one if it has ended."""
        if self._sandbox is None or not self._sandbox.alive:
            self.close()
            self._sandbox = Sandbox(
                self._limits.deadline, forbidden=self._forbidden, confined=self._confined
            )
            self._loaded.clear()
        return self._sandbox

    def _is_fatal(self, name: str) -> bool:
        """Tell whether a cell is known to end its worker."""
        return isinstance(self._problems.get(name), TimedOut | Died)

"""The verdict on a notebook: its answer cells, run in a worker and judged here."""

import ast
import re
from dataclasses import dataclass, replace
from pathlib import Path

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.forbidden import ready_made, refusal, used_names
from transformer_lab.grading.judge import Result, refused, verdict
from transformer_lab.grading.sandbox import DEADLINE, Died, Outcome, Sandbox, TimedOut
from transformer_lab.grading.submission import Submission, parse, read_submission
from transformer_lab.grading.trial import Trial
from transformer_lab.grading.worker import Missing, Raised


@dataclass(frozen=True)
class Grade:
    """A notebook's results, property by property, and the seed its inputs were drawn from."""

    path: Path
    seed: int
    results: tuple[Result, ...]

    @property
    def earned(self) -> int:
        """The points gained."""
        return sum(result.earned for result in self.results)

    @property
    def points(self) -> int:
        """The points there are."""
        return sum(result.points for result in self.results)


class Answers:
    """Cells loaded into a worker, and again into a fresh one whenever it ends."""

    def __init__(self, cells: dict[str, str], deadline: float):
        """Take the cells in the order in which they are to run."""
        self._cells, self._deadline = cells, deadline
        self._sandbox: Sandbox | None = None
        self._problems: dict[str, Raised | TimedOut | Died] = {}

    def call(self, exercise: Exercise, inputs: Inputs) -> Outcome:
        """Apply the function of an exercise, or say what kept its cell from defining it."""
        if isinstance(self._problems.get(exercise.id), TimedOut | Died):
            return self._problems[exercise.id]
        outcome = self._loaded().call(exercise.function, *inputs)
        if isinstance(outcome, Missing):
            return self._problems.get(exercise.id, outcome)
        return outcome

    def close(self) -> None:
        """End the worker."""
        if self._sandbox:
            self._sandbox.close()

    def _loaded(self) -> Sandbox:
        """Give a living worker in which every cell has run that does not end it."""
        while self._sandbox is None or not self._sandbox.alive:
            self._sandbox = Sandbox(self._deadline)
            for name, source in self._cells.items():
                if self._sandbox.alive and not self._is_fatal(name):
                    outcome = self._sandbox.run(name, source)
                    if outcome is not None:
                        self._problems[name] = outcome
        return self._sandbox

    def _is_fatal(self, name: str) -> bool:
        """Tell whether a cell is known to end its worker."""
        return isinstance(self._problems.get(name), TimedOut | Died)


def grade_notebook(path: Path, seed: int, deadline: float = DEADLINE) -> Grade:
    """Grade a notebook. Raises SubmissionError for a file that cannot be graded."""
    submission = read_submission(path)
    parsed = {name: parse(source) for name, source in submission.answers.items()}
    trees = {name: tree for name, (_, tree, _) in parsed.items() if tree}
    imports = ast.parse("\n".join(submission.imports))
    lines = [submission.chapter.prelude, *submission.imports]
    cells = {f"imports-{number}": line for number, line in enumerate(lines)}
    answers = Answers(cells | {name: parsed[name][0] for name in trees}, deadline)
    results: list[Result] = []
    try:
        for exercise in submission.chapter.exercises:
            _, tree, problem = parsed.get(exercise.id, ("", None, "is missing."))
            if tree is None:
                results += refused(exercise, f"The answer cell `{exercise.id}` {problem}")
            elif found := ready_made(
                [exercise.function], [imports, *trees.values()], exercise.forbidden
            ):
                results += refused(exercise, refusal(found))
            else:
                notes = _leans_on(tree, results)
                trial = Trial(exercise, lambda inputs, e=exercise: answers.call(e, inputs), seed)
                for prop in exercise.properties:
                    result = verdict(trial, prop)
                    notes_here = (*notes, *_defined_elsewhere(result, submission))
                    results.append(replace(result, notes=notes_here) if result.finding else result)
    finally:
        answers.close()
    return Grade(path, seed, tuple(results))


def _leans_on(tree: ast.Module, results: list[Result]) -> tuple[str, ...]:
    """Note which functions judged before are used here and are not right yet."""
    wrong = {result.exercise.function for result in results if result.finding}
    called = sorted(wrong & used_names(tree))
    return tuple(f"It uses your `{name}`, which is not right yet: begin there." for name in called)


def _defined_elsewhere(result: Result, submission: Submission) -> tuple[str, ...]:
    """Note that a name is missing because its cell is not an answer cell."""
    outcome = result.case.outcome if result.case else None
    if not isinstance(outcome, Raised) or outcome.type != "NameError":
        return ()
    match = re.match(r"name '(\w+)'", outcome.message)
    if not match or match[1] not in submission.elsewhere:
        return ()
    return (
        f"You define `{match[1]}` in a cell that is not an answer cell; only answer cells are "
        "graded. Move it into the answer.",
    )

"""The judgement on properties. Both judges end here.

`check.check` brings a function of its own process, `grade` brings a worker's.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from transformer_lab.grading.exercise import Exercise, Mistake, Property
from transformer_lab.grading.finding import Finding, finding
from transformer_lab.grading.naming import name_mistake
from transformer_lab.grading.questions import Case, Trial, size


@dataclass(frozen=True, eq=False)
class Result:
    """A property judged: without a finding it holds.

    `case` is the smallest that fails, `mistake` the one known mistake that explains everything,
    `wrong_steps` the functions called that are not right yet.
    """

    exercise: Exercise
    prop: Property
    finding: Finding | None = None
    case: Case | None = None
    mistake: Mistake | None = None
    wrong_steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """The points the property is worth."""
        return self.prop.points

    @property
    def earned(self) -> int:
        """The points gained: a property holds or it does not."""
        return 0 if self.finding else self.prop.points


def judge(trial: Trial, properties: Iterable[Property]) -> list[Result]:
    """Judge properties of a function on trial, and name the mistake that explains what fails."""
    results = [_judged(trial, prop) for prop in properties]
    if not any(result.finding for result in results):
        return results
    mistake = name_mistake(trial)
    return [replace(result, mistake=mistake) if result.finding else result for result in results]


def _judged(trial: Trial, prop: Property) -> Result:
    """Judge one property by itself."""
    failing = [
        (case, found)
        for case in trial.cases(prop)
        if (found := finding(trial.exercise, case, prop.unchanged, prop.trains))
    ]
    if not failing:
        return Result(trial.exercise, prop)
    case, found = min(failing, key=lambda pair: size(pair[0].inputs))
    return Result(trial.exercise, prop, found, case)


def holds(trial: Trial) -> bool:
    """Tell whether every property of a function holds."""
    return not any(
        finding(trial.exercise, case, prop.unchanged, prop.trains)
        for prop in trial.exercise.properties
        for case in trial.cases(prop)
    )


def blaming(result: Result, wrong_steps: Iterable[str]) -> Result:
    """Add to a failure the functions it calls that are not right yet: then no mistake is sure."""
    steps = tuple(wrong_steps)
    if not steps or not result.finding:
        return result
    return replace(result, mistake=None, wrong_steps=steps)


def refused(exercise: Exercise, words: str) -> list[Result]:
    """Give no points to an answer that was not run, and say why at each of its properties."""
    return [Result(exercise, prop, Finding(words)) for prop in exercise.properties]

"""The judgement on properties, for all kinds of answers.

`check.check` brings a function of its own process, `grade` brings a worker's.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import torch

from tensorgrader.course import Course
from tensorgrader.difference import Finding, change, finding
from tensorgrader.exercise import Exercise, Mistake, Property
from tensorgrader.naming.name_mistakes import name_mistakes
from tensorgrader.outcome import UNWRITTEN, Outcome, Raised, Returned
from tensorgrader.sandbox.values import Made
from tensorgrader.trial import Case, Trial, same, size, tensors

NOT_YET = Finding("Something else fails.")

Look = Callable[[Exercise, Case], Finding | None]


@dataclass(frozen=True, eq=False)
class Result:
    """A judged property: it holds if there is no finding.

    `failing` are the failing cases by number, `case` is the smallest of them. `mistakes` are the
    known ones that explain all failures, or all without a mask; `wrong_steps` are the functions
    called that are not right yet. `beside` is what costs no points: what the cell does besides
    defining the function; `earlier` says which of what it imports from earlier chapters is not the
    learner's. Where the learner writes a test, `gallery` says of each function or model that was
    tried whether its verdict is right.
    """

    exercise: Exercise
    prop: Property
    finding: Finding | None = None
    case: Case | None = None
    mistakes: tuple[Mistake, ...] = ()
    wrong_steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    beside: str = ""
    earlier: str = ""
    gallery: tuple[tuple[str, bool], ...] = ()
    failing: tuple[tuple[int, Case], ...] = ()

    @property
    def points(self) -> int:
        """The points the property is worth."""
        return self.prop.points

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the smallest failing case, if there is one."""
        return self.case.outcome if self.case else None

    @property
    def is_unwritten(self) -> bool:
        """Whether the answer still has its stub."""
        return isinstance(self.outcome, Raised) and self.outcome.type == UNWRITTEN.type

    @property
    def earned(self) -> int:
        """The points earned: a property holds or it does not."""
        return 0 if self.finding else self.prop.points


def judge(course: Course, trial: Trial, properties: Iterable[Property]) -> list[Result]:
    """Judge properties of a function on trial, and name the mistakes that explain failures.

    If nothing explains everything, the cases without a mask may prove mistakes by themselves.
    """
    results = _results(trial, properties)
    if not any(result.finding for result in results):
        return results
    gallery = _gallery(trial)
    results = [replace(r, gallery=gallery) if r.finding else r for r in results]
    if trial.exercise.hunted:
        return [replace(r, finding=r.finding or NOT_YET) if r.points else r for r in results]
    cases = trial.all_cases()
    unmasked = [case for case in cases if not _is_masked(case)]
    named = name_mistakes(course, trial.exercise, cases)
    if not named and len(unmasked) < len(cases):
        proved = name_mistakes(course, trial.exercise, unmasked)
        return [
            result if any(map(_is_masked, trial.cases(result.prop))) else _named(result, proved)
            for result in results
        ]
    return [_named(result, named) for result in results]


def _gallery(trial: Trial) -> tuple[tuple[str, bool], ...]:
    """Return all that a learner's test was tried on, and whether its verdict is right each time.

    Return nothing if the answer is no test, or gave no verdict.
    """
    tried: dict[str, bool] = {}
    for case in (case for prop in trial.exercise.properties for case in trial.cases(prop)):
        made = [given for given in case.inputs.args if isinstance(given, Made)]
        if len(made) != 1 or not isinstance(case.expected, bool | str):
            return ()
        if not isinstance(case.outcome, Returned) or case.outcome.value is None:
            return ()
        right = same(case.outcome.value, case.expected)
        tried[made[0].says] = right and tried.get(made[0].says, True)
    return tuple(tried.items())


def _named(result: Result, mistakes: tuple[Mistake, ...]) -> Result:
    return replace(result, mistakes=mistakes) if result.finding else result


def _is_masked(case: Case) -> bool:
    return any(
        given.dtype == torch.bool for given in tensors((*case.inputs.args, case.inputs.mask))
    )


def _results(trial: Trial, properties: Iterable[Property]) -> list[Result]:
    """Judge each property; what holds is then checked for modified arguments."""
    results = [_judged(trial, prop, trial.cases(prop), finding) for prop in properties]
    right = [case for r in results if not r.finding for case in trial.cases(r.prop)]
    return [
        _judged(trial, result.prop, right, change)
        if result.prop.unchanged and not result.finding
        else result
        for result in results
    ]


def _judged(trial: Trial, prop: Property, cases: list[Case], look: Look) -> Result:
    looked = ((n, case, look(trial.exercise, case)) for n, case in enumerate(cases))
    wrong = [(n, case, found) for n, case, found in looked if found]
    if not wrong:
        return Result(trial.exercise, prop)
    _, case, found = min(wrong, key=lambda one: size(one[1].inputs))
    failing = tuple((n, case) for n, case, _ in wrong)
    return Result(trial.exercise, prop, found, case, failing=failing)


def holds(trial: Trial) -> bool:
    """Return whether every property of a function holds."""
    return not any(result.finding for result in _results(trial, trial.exercise.properties))


def blaming(result: Result, wrong_steps: Iterable[str]) -> Result:
    """Add to a failure the functions it calls that are not right yet, and drop its mistakes."""
    steps = tuple(wrong_steps)
    if not steps or not result.finding:
        return result
    return replace(result, mistakes=(), wrong_steps=steps)


def refused(exercise: Exercise, words: str) -> list[Result]:
    """Return a failure with this message for each property of an answer that was not run."""
    return [Result(exercise, prop, Finding(words)) for prop in exercise.properties]

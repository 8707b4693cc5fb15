"""Which known mistake is it? Only said when the evidence leaves one."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from transformer_lab.grading.exercise import Inputs, Mistake
from transformer_lab.grading.sandbox import Outcome
from transformer_lab.grading.trial import Case, Question, Trial, same
from transformer_lab.grading.values import plain
from transformer_lab.grading.worker import Raised, Returned, apply

EVIDENCE = 3


@lru_cache(maxsize=1)
def name_mistake(trial: Trial) -> Mistake | None:
    """Name the mistake whose outcomes the learner's function has on every input tried.

    At least three of these outcomes must be wrong results that coincide, and no mistake of
    another name may fit as well. Kept for the trial at hand: each of its properties asks.
    """
    cases = sorted(trial.all_cases(), key=_is_wrong, reverse=True)  # wrong ones tell most
    answered = all(isinstance(case.outcome, Returned | Raised) for case in cases)
    if not answered or not all(map(_is_wrong, cases[:EVIDENCE])) or len(cases) < EVIDENCE:
        return None
    fitting = {mistake.name: mistake for mistake in trial.exercise.mistakes if fits(mistake, cases)}
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def fits(mistake: Mistake, cases: list[Case]) -> bool:
    """Tell whether a mistake explains every case."""
    return all(alike(_outcome(mistake, case.question), case.outcome) for case in cases)


def _outcome(mistake: Mistake, question: Question) -> Outcome:
    """Give what a mistake makes of a question, found out once for all who are asked it."""
    function = mistake.function
    if function not in question.mistaken:
        question.mistaken[function] = apply_here(function, question.inputs)
    return question.mistaken[function]


def apply_here(function: Callable[..., Any], inputs: Inputs) -> Returned | Raised:
    """Apply a function in this process to copies of the inputs."""
    return apply(function, plain(inputs.args), plain(inputs.mask))


def alike(one: Outcome, other: Outcome) -> bool:
    """Compare outcomes: the same result and the same arguments afterwards, or an error in both."""
    if isinstance(one, Returned) and isinstance(other, Returned):
        return same(one.value, other.value) and same(one.after, other.after)
    return isinstance(one, Raised) and isinstance(other, Raised)


def _is_wrong(case: Case) -> bool:
    """Tell whether a case returned something, and the wrong thing."""
    if not isinstance(case.outcome, Returned):
        return False
    arguments = (*case.inputs.args, case.inputs.mask)
    right = same(case.outcome.value, case.expected) and same(case.outcome.after, arguments)
    return not right

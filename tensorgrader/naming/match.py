"""Whether a function with a known mistake does what the learner's function does."""

from dataclasses import replace
from typing import Any

from tensorgrader.cache import cached
from tensorgrader.exercise import Function, Inputs
from tensorgrader.naming.compare import alike, wrong_parts
from tensorgrader.outcome import Outcome, Raised, Returned
from tensorgrader.sandbox.values import Made
from tensorgrader.trial import Case, Question, apply_here, compared

EVIDENCE = 3
#: The error that a page's small PyTorch raises for what it lacks.
MISSING = "NotOnThisPage"


def fits(function: Function, cases: list[Case]) -> bool:
    """Return whether a function gives the learner's outcome on every input."""
    return all(alike(case.outcome, outcome_of(function, case)) for case in cases)


def outcome_of(function: Function, case: Case) -> Outcome:
    """Return the outcome of a wrong function, computed once per question for all answers."""
    mistaken = case.question.mistaken
    if function not in mistaken:
        try:
            outcome = apply_here(function, _shared(case.question))
        except BaseException as error:
            # A page may lack what this mistake calls; a deadline, or Ctrl+C, is the learner's.
            if type(error).__name__ != MISSING:
                raise
            outcome = Raised(MISSING, "", 0, "")
        mistaken[function] = compared(case.question, outcome)
    return mistaken[function]


@cached
def _shared(question: Question) -> Inputs:
    """Return a question's inputs; known mistakes share models that nothing can change."""
    args, before = question.inputs.args, question.inputs.before
    before = before and tuple(map(_made_once, before))
    return question.inputs._replace(args=tuple(map(_made_once, args)), before=before)


def _made_once(value: Any) -> Any:
    """Return a recipe whose model is built already, the same for every caller."""
    if not isinstance(value, Made) or not value.steady:
        return value
    model = value.recipe(*value.given)
    return replace(value, recipe=lambda: model, given=())


def is_wrong(case: Case) -> bool:
    """Return whether a case returned something, and the wrong thing."""
    return isinstance(case.outcome, Returned) and bool(wrong_parts(case.outcome, case))


def is_evident(cases: list[Case]) -> bool:
    """Return whether enough cases are wrong to name a mistake by them."""
    return sum(map(is_wrong, cases)) >= EVIDENCE


def errs_alike(function: Function, cases: list[Case]) -> bool:
    """Return whether a function gives the same outcomes, with the same messages of errors."""
    said = ((_words(case.outcome), _words(outcome_of(function, case))) for case in cases)
    return all(mine == its for mine, its in said) and fits(function, cases)


def is_telling(cases: list[Case]) -> bool:
    """Return whether wrong results and errors suffice together: errors that name other sizes.

    Many mistakes may raise an error, but few name the same sizes each time.
    """
    said = {_words(case.outcome) for case in cases if isinstance(case.outcome, Raised)}
    return sum(map(is_wrong, cases)) + len(said) >= EVIDENCE


def _words(outcome: Outcome) -> tuple[str, ...]:
    return (outcome.type, outcome.message) if isinstance(outcome, Raised) else ()

"""Which known mistake is it? Only said when the evidence leaves one."""

from transformer_lab.grading.exercise import Function, Mistake
from transformer_lab.grading.outcome import Outcome, Raised, Returned
from transformer_lab.grading.questions import Case, Question, Trial, apply_here, same

EVIDENCE = 3


def name_mistake(trial: Trial) -> Mistake | None:
    """Name the mistake whose outcomes the learner's function has on every input tried.

    At least three of these outcomes must be wrong results that coincide, and no mistake of
    another name may fit as well.
    """
    cases = sorted(trial.all_cases(), key=_is_wrong, reverse=True)  # wrong ones tell most
    answered = all(isinstance(case.outcome, Returned | Raised) for case in cases)
    if not answered or not all(map(_is_wrong, cases[:EVIDENCE])) or len(cases) < EVIDENCE:
        return None
    fitting = [mistake for mistake in trial.exercise.mistakes if fits(mistake, cases)]
    return fitting[0] if len(fitting) == 1 else None


def fits(mistake: Mistake, cases: list[Case]) -> bool:
    """Tell whether one way to make a mistake explains every case."""
    return any(
        all(alike(_outcome(way, case.question), case.outcome) for case in cases)
        for way in mistake.ways
    )


def _outcome(way: Function, question: Question) -> Outcome:
    """Give what a mistake makes of a question, found out once for all who are asked it."""
    if way not in question.mistaken:
        question.mistaken[way] = apply_here(way, question.inputs)
    return question.mistaken[way]


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

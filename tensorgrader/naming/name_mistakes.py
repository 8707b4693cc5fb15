"""Name the known mistakes that explain an answer, if the evidence leaves one explanation."""

from collections.abc import Iterator
from itertools import chain

from tensorgrader.course import Course
from tensorgrader.exercise import Exercise, Mistake
from tensorgrader.naming.compare import alike, arguments, wrong_parts
from tensorgrader.naming.generic_arguments import of_arguments
from tensorgrader.naming.generic_results import Change, of_results
from tensorgrader.naming.match import errs_alike, fits, is_evident, is_telling, is_wrong
from tensorgrader.naming.mutate import Wrong, by_step, of_steps, own
from tensorgrader.naming.pairs import pairs_explaining
from tensorgrader.naming.self_evident import without_habits
from tensorgrader.outcome import UNWRITTEN, Outcome, Raised, Returned
from tensorgrader.sandbox.values import plain
from tensorgrader.trial import Case

APPLIED = 200  # the maximum of wrong functions that are tried for one answer
WITHIN = 40  # of these, the share for one mistake inside another

Mistakes = tuple[Mistake, ...]


def name_mistakes(course: Course, exercise: Exercise, cases: list[Case]) -> Mistakes:
    """Return the fewest mistakes whose outcomes equal the learner's on every input tried.

    At least three of these outcomes must be equal wrong results, or errors with the same message
    about other sizes, and no mistakes of other names may explain them as well. One mistake comes
    before two, and those of the exercise itself before those of its steps.
    """
    cases = sorted(cases, key=is_wrong, reverse=True)  # wrong ones are the most informative
    answered = all(isinstance(case.outcome, Returned | Raised) for case in cases)
    if not answered or all(case.outcome is UNWRITTEN for case in cases):
        return ()
    near, far = own(exercise), of_steps(course, exercise)
    anywhere = of_arguments(exercise)[: max(APPLIED - WITHIN - len(near) - len(far), 0)]
    left = APPLIED - len(anywhere)
    for explaining in chain(
        _singles(course, exercise, cases),
        _habits(course, exercise, cases),
        pairs_explaining(near, far, cases, left),
        _anywhere(exercise, anywhere, cases),
    ):
        named = {frozenset(mistake.name for mistake in found): found for found in explaining}
        if named:
            return next(iter(named.values())) if len(named) == 1 else ()
    return ()


def _singles(course: Course, exercise: Exercise, cases: list[Case]) -> Iterator[list[Mistakes]]:
    """Yield single mistakes that explain the cases: the exercise's, then the nearest step's."""
    explains = fits if is_evident(cases) else errs_alike
    if is_telling(cases):
        for some in (own(exercise), *reversed(by_step(course, exercise).values())):
            yield [(wrong.mistake,) for wrong in some if explains(wrong.function, cases)]


def _habits(course: Course, exercise: Exercise, cases: list[Case]) -> Iterator[list[Mistakes]]:
    """Yield what the cases prove by themselves, with the mistakes that explain the rest."""
    habits, others = without_habits(cases)
    proved = tuple(Mistake(h.name, h.why, exercise.place(exercise.section)) for h in habits)
    if not any(wrong_parts(case.outcome, case) for case in others):
        yield [proved] if proved else []
    else:
        for explaining in _singles(course, exercise, others):
            yield [(*proved, *found) for found in explaining]


def _anywhere(
    exercise: Exercise, anywhere: list[Wrong], cases: list[Case]
) -> Iterator[list[Mistakes]]:
    if is_evident(cases):
        yield [
            *((wrong.mistake,) for wrong in anywhere if fits(wrong.function, cases)),
            *(
                (mistake,)
                for mistake, change in of_results(exercise)
                if all(alike(_changed(case, change), case.outcome) for case in cases)
            ),
        ]


def _changed(case: Case, change: Change) -> Outcome:
    try:
        return Returned(plain(change(case.expected)), arguments(case))
    except Exception as error:
        return Raised(type(error).__name__, "", 0, "")

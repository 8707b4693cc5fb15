"""Which known mistakes explain an answer? Only said when the evidence leaves one explanation."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice, permutations
from typing import Any, NamedTuple

from transformer_lab.grading.altered import Change, of_results
from transformer_lab.grading.anywhere import of_arguments
from transformer_lab.grading.comparing import (
    alike,
    arguments,
    different_parts,
    form,
    overlaid,
    wrong_parts,
)
from transformer_lab.grading.composing import Wrong, by_step, of_steps, own, replaced
from transformer_lab.grading.exercise import Exercise, Function, Mistake
from transformer_lab.grading.habits import without_habits
from transformer_lab.grading.outcome import Outcome, Raised, Returned
from transformer_lab.grading.questions import Case, apply_here
from transformer_lab.grading.sandbox.values import plain

EVIDENCE = 3
APPLIED = 200  # functions that make known mistakes, at most, that are tried for one answer
WITHIN = 40  # of these, for one mistake made within another

Mistakes = tuple[Mistake, ...]
Places = set[tuple[int, int]]


def name_mistakes(exercise: Exercise, cases: list[Case]) -> Mistakes:
    """Name the fewest mistakes whose outcomes the learner's function has on every input tried.

    At least three of these outcomes must be wrong results that coincide, and no mistakes of other
    names may explain them as well. One mistake goes before two, and what is known of the exercise
    itself before what is known of its steps.
    """
    cases = sorted(cases, key=_is_wrong, reverse=True)  # wrong ones tell most
    if not all(isinstance(case.outcome, Returned | Raised) for case in cases):
        return ()
    near, far = own(exercise), of_steps(exercise)
    anywhere = of_arguments(exercise)[: max(APPLIED - WITHIN - len(near) - len(far), 0)]
    left = APPLIED - len(anywhere)
    for explaining in chain(
        _singles(exercise, cases),
        _habits(exercise, cases),
        _pairs(near, far, cases, left),
        _anywhere(exercise, anywhere, cases),
    ):
        named = {frozenset(mistake.name for mistake in found): found for found in explaining}
        if named:
            return next(iter(named.values())) if len(named) == 1 else ()
    return ()


def _singles(exercise: Exercise, cases: list[Case]) -> Iterator[list[Mistakes]]:
    """Give the mistakes that explain the cases alone: of the exercise, then of the nearest step."""
    if sum(map(_is_wrong, cases)) >= EVIDENCE:
        for some in (own(exercise), *reversed(by_step(exercise).values())):
            yield [(wrong.mistake,) for wrong in some if _fits(wrong.function, cases)]


def _habits(exercise: Exercise, cases: list[Case]) -> Iterator[list[Mistakes]]:
    """Give what the cases prove by themselves, with what explains them besides."""
    habits, others = without_habits(cases)
    proved = tuple(Mistake(h.name, h.why, exercise.place(exercise.section)) for h in habits)
    if not any(wrong_parts(case.outcome, case) for case in others):
        yield [proved] if proved else []
    else:
        for explaining in _singles(exercise, others):
            yield [(*proved, *found) for found in explaining]


def _anywhere(
    exercise: Exercise, anywhere: list[Wrong], cases: list[Case]
) -> Iterator[list[Mistakes]]:
    """Give the mistakes that can be made in any function and that explain the cases alone."""
    if sum(map(_is_wrong, cases)) >= EVIDENCE:
        yield [
            *((wrong.mistake,) for wrong in anywhere if _fits(wrong.function, cases)),
            *((m,) for m, change in of_results(exercise) if _is_spoilt(change, cases)),
        ]


def _is_spoilt(change: Change, cases: list[Case]) -> bool:
    """Tell whether the learner's function gives the right results, changed in one way."""
    return all(alike(_changed(case, change), case.outcome) for case in cases)


def _changed(case: Case, change: Change) -> Outcome:
    """Give the right result with a change, if it can be changed in this way."""
    try:
        return Returned(plain(change(case.expected)), arguments(case))
    except Exception as error:
        return Raised(type(error).__name__, "", 0, "")


class Tried(NamedTuple):
    """A function with a known mistake, what it makes of each case, and of what form.

    It is wrong in some places: parts of results. In some it is not what the learner's function is.
    """

    wrong: Wrong
    outcomes: list[Outcome]
    forms: list[tuple]
    places: Places
    unlike: Places


Pair = tuple[Tried, Tried]


def _pairs(
    near: list[Wrong], far: list[Wrong], cases: list[Case], most: int
) -> Iterator[list[Mistakes]]:
    """Give the pairs that explain the cases: those of two near mistakes, then of one, then of none.

    Two mistakes are taken to be wrong where one of them is, so that few pairs need be tried; and
    as each of them is where the other is right, so that the likeliest are tried first.
    """
    if sum(map(_is_wrong, cases)) < EVIDENCE:
        return
    yours = [case.outcome for case in cases]
    places, forms = _wrong(yours, cases), list(map(form, yours))
    tried = [_tried(wrong, cases) for wrong in [*near, *far][:most]]
    able = [one for one in tried if one.places <= places]
    pairs = [
        (one, other)
        for one, other in permutations(able, 2)
        if one.places | other.places == places
        and one.wrong.mistake.name != other.wrong.mistake.name
        and all(map(_either, forms, one.forms, other.forms))
    ]
    pairs.sort(key=_unlikely)
    fitting = [*_side_by_side(pairs, cases), *_in_each_other(pairs, cases, most - len(tried))]
    close_by = {wrong.way for wrong in near}
    place = {one.wrong.way: number for number, one in enumerate(tried)}
    for wanted in (2, 1, 0):
        some = [
            (one, other)
            for one, other in fitting
            if len({one.wrong.way, other.wrong.way} & close_by) == wanted
        ]
        nearest = max(
            some, key=lambda pair: max(place[one.wrong.way] for one in pair), default=None
        )
        if nearest and all(_are_alike(pair, nearest) for pair in some):
            some = [nearest]
        yield [(one.wrong.mistake, other.wrong.mistake) for one, other in some]


def _are_alike(pair: Pair, nearest: Pair) -> bool:
    """Tell whether two pairs do the same by other names: the nearest step's are told."""
    return all(
        any(one is two or all(map(alike, one.outcomes, two.outcomes)) for two in nearest)
        for one in pair
    )


def _unlikely(pair: Pair) -> tuple[int, int]:
    """Count where two mistakes should show and do not; then, how late they stand in the bank."""
    one, other = pair
    hidden = (one.places - other.places) & one.unlike, (other.places - one.places) & other.unlike
    return sum(map(len, hidden)), one.wrong.rank + other.wrong.rank


def _either(yours: tuple, one: tuple, other: tuple) -> bool:
    """Tell whether each result has the form that one or the other gives it."""
    alike_many = len(yours) == len(one) == len(other)
    return yours in (one, other) or (alike_many and all(map(_either_one, yours, one, other)))


def _either_one(yours: Any, one: Any, other: Any) -> bool:
    """Tell whether something is one of two."""
    return yours in (one, other)


def _side_by_side(pairs: list[Pair], cases: list[Case]) -> Iterator[Pair]:
    """Give the pairs of which one shows wherever it is wrong, and the other elsewhere."""
    yours = [case.outcome for case in cases]
    shows: dict[Function, bool] = {}
    for one, other in pairs:
        way = one.wrong.way
        if way not in shows:
            shows[way] = all(map(alike, yours, map(overlaid, one.outcomes, yours, cases)))
        both = map(overlaid, one.outcomes, other.outcomes, cases)
        if shows[way] and all(map(alike, yours, both)):
            yield one, other


def _in_each_other(pairs: list[Pair], cases: list[Case], most: int) -> Iterator[Pair]:
    """Give the pairs of which one is made within the other; try no more than so many."""
    functions: dict[frozenset[Function], tuple[Function, Pair]] = {}
    for one, other in pairs:
        both = replaced(one.wrong.function, other.wrong.step, other.wrong.way)
        if both is not one.wrong.function:
            functions.setdefault(frozenset({one.wrong.way, other.wrong.way}), (both, (one, other)))
    for function, pair in islice(functions.values(), max(most, 0)):
        if _fits(function, cases):
            yield pair


def _tried(wrong: Wrong, cases: list[Case]) -> Tried:
    """Try a function with a known mistake on every case."""
    outcomes = [_outcome(wrong.function, case) for case in cases]
    yours = [case.outcome for case in cases]
    unlike = _places(map(different_parts, outcomes, yours))
    return Tried(wrong, outcomes, list(map(form, outcomes)), _wrong(outcomes, cases), unlike)


def _fits(function: Function, cases: list[Case]) -> bool:
    """Tell whether a function does to every input what the learner's does."""
    return all(alike(case.outcome, _outcome(function, case)) for case in cases)


def _outcome(function: Function, case: Case) -> Outcome:
    """Give what a wrong function makes of a question, found out once for all who are asked it."""
    mistaken = case.question.mistaken
    if function not in mistaken:
        mistaken[function] = apply_here(function, case.inputs)
    return mistaken[function]


def _wrong(outcomes: list[Outcome], cases: list[Case]) -> Places:
    """Give the places where outcomes are wrong."""
    return _places(map(wrong_parts, outcomes, cases))


def _places(parts_of_cases: Iterable[set[int]]) -> Places:
    """Give parts of outcomes, each with the number of its case."""
    return {(number, part) for number, parts in enumerate(parts_of_cases) for part in parts}


def _is_wrong(case: Case) -> bool:
    """Tell whether a case returned something, and the wrong thing."""
    return isinstance(case.outcome, Returned) and bool(wrong_parts(case.outcome, case))

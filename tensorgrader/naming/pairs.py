"""Find two known mistakes that explain an answer together."""

from collections.abc import Iterator
from itertools import islice, permutations
from typing import NamedTuple

from tensorgrader.exercise import Function, Mistake
from tensorgrader.naming.compare import alike, distance, form, overlaid, wrong_parts
from tensorgrader.naming.match import fits, is_evident, is_wrong, outcome_of
from tensorgrader.naming.mutate import Wrong, replaced
from tensorgrader.outcome import Outcome
from tensorgrader.trial import Case

TELLING = 8  # the maximum of wrong cases to choose pairs by; those chosen must explain all

Places = set[tuple[int, int]]


class Tried(NamedTuple):
    """A function with a known mistake, its outcome on each case, and the outcomes' forms.

    `places` are the parts of results in which it is wrong, `far` is its distance from the
    learner's.
    """

    wrong: Wrong
    outcomes: list[Outcome]
    forms: list[tuple]
    places: Places
    far: float


Pair = tuple[Tried, Tried]


def pairs_explaining(
    near: list[Wrong], far: list[Wrong], cases: list[Case], most: int
) -> Iterator[list[tuple[Mistake, ...]]]:
    """Yield the pairs that explain the cases: of two near mistakes, then of one, then of none.

    A pair is assumed to be wrong where one of the two is, so few pairs need to be tried. Its
    outcome lies near to that of each mistake alone: the nearest are tried first. A mistake inside
    another that explains all cases exactly comes before two side by side.
    """
    if not is_evident(cases):
        return
    telling = _telling(cases)
    forms = [form(case.outcome) for case in telling]
    parts = enumerate(wrong_parts(case.outcome, case) for case in telling)
    places = {(number, part) for number, some in parts for part in some}
    candidates = [*near, *far][:most]
    able = [one for wrong in candidates if (one := _tried(wrong, telling, places))]
    pairs = [
        (one, other)
        for one, other in permutations(able, 2)
        if one.places | other.places == places
        and one.wrong.mistake.name != other.wrong.mistake.name
        and all(map(_either, forms, one.forms, other.forms))
    ]
    pairs.sort(key=lambda pair: pair[0].far + pair[1].far)
    within = list(_in_each_other(pairs, cases, most - len(candidates)))
    beside = list(_side_by_side(pairs, cases))
    close_by = {wrong.way for wrong in near}
    place = {wrong.way: number for number, wrong in enumerate(candidates)}
    for wanted in (2, 1, 0):
        some = _with_so_many(close_by, wanted, within) or _with_so_many(close_by, wanted, beside)
        nearest = max(
            some, key=lambda pair: max(place[one.wrong.way] for one in pair), default=None
        )
        if nearest and all(_are_alike(pair, nearest) for pair in some):
            some = [nearest]
        yield [(one.wrong.mistake, other.wrong.mistake) for one, other in some]


def _with_so_many(close_by: set[Function], wanted: int, pairs: list[Pair]) -> list[Pair]:
    return [pair for pair in pairs if sum(one.wrong.way in close_by for one in pair) == wanted]


def _telling(cases: list[Case]) -> list[Case]:
    """Return the cases that are right, and enough wrong ones to choose pairs by."""
    wrong = [case for case in cases if is_wrong(case)]
    return [*(case for case in cases if not is_wrong(case)), *wrong[:: -(-len(wrong) // TELLING)]]


def _are_alike(pair: Pair, nearest: Pair) -> bool:
    """Return whether two pairs are the same by other names: the nearest step's are named."""
    return all(
        any(one is two or all(map(alike, one.outcomes, two.outcomes)) for two in nearest)
        for one in pair
    )


def _either(yours: tuple, one: tuple, other: tuple) -> bool:
    """Return whether each result has the form that one or the other mistake gives it."""
    alike_many = len(yours) == len(one) == len(other)
    return yours in (one, other) or (
        alike_many and all(mine in both for mine, *both in zip(yours, one, other, strict=True))
    )


def _side_by_side(pairs: list[Pair], cases: list[Case]) -> Iterator[Pair]:
    """Yield the pairs of which one shows wherever it is wrong, and the other elsewhere."""
    shows: dict[Function, bool] = {}
    for one, other in pairs:
        first, second = one.wrong.function, other.wrong.function
        if one.wrong.way not in shows:
            shows[one.wrong.way] = all(
                alike(case.outcome, overlaid(outcome_of(first, case), case.outcome, case))
                for case in cases
            )
        if shows[one.wrong.way] and all(
            alike(case.outcome, overlaid(outcome_of(first, case), outcome_of(second, case), case))
            for case in cases
        ):
            yield one, other


def _in_each_other(pairs: list[Pair], cases: list[Case], most: int) -> Iterator[Pair]:
    """Yield the pairs with one mistake inside the other; try at most so many."""
    functions: dict[frozenset[Function], tuple[Function, Pair]] = {}
    for one, other in pairs:
        both = replaced(one.wrong.function, other.wrong.step, other.wrong.way)
        if both is not one.wrong.function:
            functions.setdefault(frozenset({one.wrong.way, other.wrong.way}), (both, (one, other)))
    for function, pair in islice(functions.values(), max(most, 0)):
        if fits(function, cases):
            yield pair


def _tried(wrong: Wrong, cases: list[Case], places: Places) -> Tried | None:
    """Try a function with a known mistake on cases, up to one where it alone is wrong."""
    outcomes: list[Outcome] = []
    shown: Places = set()
    for number, case in enumerate(cases):
        outcomes.append(outcome_of(wrong.function, case))
        shown |= {(number, part) for part in wrong_parts(outcomes[-1], case)}
        if not shown <= places:
            return None
    far = sum(map(distance, outcomes, cases)) / len(cases)
    return Tried(wrong, outcomes, list(map(form, outcomes)), shown, far)

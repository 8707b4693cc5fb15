"""What is told of a repair, in three steps: where to look, what would help, and the change itself.

It is one way to make an answer right, not necessarily the learner's mistake.
"""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Any

from tensorgrader.card.card import Hint
from tensorgrader.exercise import Mistake
from tensorgrader.judge import Result
from tensorgrader.outcome import Raised, Returned, Unfit
from tensorgrader.repair.agree import contradicts
from tensorgrader.repair.search import Repair, search
from tensorgrader.trial import Questions

#: What to look at, and what would help, with {old} for the learner's code, {within} around it.
SORTS = {
    "axis": ("the axis", "With another axis in `{within}`"),
    "keepdim": ("the axes that are kept", "With `keepdim=True` in `{old}`"),
    "correction": ("what is divided by", "With `correction=0` in `{old}`"),
    "number": ("the number", "With a number other than `{old}` in `{within}`"),
    "truth": ("True or False", "With the opposite of `{old}` in `{within}`"),
    "off by one": ("one more or one less", "With one more or one less than `{old}`"),
    "operator": ("the operator", "With another operator in `{old}`"),
    "operands": ("the order of the operands", "With the operands of `{old}` swapped"),
    "comparison": ("the comparison", "With another comparison in `{old}`"),
    "sign": ("a sign or a `not`", "With the opposite of `{old}`"),
    "condition": ("the condition", "Without the condition, or with the opposite one, in `{old}`"),
    "parentheses": ("the parentheses", "With other parentheses in `{old}`"),
    "dropped": ("something to leave out", "Without a part of `{old}`"),
    "call": ("the function that is called", "With a related function in `{old}`"),
    "in place": ("a change in place", "With a new value instead of `{old}`"),
    "keyword": ("the keyword arguments", "With other keyword arguments in `{old}`"),
    "arguments": ("the order of the arguments", "With the arguments in another order in `{old}`"),
    "transpose": ("the order of the axes", "With two axes of `{old}` swapped"),
    "swap": ("the order of the axes", "With two axes swapped before `{old}`"),
    "mT": ("the order of the axes", "With only the last two axes swapped in `{old}`"),
    "order": ("the order", "With the parts of `{old}` in another order"),
    "index": ("the index", "With another index in `{old}`"),
    "name": ("the name `{old}`", "With a name other than `{old}` in `{within}`"),
    "root": ("a square root", "With the square root of `{old}`"),
    "new axis": ("the number of axes", "With one more axis in `{old}`"),
    "clone": ("what is copied", "With a copy of `{old}`"),
    "dtype": ("the dtype", "With another dtype of `{old}`"),
    "statement": ("something to leave out", "Without `{old}`"),
    "part": ("what is computed there", "With another value instead of `{old}`"),
}
LONGEST = 60
RIVAL = 0.2  # how much worse than the best another repair may be, to be heard about the place


def is_wanted(results: Sequence[Result]) -> bool:
    """Return whether a place would help: an answer came of each case, and no step is to blame."""
    wrong = [result for result in results if result.finding]
    return bool(wrong) and all(
        result.case
        and isinstance(result.case.outcome, Returned | Raised | Unfit)
        and not result.wrong_steps
        for result in wrong
    )


class Looking:
    """A search for what to tell of an answer. It can be interrupted, and ends by itself."""

    def __init__(
        self,
        function: Any,
        questions: Questions,
        seconds: float,
        named: Collection[Mistake] = (),
        clock: Callable[[], float] = time.monotonic,
    ):
        """Store the answer, the questions it failed, the time there is, and what is named."""
        self._exercise, self._named = questions.exercise, named
        self._search = search(questions, function)
        self._found: list[Repair] = []
        self._left, self._clock = seconds, clock

    def go_on(self, seconds: float) -> bool:
        """Look for so many seconds, and return whether there is more to look for."""
        begun = self._clock()
        for repair in self._search:
            if repair:
                self._found.append(repair)
            spent = self._clock() - begun
            if spent >= min(seconds, self._left):
                self._left -= spent
                return self._left > 0
        return False

    @property
    def hint(self) -> Hint | None:
        """What was found, if it can be told and contradicts no name, which else is told alone."""
        best = None if self._contradicts() else agreed(self._found)
        return hint(best, len(self._exercise.properties)) if best else None

    def _contradicts(self) -> bool:
        best = agreed(self._found) if self._named else None
        code = "\n".join(chain.from_iterable(best.changes)) if best else ""
        pairs = product(self._named, best.steps if best else ())
        apart = [contradicts(self._exercise, name, step, code) for name, step in pairs]
        return bool(apart) and all(apart)


def named(results: Iterable[Result]) -> list[Mistake]:
    """Return the mistakes that results name, once each."""
    return list({m.name: m for result in results for m in result.mistakes}.values())


def agreed(found: Sequence[Repair]) -> Repair | None:
    """Return the most natural repair, if its rivals agree about the line; of pairs, about both."""
    best = min(found, key=lambda repair: repair.penalty, default=None)
    if not best:
        return None
    rivals = (set(r.lines) for r in found if r.penalty <= best.penalty + RIVAL)
    shared = set(best.lines).intersection(*rivals)
    ways = {r.changes for r in found if r.steps == best.steps and r.steps[0].sort == "number"}
    best = replace(best, changes=()) if len(ways) > 1 else best  # any number that is large enough
    return best if shared == set(best.lines) or (shared and len(best.steps) == 1) else None


def hint(best: Repair, requirements: int) -> Hint:
    """Return what to tell of a repair."""
    *others, last = sorted(set(best.lines))
    place = f"lines {', '.join(map(str, others))} and {last}" if others else f"line {last}"
    asked = {1: "the requirement holds", 2: "both requirements hold"}.get(
        requirements, f"all {requirements} requirements hold"
    )
    first, *more = dict.fromkeys(
        SORTS[step.sort][1].format(old=_short(step.old), within=_short(step.within))
        for step in best.steps
    )
    told = ", and ".join([first, *(one[0].lower() + one[1:] for one in more)])
    nouns = (SORTS[step.sort][0].format(old=_short(step.old)) for step in best.steps)
    noun = " and ".join(dict.fromkeys(nouns))
    return Hint(f"Look at {place}: {noun}.", f"{told}, {asked}.", best.changes)


def _short(code: str) -> str:
    """Return code in part of a line: of what is too long, what it calls or how it begins."""
    first, called = code.splitlines()[0], code.partition("(")[0]
    if first == code and len(code) <= LONGEST:
        return first
    return f"{called}(…)" if called.replace(".", "").isidentifier() else f"{first[:LONGEST]}…"

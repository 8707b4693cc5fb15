"""Draw a hunt: which faults a student gets, from a seed that stands in the notebook.

The seed is made of a student's name and a key that stays with the teacher. With both it can be made
again, so a hunt that was given to somebody else is noticed; nobody can make one without the key.
"""

import ast
import hmac
import inspect
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from tensorgrader.course import Course
from tensorgrader.exercise import Chapter, Draw, Exercise, Inputs, Property
from tensorgrader.hunt.bank import Fault, read_bank

#: The chapter of a hunt, and the name to which its notebook gives its text.
HUNT, NAME = "hunt", "HUNT"
TASKS = 5
#: How many seeds each student has, of which one is taken that suits the class.
SEEDS = 128
#: How far from the usual one the difficulty of a hunt may lie, where a seed allows it.
NEAR = 0.5
TEXT = re.compile(r"([a-z_+]{1,300}):([0-9a-f]{6}):([0-9a-f]{16})")
ALL = "The fault is corrected: all of this holds."


class Hunt(NamedTuple):
    """Some faults, the easiest first, and the text in a notebook from which they are drawn."""

    text: str
    faults: tuple[Fault, ...]

    @property
    def difficulty(self) -> float:
        """The sum of the difficulties."""
        return round(sum(fault.difficulty for fault in self.faults), 1)

    @property
    def exercises(self) -> set[str]:
        """The exercises whose functions are faulty."""
        return {fault.exercise for fault in self.faults}


@dataclass(frozen=True)
class HuntChapter(Chapter):
    """The tasks of a hunt, its text, the faulty answers, and what else these need, as code."""

    text: str = ""
    difficulty: float = 0.0
    faulty: tuple[tuple[str, str], ...] = ()
    others: str = ""

    @property
    def given_source(self) -> str:
        """What the answers need, as one cell of the notebook."""
        return self.others


def hunt_of(course: Course, text: str) -> Hunt:
    """Return the hunt that a text in a notebook stands for. Raises ValueError if there is none."""
    match = TEXT.fullmatch(text)
    if not match:
        raise ValueError(f"{NAME} is not the text of a hunt: copy it from the original notebook.")
    chapters, mark, seed = match.groups()
    known = {*course.chapters, "all"}
    if not known.issuperset(chapters.split("+")):
        raise ValueError(f"{NAME} names a chapter that the course does not have: {chapters}.")
    if mark != read_bank(course).mark:
        raise ValueError("This hunt was made by another version of the course, with other faults.")
    return Hunt(text, _drawn(course, chapters, seed))


@lru_cache(maxsize=256)
def with_hunt(course: Course, text: str) -> Course:
    """Return a course with a hunt as its first chapter, so that it imports no other's answers.

    Raises ValueError if the text stands for no hunt.
    """
    hunt, answers, others = hunt_of(course, text), {}, dict[str, str]()
    exercises = []
    for number, fault in enumerate(hunt.faults, 1):
        exercise = course.exercises[fault.exercise]
        exercises.append(_task(exercise, number, text[-6:]))
        answers[exercises[-1].id] = fault.put_into(_solution(course, exercise))
        others |= needed(course, fault.exercise)
    chapter = HuntChapter(
        HUNT,
        tuple(exercises),
        text=text,
        difficulty=hunt.difficulty,
        faulty=tuple(answers.items()),
        others="\n\n\n".join(dict.fromkeys(others.values())),
    )
    return replace(course, chapters={HUNT: chapter, **course.chapters})


def seeds(key: bytes, called: str, scope: str) -> Iterator[str]:
    """Yield the texts of the hunts that somebody of that name may get."""
    for number in range(SEEDS):
        told = "\0".join((scope, called, str(number))).encode()
        yield f"{scope}:{hmac.new(key, told, sha256).hexdigest()[:16]}"


def is_theirs(key: bytes, called: Collection[str], text: str) -> bool:
    """Return whether a hunt was made for somebody with one of these names, with this key."""
    scope = text.rpartition(":")[0]
    return any(text in seeds(key, name, scope) for name in called)


def deal(
    course: Course,
    key: bytes,
    people: Sequence[str],
    chapters: Collection[str] = (),
    after: Sequence[Hunt] = (),
) -> list[Hunt]:
    """Return a hunt for each of these people, who sit beside each other, `after` others.

    Of each one's seeds it takes one by which neighbours share as few functions as possible, the
    difficulty is usual, and faults are given to as few others as possible.
    """
    within = "+".join(sorted({*chapters})) or "all"
    scope = f"{within}:{read_bank(course).mark}"
    options = [[hunt_of(course, text) for text in seeds(key, called, scope)] for called in people]
    pool = _pool(course, within)
    usual = TASKS * sum(fault.difficulty for fault in pool) / len(pool)
    dealt, often = [*after], Counter[Fault]()

    def costs(hunt: Hunt) -> tuple:
        shared = sum(len(hunt.exercises & other.exercises) for other in dealt[-2:])
        far = abs(hunt.difficulty - usual)
        return shared, max(far - NEAR, 0), sum(often[fault] for fault in hunt.faults), far

    for hunts in options:
        dealt.append(min(hunts, key=costs))
        often.update(dealt[-1].faults)
    return dealt[len(after) :]


@lru_cache(maxsize=512)
def needed(course: Course, name: str) -> dict[str, str]:
    """Return the code of the functions that an exercise's solution calls, callees first."""
    exercise = course.exercises[name]
    chapter = course.chapters[exercise.chapter]
    known = {given.__name__: inspect.getsource(given).strip() for given in chapter.given}
    known |= {e.function: _solution(course, e) for e in chapter.exercises if e is not exercise}
    found: dict[str, str] = {}

    def add(code: str) -> None:
        names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
        for called in sorted(names & known.keys() - found.keys()):
            found[called] = ""  # so that what calls itself is added once
            add(known[called])
            del found[called]
            found[called] = known[called]

    add(_solution(course, exercise))
    return found


def _solution(course: Course, exercise: Exercise) -> str:
    """Return the course's own answer to an exercise."""
    return course.solutions(exercise.chapter)[exercise.id]


def _drawn(course: Course, chapters: str, seed: str) -> tuple[Fault, ...]:
    """Draw a fault of each band of difficulty, of functions that can stand in one notebook."""
    every = _pool(course, chapters)
    order = sorted(every, key=lambda fault: sha256(f"{seed}{fault[:3]}".encode()).digest())
    place = {fault: TASKS * n // len(every) for n, fault in enumerate(every)}
    chosen: list[Fault] = []
    for band in (*range(TASKS), None):  # at last any, where a band had none left that fits
        for fault in order:
            fits = band in (None, place[fault]) and len(chosen) < TASKS
            if fits and _fit(course, [*chosen, fault]):
                chosen.append(fault)
                if band is not None:
                    break
    return tuple(sorted(chosen, key=lambda fault: fault.difficulty))


@lru_cache(maxsize=64)
def _pool(course: Course, chapters: str) -> tuple[Fault, ...]:
    """Return the faults of chapters, the easiest first."""
    wanted = {*chapters.split("+")}
    every = tuple(
        fault
        for fault in sorted(read_bank(course).faults, key=lambda fault: fault.difficulty)
        if wanted & {"all", course.exercises[fault.exercise].chapter}
    )
    if not every:
        raise ValueError(f"There are no faults of {chapters}: choose other chapters.")
    return every


def _fit(course: Course, faults: Sequence[Fault]) -> bool:
    """Return whether the functions are different, and none is needed by another, or is called so.

    What they need has to be the same where it has the same name.
    """
    functions = [course.exercises[fault.exercise].function for fault in faults]
    others: dict[str, str] = {}
    for fault in faults:
        for name, code in needed(course, fault.exercise).items():
            if name in functions or others.setdefault(name, code) != code:
                return False
    return len({*functions}) == len(functions)


def _task(exercise: Exercise, number: int, mark: str) -> Exercise:
    """Return an exercise as a task of a hunt: a point for the whole, nothing for parts of it."""
    name = f"{HUNT}-{number}"

    def none(draw: Draw) -> list[Inputs]:
        return []

    parts = [
        replace(prop, id=f"{name}-{mark}-{place}", points=0)
        for place, prop in enumerate(exercise.properties)
    ]
    whole = Property(f"{name}-{mark}-all", 1, ALL, none)
    module = f"{HUNT}.{HUNT}.{number}"
    return replace(exercise, module=module, properties=[*parts, whole], hunted=True)

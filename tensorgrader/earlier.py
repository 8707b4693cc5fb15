"""`from my_gpt import softmax`: what was solved in earlier chapters, as a module.

It holds the learner's own answers where these are right, and the course's for the others, so a
wrong one costs no points in a later chapter. The name of the module is the course's.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple

from tensorgrader.cells import parse
from tensorgrader.course import Course
from tensorgrader.exercise import IMPORTS, Chapter, Exercise
from tensorgrader.sandbox.main_module import first_names
from tensorgrader.sandbox.worker import run

#: The right answers of a learner to a chapter, by exercise.
Solved = Callable[[str], Mapping[str, str]]


class Part(NamedTuple):
    """The cells of one chapter, by name, and which of the names they define are wanted."""

    cells: list[tuple[str, str]]
    wanted: list[str]


def exercises_before(course: Course, chapter: str) -> dict[str, Exercise]:
    """Return the exercises of the chapters before one, by their functions."""
    names = list(course.chapters)
    before = names[: names.index(chapter)] if chapter in names else names
    return {e.function: e for name in before for e in course.chapters[name].exercises}


def imported(module: str, sources: Iterable[str]) -> set[str]:
    """Return the names that code takes from a module, "*" among them if it may take any."""
    trees = (parse(source)[1] for source in sources if module and module in source)
    return {name for tree in trees if tree for node in ast.walk(tree) for name in _of(node, module)}


def _of(node: ast.AST, module: str) -> list[str]:
    match node:
        case ast.ImportFrom(module=name, names=aliases) if name == module:
            return [alias.name for alias in aliases]
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == module:
            return [attribute]
        case ast.Import(names=aliases) if any(a.name == module and a.asname for a in aliases):
            return ["*"]
    return []


def wanted(course: Course, chapter: str, sources: Iterable[str]) -> list[Exercise]:
    """Return the exercises of earlier chapters whose functions an exercise's code imports."""
    names = imported(course.own, sources)
    before = exercises_before(course, chapter) if names else {}
    return [e for name, e in before.items() if name in names or "*" in names]


def parts(course: Course, exercises: Iterable[Exercise], answers: Mapping[str, str]) -> list[Part]:
    """Return the chapters that define these exercises: given answers, ours for the others."""
    names: dict[str, list[str]] = {}
    for exercise in exercises:
        names.setdefault(exercise.chapter, []).append(exercise.function)
    return [
        Part(_cells(course.chapters[name], {**course.solutions(name), **answers}), functions)
        for name, functions in names.items()
    ]


def _cells(chapter: Chapter, answers: Mapping[str, str]) -> list[tuple[str, str]]:
    given = [("given-imports", IMPORTS), ("given", chapter.given_source)]
    return given + [(e.id, answers[e.id]) for e in chapter.exercises if e.id in answers]


class Finder(MetaPathFinder, Loader):
    """Finds the module where answers and grader share a process: in a kernel, and on a page."""

    def __init__(
        self,
        course: Course,
        solved: Solved,
        file: Callable[[], Mapping[str, Any]] = dict,
        tell: Callable[[str], None] = print,
    ):
        self._course, self._solved, self._file, self._tell = course, solved, file, tell

    def install(self) -> None:
        """Begin to find it, in place of another course's or an older one."""
        self.forget()
        others = [one for one in sys.meta_path if not isinstance(one, Finder)]
        sys.meta_path[:] = [self, *others]

    def forget(self) -> None:
        """Forget the module, so that the next import looks anew."""
        sys.modules.pop(self._course.own, None)

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return how the module is loaded; None for any other."""
        return ModuleSpec(name, self) if name == self._course.own else None

    def exec_module(self, module: ModuleType) -> None:
        """Find the names of the module when they are first asked for."""
        before = exercises_before(self._course, "")

        def look_up(name: str) -> Any:
            if name not in before:
                raise AttributeError(f"no exercise asks for a function {name!r}")
            vars(module)[name] = found = self._found(before[name])
            return found

        vars(module)["__getattr__"] = look_up
        vars(module)["__all__"] = list(before)

    def _found(self, exercise: Exercise) -> Any:
        """Return a learner's function if it is right, or what their file has, or ours."""
        answers = self._solved(exercise.chapter)
        if exercise.id in answers:
            chapter, names = self._course.chapters[exercise.chapter], first_names()
            names |= {e.function: e.reference for e in chapter.exercises}
            for cell, source in _cells(chapter, answers):
                run(source, cell, names)
            return names[exercise.function]
        if exercise.function in (own := self._file()):
            return own[exercise.function]
        self._tell(f"{self._course.own}: {ours(self._course, exercise)}")
        return exercise.reference


def ours(course: Course, exercise: Exercise) -> str:
    """Return the message that a function is the course's."""
    return (
        f"`{exercise.function}` is that of {course.title}, because there is no right answer of "
        f"yours to `{exercise.id}`. That costs no points here."
    )

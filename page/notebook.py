"""What a page asks of Python: run the cells of its exercises, and check one of their answers."""

import ast
import base64
import io
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from page import drawn_ahead, solutions
from page.packed import packed
from tensorgrader.card.card import Standing
from tensorgrader.card.html import bare_html, hint_html
from tensorgrader.cells import parse
from tensorgrader.certificate import page as certificate
from tensorgrader.course import Course
from tensorgrader.difference import late, slow
from tensorgrader.earlier import Finder
from tensorgrader.explain_error import explained, place, uncompiled, unread
from tensorgrader.find_answer import missing_function, source_of
from tensorgrader.in_process import Deadline, FunctionAnswer, capturing
from tensorgrader.judge import refused
from tensorgrader.judge_answer import judge_answer
from tensorgrader.make_card import chapter_progress, compose
from tensorgrader.naming.match import MISSING
from tensorgrader.one_file import one_file
from tensorgrader.outcome import Raised
from tensorgrader.repair.hint import Looking, is_wanted, named
from tensorgrader.sandbox.main_module import first_names
from tensorgrader.sandbox.worker import execute, foremost, raised

#: The seconds for which it looks for the place of a mistake: in all, and without a pause.
LOOKING, A_WHILE = 10.0, 0.2
SAID = 10_000  # characters of what a cell prints; the page shows no more
IN_THE_CELL = "in this cell"


@dataclass(frozen=True)
class Ran:
    """The result of a cell: the failing line, missing features, and the function to judge.

    `problem` says why there is no function, or what of the cell isn't valid Python.
    """

    line: int
    note: str
    function: Callable[..., Any] | None = None
    problem: str = ""


class Lab:
    """A notebook in the browser: its names, the executed cells, and the properties that hold."""

    def __init__(self, course: Course, clock: str = os.devnull):
        """Start the notebook of a course.

        The file `clock` gets a 1 when the learner's own code starts to run, and a 0 when it ends:
        the page measures the time in between, without ours.
        """
        self.course = self.whole = course = solutions.with_solutions(course)
        self._yours = _telling(os.open(clock, os.O_WRONLY))
        self._names: dict[str, Any] = {}
        #: The names after each executed cell, in the order of the page.
        self._after: dict[str, dict[str, Any]] = {"": first_names() | {"display": _display}}
        self._held: dict[str, bool] = {}
        self._looking: Looking | None = None
        self._earlier: dict[str, str] = {}
        self._finder = Finder(course, self._solved)
        self._finder.install()

    def overdue(self, request: str) -> str:
        """Return the cards to show if an answer never comes, since Python can't send them then.

        The first is for a cell that takes too long, the second for a call of its function. Takes
        and returns JSON.
        """
        asked = json.loads(request)
        if not (exercise := self.course.exercises.get(asked.get("cell"))):
            return "[]"
        before = "before the function was called"
        words = slow(asked["seconds"], before), late(asked["seconds"])
        return json.dumps([bare_html(compose(refused(exercise, text))) for text in words])

    def answer(self, request: str) -> str:
        """Run a cell and, if asked, check the exercise of its name. Takes and returns JSON.

        The request has `cell`, its `code`, whether to `check`, and `held`, the properties that held
        before Python was restarted; perhaps `earlier`, the answers to all exercises. The reply has
        `said`, the number of the failing `line`, a `note` on missing features, the `card`, the
        known `mistakes` that it names with their exercises, whether it `holds`, and which
        properties of it are `held`. While the reply says that it is `looking` for the place of a
        mistake, a request to `look` continues; the last may have a `hint`. What else a request may
        ask for says `frame`: the reply has that `frame`.
        """
        asked = json.loads(request)
        printed = _Printed()
        self._held = asked.get("held", {})  # drop what the page has cleared meanwhile
        if "earlier" in asked:
            self._earlier = asked["earlier"]
            self._finder.forget()
        told: dict[str, Any] = {"line": 0, "note": "", "card": "", "holds": False, "held": {}}
        told["mistakes"] = []
        try:
            with capturing(printed), self._yours(0):
                if "look" in asked:
                    return json.dumps(self._look())
                if (frame := self.frame(asked)) is not None:
                    return json.dumps({"frame": frame}, default=_bytes)
                ran = self._run(asked["cell"], asked["code"])
            told |= {"line": ran.line, "note": ran.note}
            if asked["check"]:
                told |= self._check(asked["cell"], asked["code"].splitlines(), ran)
        except BaseException as error:  # nothing else interrupts or ends Python here
            told["note"] = _note(type(error).__name__, str(error))
            if asked.get("check"):  # without a verdict, that on other code does not stand
                exercise = self.course.exercises[asked["cell"]]
                told["held"] = {prop.id: False for prop in exercise.properties}
        return json.dumps(told | {"said": printed.getvalue()[:SAID]})

    def frame(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """Return what a request asks for besides cells, None if it asks for nothing else.

        For the `file` of the learner's GPT, or a `certificate` with their name, that is the `text`
        and `name` of a file, and what is `said`.
        """
        if "file" in asked:
            return self._file()
        return self._certificate(str(asked["certificate"])) if "certificate" in asked else None

    def address(self, page: str, heading: str) -> str:
        """Return the address of a section from the root of the site, "" if it has none."""
        return packed("sections.json").get(f"{page}#{heading}", "")

    def rehearsed(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield requests that take every path of a check: what they import is packed."""
        exercise = self.course.exercises[name]
        code = f"def {exercise.function}({', '.join(exercise.arguments)}):\n    return 1 / 0\n"
        yield {"cell": name, "code": code, "check": True, "held": {}, "seconds": 1}

    def _solved(self, chapter: str) -> dict[str, str]:
        """Return the answers to the exercises of a chapter that hold."""
        exercises = self.course.chapters[chapter].exercises
        right = [e.id for e in exercises if all(self._held.get(p.id) for p in e.properties)]
        return {name: self._earlier[name] for name in right if name in self._earlier}

    def _file(self) -> dict[str, Any]:
        """Return the learner's answers to a chapter as one file, if the course has a program."""
        program, course = self.course.program, self.course
        if not program:
            return {}
        right = self._solved(program.chapter)
        made = one_file(course, program, right, self._solved, course.solutions)
        said = f"yours, but for {', '.join(made.ours)}" if made.ours else "all yours"
        return {"text": made.text, "name": "my_gpt.py", "said": f"my_gpt.py is {said}."}

    def _certificate(self, name: str) -> dict[str, Any]:
        """Return a certificate of all answers, with what held when they were last checked."""
        course, chapters = self.course, {}
        version = solutions.version(course)
        for chapter in course.chapters.values():
            there = [e for e in chapter.exercises if e.id in self._earlier]
            failed = {e.id: [p.id for p in e.properties if not self._held.get(p.id)] for e in there}
            works = certificate.works_of(course, chapter.name, failed)
            cells = [[e.id, self._earlier[e.id]] for e in there]
            chapters[chapter.name] = {"works": works, "cells": cells, "version": version}
        if not any(told["cells"] for told in chapters.values()):
            return {"trouble": "This browser keeps no answer of yours yet."}
        about = certificate.about(course, version)
        about |= {"name": name[: certificate.NAME_LIMIT], "day": time.strftime("%Y-%m-%d")}
        about |= {"torch": "", "grader": "", "seed": None, "chapters": chapters}
        verify = f"Anybody can check it: {course.command} verify certificate.html"
        return {"text": certificate.write(about), "name": "certificate.html", "said": verify}

    def stand(self, cell: str) -> dict[str, Any]:
        """Restore the names that existed after a cell, and return them."""
        self._names.clear()
        self._names |= self._after[cell]
        return self._names

    def _run(self, cell: str, code: str) -> Ran:
        """Run a cell with the names of the cells before it, without those of its own earlier runs.

        As `grade` does, it runs each statement even if others fail.
        """
        self._looking = None
        for below in [*dropwhile(lambda above: not self._is_from(cell, above), self._after)]:
            del self._after[below]
        names = self.stand(next(reversed(self._after)))
        source, tree, problem = parse(code)
        try:
            if tree is None:
                return _unread(problem)
            done = list(_told(tree, execute(tree, source, cell, names, (BaseException,)), names))
        finally:
            self._after[cell] = dict(names)
        failed = [one for one in done if isinstance(one, Raised)]
        lacks = next((_note(one.type, one.message) for one in failed if one.type == MISSING), "")
        line = failed[0].line if failed else 0
        return Ran(line, lacks, *self._found(cell, names, foremost(tree, done)))

    def _is_from(self, cell: str, other: str) -> bool:
        """Return whether the page shows another cell from this one on, as far as is known."""
        places = {name: place for place, name in enumerate(self.course.exercises)}
        return cell == other or places.get(other, -1) > places.get(cell, len(places))

    def _found(
        self, cell: str, names: dict[str, Any], raised: Raised | None
    ) -> tuple[Callable[..., Any] | None, str]:
        """Return what a cell defines for judgement, or what prevented that."""
        exercise = self.course.exercises.get(cell)
        function = names.get(exercise.function) if exercise else None
        left_out = "\n".join(uncompiled(raised))
        if callable(function) or not exercise:
            return function, left_out
        words = "\n".join(explained(raised, exercise)) if raised else ""
        return None, left_out or words or missing_function(exercise, IN_THE_CELL)

    def _check(self, cell: str, lines: list[str], ran: Ran) -> dict[str, Any]:
        """Return the card of an exercise, whether all holds, and its failing line."""
        exercise = self.course.exercises[cell]
        questions = drawn_ahead.questions(exercise, secrets.randbelow(2**31))
        answer = FunctionAnswer(
            self.course,
            questions,
            ran.function,
            self._yours,
            source=source_of(ran.function),
            problem=ran.problem,
        )
        results = judge_answer(self.course, questions, answer)
        if is_wanted(results) and not ran.note:
            self._looking = Looking(answer.function, questions, LOOKING, named(results))
        card = replace(compose(results, self.address), said=answer.said(results))
        pairs = zip(exercise.properties, card.lines, strict=True)
        held = {prop.id: line.standing is Standing.HOLDS for prop, line in pairs}
        if card.holds:
            card = replace(
                card, progress=chapter_progress(self.course, exercise, self._held | held)
            )
        numbered = set(enumerate(map(str.strip, lines), start=1))  # a line may be from another cell
        own = (t.line for t in card.troubles if (t.line, t.code) in numbered)
        told = {"holds": card.holds, "held": held, "line": ran.line or next(own, 0)}
        told["looking"] = bool(self._looking)
        if ran.note and not card.holds:  # a feature missing on this page may be all that is wrong
            return told
        shown = {mistake.name for trouble in card.troubles for mistake in trouble.mistakes}
        known = [mistake for result in results for mistake in result.mistakes]
        told["mistakes"] = [
            f"{e.id}: {mistake.name}"
            for e in self.course.exercises.values()
            for mistake in e.mistakes
            if mistake.name in shown and any(mistake is one for one in known)
        ]
        return told | {"card": bare_html(card)}

    def _look(self) -> dict[str, Any]:
        """Look on for a while for the place of the mistake in what was checked last."""
        if not self._looking or self._looking.go_on(A_WHILE):
            return {"looking": bool(self._looking)}
        looking, self._looking = self._looking, None
        told: dict[str, Any] = {"looking": False}
        if looking.hint:
            told["hint"] = hint_html(looking.hint)
        return told


def _telling(turns: int) -> Deadline:
    """Return a function that starts and stops the page's clock."""

    @contextmanager
    def yours(_: float) -> Iterator[None]:
        os.write(turns, b"1")
        try:
            yield
        finally:
            os.write(turns, b"0")

    return yours


def _display(*values: Any, **_: Any) -> None:
    """Print values, as a notebook shows them."""
    print(*map(repr, values), sep="\n")


def _note(kind: str, message: str) -> str:
    """Return a missing feature, or an error that no check reports."""
    if kind == MISSING:
        return f"{message}."[:1].upper() + f"{message}."[1:]
    return f"{kind} was raised, which ends Python: raise another exception."


class _Printed(io.StringIO):
    """A stream that keeps no more than a page shows."""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        return super().write(text) if self.tell() < SAID else len(text)


def _told(tree: ast.Module, done: Iterator[Any], names: dict[str, Any]) -> Iterator[Any]:
    """Print the last value of a cell's statements; return the first error, and its line."""
    is_told = False
    for statement, value in zip(tree.body, done, strict=True):
        if statement is tree.body[-1] and not isinstance(value, Raised | None):
            value = _shown(value, names)
        if isinstance(value, Raised):
            if not is_told and value.type != MISSING:
                print(f"{value.type}{place(value).replace('`', '')}: {value.message}")
            is_told = True
        yield value


def _shown(value: Any, names: dict[str, Any]) -> Any:
    """Print a value, whose class may raise anything."""
    try:
        print(repr(value))
    except BaseException as error:
        return raised(error, names)
    return value


def _unread(problem: str) -> Ran:
    """Return the result for a cell that is not valid Python and was not run."""
    line = re.search(r"in line (\d+):", problem)
    return Ran(int(line[1]) if line else 0, "", None, unread(problem))


def _bytes(value: bytes) -> dict[str, str]:
    """Convert the bytes of a frame."""
    return {"base64": base64.b64encode(value).decode()}

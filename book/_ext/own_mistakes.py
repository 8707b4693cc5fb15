"""A reader's own mistakes as questions, for the page *Again*.

A known mistake that changes a few lines becomes the question which lines are right: those of the
solution, those of the mistake, and those of others at the same place. Any other becomes the
question what is wrong with it. They tell the solution, so the page asks them of solved exercises.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from itertools import takewhile
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import NamedTuple
from zlib import crc32

from book._ext.questions import Choice, asked_box
from tensorgrader.exercise import Chapter, Exercise, Function, Mistake

FOLDER = "_static/transformer_lab/page"
LINES, WIDTH = 3, 76  # of a choice, at most
OTHERS = 2
STUB = "the mistake is still in it"  # which was not the reader's

Lines = list[str]


class Way(NamedTuple):
    """A mistake, the function that it spoils, and the lines to which it changes those of it."""

    mistake: Mistake
    step: Function
    lines: Lines


@cache
def _body(function: Function) -> list[ast.stmt]:
    """Return the statements of a function without its docstring; none if it is no `def`."""
    (first, *_) = ast.parse(dedent(inspect.getsource(function))).body
    if not isinstance(first, ast.FunctionDef):
        return []
    return first.body[1:] if ast.get_docstring(first) else first.body


def _lines(function: Function) -> Lines:
    """Return what a function does, line by line."""
    return [line for one in _body(function) for line in ast.unparse(one).splitlines()]


def _is_plain(exercise: Exercise, function: Function) -> bool:
    """Return whether a reader knows what a function calls, so that its lines can be shown."""
    if not isinstance(function, FunctionType):
        return False
    nodes = (node for statement in _body(function) for node in ast.walk(statement))
    called = (function.__globals__.get(node.id) for node in nodes if isinstance(node, ast.Name))
    ours = {exercise.module, f"{exercise.module.rpartition('.')[0]}.parts"}
    return not any(isinstance(one, FunctionType) and one.__module__ in ours for one in called)


def _differing(texts: list[Lines]) -> list[Lines]:
    """Return texts without the lines with which all begin, and those with which all end."""
    for _ in range(2):
        rows = zip(*texts, strict=False)
        same = len([*takewhile(lambda row: len({*row}) == 1, rows)])
        texts = [text[same:][::-1] for text in texts]
    return texts


def _are_choices(texts: list[Lines]) -> bool:
    """Return whether what differs is short enough, and no two are the same."""
    shown = _differing(texts)
    short = all(0 < len(text) <= LINES and max(map(len, text)) <= WIDTH for text in shown)
    return short and len({*map(tuple, shown)}) == len(shown)


def _ways(exercise: Exercise) -> dict[str, Way]:
    """Map mistakes that change a few lines to the first way that does, by name."""
    found: dict[str, Way] = {}
    for mistake in exercise.mistakes:
        for step, way in mistake.made(exercise.reference):
            if _is_plain(exercise, step) and _is_plain(exercise, way):
                lines = _lines(way)
                if _are_choices([_lines(step), lines]):
                    found.setdefault(mistake.name, Way(mistake, step, lines))
    return found


def _others(own: Way, ways: list[Way]) -> list[Way]:
    """Return a few other mistakes at the same place, from the next on."""
    start = ways.index(own)
    found: list[Way] = []
    for way in ways[start + 1 :] + ways[:start]:
        texts = [_lines(own.step), own.lines, *(one.lines for one in found), way.lines]
        if way.step is own.step and _are_choices(texts):
            found.append(way)
    return found[:OTHERS]


def _html(text: str) -> str:
    return re.sub("`(.+?)`", r"<code>\1</code>", escape(text))


def _said(mistake: Mistake) -> str:
    return _html(f"{mistake.name[0].upper()}{mistake.name[1:]}. {mistake.explained}")


def _of_lines(exercise: Exercise, own: Way, others: list[Way]) -> tuple[str, list[Choice]]:
    """Return the question which lines are right, and its choices."""
    texts = _differing([_lines(own.step), own.lines, *(way.lines for way in others)])
    words = ["<br>".join(f"<code>{escape(line)}</code>" for line in text) for text in texts]
    wrong = [
        f"This was your mistake. {_said(own.mistake)}",
        *(_said(way.mistake) for way in others),
    ]
    reasons = [f"Your mistake was another. {_said(own.mistake)}", *wrong]
    told = (inspect.getdoc(own.step) or "").partition("\n")[0].rstrip(".")
    part = own.step is not exercise.reference and told
    where = f", in the part that has to {told[0].lower()}{_html(told[1:])}" if part else ""
    question = f"In <code>{exercise.function}</code> you once made a mistake{where}. "
    pairs = zip(words, reasons, strict=True)
    return f"{question}What is right?", [Choice(not n, *pair) for n, pair in enumerate(pairs)]


def _of_words(exercise: Exercise, own: Mistake) -> tuple[str, list[Choice]]:
    """Return the question what is wrong with a mistake, and its choices."""
    start = exercise.mistakes.index(own)
    rest = exercise.mistakes[start + 1 :] + exercise.mistakes[:start]
    others = [*{one.why: one for one in rest if one.why != own.why}.values()][:OTHERS]
    wrong = [
        Choice(False, _html(m.explained), f"That is about another: {_html(m.name)}.")
        for m in others
    ]
    question = (
        f"In <code>{exercise.function}</code> you once made this mistake: {_html(own.name)}. "
    )
    right = Choice(True, _html(own.explained), "")
    return f"{question}What is wrong with it?", [right, *wrong]


def asked(exercise: Exercise) -> Iterator[dict[str, str]]:
    """Yield a question for each known mistake, by the name that page/bench.js notes."""
    ways = _ways(exercise)
    for number, mistake in enumerate(exercise.mistakes):
        if mistake.name == STUB:
            continue
        own = ways.get(mistake.name)
        others = _others(own, [*ways.values()]) if own else []
        question, choices = (
            _of_lines(exercise, own, others) if own else _of_words(exercise, mistake)
        )
        name = f"{exercise.id}: {mistake.name}"
        turn = crc32(name.encode()) % len(choices)
        turned = choices[-turn:] + choices[:-turn]
        yield {
            "id": name,
            "page": f"exercises/{exercise.chapter}.html",
            "title": f"the exercise {exercise.function}",
            "html": asked_box(f"q-{exercise.id}-{number}", question, turned),
        }


def write(chapters: Mapping[str, Chapter], folder: Path) -> None:
    """Write the questions of each chapter into a script of its own."""
    for name, chapter in chapters.items():
        told = [one for exercise in chapter.exercises for one in asked(exercise)]
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        target = folder / FOLDER / f"mistakes-{name}.js"
        target.write_text(f"window.transformerLabAsked={text}\n", "utf8")

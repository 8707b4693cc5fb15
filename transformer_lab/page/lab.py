"""What a page asks of Python: run the cells of its exercises, and check one of their answers."""

import ast
import base64
import io
import json
import linecache
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from transformer_lab.grading import listening
from transformer_lab.grading.card.html import bare_html
from transformer_lab.grading.check import checked
from transformer_lab.grading.compose import compose
from transformer_lab.grading.exercises import EXERCISES, PROPERTIES
from transformer_lab.grading.finding import late
from transformer_lab.grading.judge import refused
from transformer_lab.grading.notebook import missing_function
from transformer_lab.grading.progress import note
from transformer_lab.grading.sandbox.worker import raised
from transformer_lab.widgets._learner import OF_EXERCISES

SAID = 10_000  # characters of what a cell prints; the page shows no more
MISSING = "NotOnThisPage"  # what the stand-ins raise; torch itself knows no such thing


def begin(clock: str = os.devnull) -> None:
    """Start a notebook: its names are the main module's, as in JupyterLab.

    Into the file `clock` is written when the learner's own code begins to run (1), and when it has
    ended (0): the page's clock runs between the two, and our judging is no fault of theirs.
    """
    turns = os.open(clock, os.O_WRONLY)

    @contextmanager
    def yours(_: float) -> Iterator[None]:
        os.write(turns, b"1")
        try:
            yield
        finally:
            os.write(turns, b"0")

    listening.deadline = yours
    main = sys.modules["__main__"] = ModuleType("__main__")
    vars(main)["In"] = []  # as IPython has it, where the checks look for what is no Python


def overdue(request: str) -> str:
    """Give the card of an answer that never comes, to be shown when Python can say no more."""
    asked = json.loads(request)
    exercise = EXERCISES.get(asked["cell"])
    return bare_html(compose(refused(exercise, late(asked["seconds"])))) if exercise else ""


def answer(request: str) -> str:
    """Run a cell and, if that is asked, check the exercise of its name. Takes and gives JSON.

    Asked are `cell`, its `code`, whether to `check`, and `held`, the properties that held before
    Python was started anew. Told are `said`, the number of the `line` that failed, a `note` of what
    this page has not, the `card`, whether it `holds`, and what of it is `held`. Or asked are `cell`
    and where the controls of its widget stand (`at`), and told is the `frame` that shows the
    learner's function there.
    """
    asked = json.loads(request)
    ear = _Ear()
    # What the page has cleared meanwhile holds no more.
    note(dict.fromkeys(PROPERTIES, False) | asked.get("held", {}), Path.cwd())
    told: dict[str, Any] = {"line": 0, "note": "", "card": "", "holds": False, "held": {}}
    try:
        with listening.listening(ear), listening.deadline(0):
            if "at" in asked:
                return json.dumps({"frame": _frame(asked["cell"], asked["at"])}, default=_bytes)
            told["line"] = _run(asked["cell"], asked["code"])
        if asked["check"]:
            told |= _check(asked["cell"], asked["code"].splitlines(), told["line"])
    except BaseException as error:  # nobody else interrupts Python here, or ends it
        told["note"] = _note(error)
    return json.dumps(told | {"said": ear.getvalue()[:SAID]})


def _note(error: BaseException) -> str:
    """Say what this page has not, or what the learner's code raised that no check takes."""
    if type(error).__name__ == MISSING:
        return f"{error}."[:1].upper() + f"{error}."[1:]
    return f"{type(error).__name__} was raised, which ends Python: raise another exception."


class _Ear(io.StringIO):
    """A stream that hears no more than a page shows."""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        return super().write(text) if self.tell() < SAID else len(text)


def _run(cell: str, code: str) -> int:
    """Run a cell as a notebook does; print its last value, or what was raised, and in which line.

    Gives the number of that line. Of what is no Python, the check tells.
    """
    names = vars(sys.modules["__main__"])
    names["In"].append(code)
    filename = f"<{cell}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    try:
        tree = ast.parse(code, filename)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, filename, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), filename, "eval"), names)
            if value is not None:
                print(repr(value))
    except SyntaxError as error:
        return error.lineno or 0
    except BaseException as error:
        if type(error).__name__ == MISSING:
            raise
        told = raised(error, names)
        print(f"{told.type}{f' in line {told.line}' * bool(told.line)}: {told.message}")
        return told.line
    return 0


def _check(cell: str, lines: list[str], failed: int) -> dict[str, Any]:
    """Give the card of an exercise, whether all holds, and the line of this cell that failed."""
    card = checked(cell, address=_address)
    numbered = set(enumerate(map(str.strip, lines), start=1))  # a line may be another cell's
    own = (t.line for t in card.troubles if (t.line, t.code) in numbered)
    card = replace(card, again="")  # there is no cell to write it into
    noted = note({}, Path.cwd())
    held = {prop.id: noted[prop.id] for prop in EXERCISES[cell].properties}
    line = failed or next(own, 0)
    return {"card": bare_html(card), "holds": card.holds, "held": held, "line": line}


def _frame(cell: str, at: dict[str, Any]) -> dict[str, Any]:
    """Give what a widget shows of the function of an exercise, or what is wrong with it."""
    os.environ["TRANSFORMER_LAB_STATIC"] = "1"  # no kernel
    from transformer_lab import widgets

    widget, name = OF_EXERCISES[cell]
    function = vars(sys.modules["__main__"]).get(EXERCISES[cell].function)
    if not callable(function):
        return {"trouble": missing_function(EXERCISES[cell]).replace("`", "")}
    try:
        return getattr(widgets, widget)(**{name: function}, **at).frame
    except ValueError as error:  # a control stands where it should not
        return {"trouble": str(error)}


def _bytes(value: bytes) -> dict[str, str]:
    """Write the bytes of a frame."""
    return {"base64": base64.b64encode(value).decode()}


def _address(page: str, heading: str) -> str:
    """Give the address of a section, from the page of an exercise, as Sphinx names headings."""
    return f"../{page}.html#{re.sub('[^a-z0-9]+', '-', heading.lower()).strip('-')}"

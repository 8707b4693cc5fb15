"""Begin the notebook of this book's pages, which also have widgets and a GPT of one's own parts."""

import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from page import own_parts
from page.notebook import IN_THE_CELL, Lab
from tensorgrader.exercise import IMPORTS
from tensorgrader.find_answer import missing_function
from tensorgrader.hunt.draw import HUNT, HuntChapter, deal, hunt_of, with_hunt
from tensorgrader.hunt.key import SIZE
from transformer_lab._course import COURSE
from transformer_lab.widgets._learner import OF_EXERCISES


class BookLab(Lab):
    """A notebook of this book in the browser; with a `hunt`, a request is about its tasks."""

    def overdue(self, request: str) -> str:
        """Return the cards to show if an answer never comes; the page asks for them first."""
        self.course = self.whole
        with suppress(ValueError):  # `frame` says what is wrong with the text of a hunt
            if text := json.loads(request).get("hunt"):
                self.course = with_hunt(self.whole, text)
        return super().overdue(request)

    def frame(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """Return what a request asks for besides cells, None if it asks for nothing else.

        With the values of a widget's controls (`at`), that is what the widget of the `cell` shows
        of the learner's function there; with the `parts` of a GPT, the learner's `answers` and the
        `sizes` of the model, it is what `own_parts.programs` returns. To `draw` a hunt is to make
        its cells; with nothing in `hunt` it is a new one, of other functions than the one `after`.
        """
        if "draw" in asked:
            return self._drawn(asked["hunt"], asked.get("after", ""))
        if "parts" in asked:
            given = asked["answers"], asked["parts"], asked["sizes"]
            return own_parts.programs(self.course, *given)
        if "at" in asked:
            return self._shown(asked["cell"], asked["at"])
        return super().frame(asked)

    def address(self, page: str, heading: str) -> str:
        """Return the address of a section, as Sphinx names headings."""
        return f"{page}.html#{re.sub('[^a-z0-9]+', '-', heading.lower()).strip('-')}"

    def rehearsed(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield requests that take every path of a check, and of a widget."""
        for asked in super().rehearsed(name):
            yield asked
            if name in OF_EXERCISES:
                yield asked | {"at": {}}

    def _drawn(self, text: str, after: str) -> dict[str, Any]:
        """Return a hunt: its text, the cell before its tasks, and the task of each function."""
        try:
            others = [hunt_of(self.whole, after)] if after else []
            new = () if text else deal(self.whole, secrets.token_bytes(SIZE), [""], after=others)
            hunt = new[0] if new else hunt_of(self.whole, text)
        except ValueError as error:
            return {"trouble": str(error)}
        chapter = with_hunt(self.whole, hunt.text).chapters[HUNT]
        assert isinstance(chapter, HuntChapter)
        every = zip(chapter.exercises, chapter.faulty, hunt.faults, strict=True)
        tasks = [
            {"id": e.id, "code": code, "of": fault.exercise, "checks": [p.id for p in e.properties]}
            for e, (_, code), fault in every
        ]
        return {"text": hunt.text, "setup": f"{IMPORTS}\n{chapter.others}", "tasks": tasks}

    def _shown(self, cell: str, at: dict[str, Any]) -> dict[str, Any]:
        """Return what a widget shows of the function of an exercise, or what is wrong with it."""
        os.environ["TRANSFORMER_LAB_STATIC"] = "1"  # no kernel
        from transformer_lab import widgets

        widget, name = OF_EXERCISES[cell]
        exercise = self.course.exercises[cell]
        function = self.stand(cell).get(exercise.function)
        if not callable(function):
            return {"trouble": missing_function(exercise, IN_THE_CELL).replace("`", "")}
        try:
            return getattr(widgets, widget)(**{name: function}, **at).frame
        except ValueError as error:  # a control has an invalid value
            return {"trouble": str(error)}


def begin(clock: str = os.devnull) -> Lab:
    """Return the notebook."""
    return BookLab(COURSE, clock)

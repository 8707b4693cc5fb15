"""Begin the notebook of this book's pages, which also have widgets and a GPT of one's own parts."""

import os
import re
from collections.abc import Iterator
from typing import Any

from page import own_parts
from page.notebook import IN_THE_CELL, Lab
from tensorgrader.find_answer import missing_function
from transformer_lab._course import COURSE
from transformer_lab.widgets._learner import OF_EXERCISES


class BookLab(Lab):
    """A notebook of this book in the browser."""

    def frame(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        """Return what a request asks for besides cells, None if it asks for nothing else.

        With the values of a widget's controls (`at`), that is what the widget of the `cell` shows
        of the learner's function there; with the `parts` of a GPT, the learner's `answers` and the
        `sizes` of the model, it is what `own_parts.programs` returns.
        """
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

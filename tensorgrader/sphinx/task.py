"""The directive `task`: an answer for a reader to write on the page."""

import ast
import inspect
from difflib import get_close_matches
from typing import ClassVar

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from tensorgrader.course import Course
from tensorgrader.exercise import IMPORTS, Exercise
from tensorgrader.sphinx.lab import call

logger = logging.getLogger(__name__)
#: The key of a page's metadata that has the ids of its tasks.
TASKS = "tensorgrader"


class Task(SphinxDirective):
    """A task of the course on a page, named by its id; the content is the stub."""

    required_arguments = 1
    has_content = True
    course: ClassVar[Course]

    def run(self) -> list[nodes.Node]:
        """Return the cell of the answer, and before a page's first task a cell with imports."""
        known, asked = self.course.exercises, self.arguments[0]
        self.env.note_dependency(str(self.course.folder / "course.py"))
        if not (exercise := known.get(asked)):
            near = ", ".join(get_close_matches(asked, known) or known)
            return self._trouble(f"The course has no task {asked!r}. Its nearest: {near}.")
        self.env.note_dependency(inspect.getfile(exercise.reference))
        try:
            code = "\n".join(self.content) or stub(exercise)
        except ValueError as why:
            return self._trouble(str(why))
        tasks = self.env.metadata[self.env.docname].setdefault(TASKS, [])
        tasks.append(exercise.id)
        answer = self._cell(code, "tl-answer")
        call(answer, exercise.id, self.course)
        if tasks[1:]:
            return [answer]
        given = self.course.chapters[exercise.chapter].given_source
        return [self._cell(f"{IMPORTS}\n\n{given}".strip(), "tl-setup"), answer]

    def _trouble(self, words: str) -> list[nodes.Node]:
        """Log an error at this place, and return what the page shows of it."""
        logger.error(words, location=self.get_location(), type="tensorgrader", subtype="task")
        return [nodes.error("", nodes.paragraph("", words))]

    def _cell(self, code: str, kind: str) -> nodes.container:
        """Return code that the page runs."""
        cell = nodes.container("", nodes.literal_block(code, code, language="python"))
        cell["classes"].append(kind)
        return cell


def stub(exercise: Exercise) -> str:
    """Return the head of the right answer and its docstring, with nothing to import."""
    (head,) = ast.parse(inspect.getsource(exercise.reference)).body
    if not isinstance(head, ast.FunctionDef):
        raise ValueError(f"{exercise.id} asks for no function: put a stub into the directive.")
    head.returns = None  # what annotations name need not be imported on the page
    for argument in (one for one in ast.walk(head.args) if isinstance(one, ast.arg)):
        argument.annotation = None
    said = ast.parse(f'raise NotImplementedError("write {head.name}, then run it")').body
    head.body = [*(head.body[:1] if ast.get_docstring(head) else []), *said]
    return ast.unparse(head)

"""The directive `task`: an answer for a reader to write on the page."""

import ast
import inspect
from typing import ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tensorgrader.course import Course
from tensorgrader.exercise import IMPORTS, Exercise

#: The key of a page's metadata that has the ids of its tasks.
TASKS = "tensorgrader"


class Task(SphinxDirective):
    """A task of the course on a page, named by its id; the content is the stub."""

    required_arguments = 1
    has_content = True
    course: ClassVar[Course]

    def run(self) -> list[nodes.Node]:
        """Return the cell of the answer, and before a page's first task a cell with imports."""
        known = self.course.exercises
        if not (exercise := known.get(self.arguments[0])):
            raise self.error(
                f"the course {self.course.name} has no task {self.arguments[0]!r}; it has "
                f"{', '.join(known)}."
            )
        self.env.note_dependency(inspect.getfile(exercise.reference))
        tasks = self.env.metadata[self.env.docname].setdefault(TASKS, [])
        tasks.append(exercise.id)
        answer = self._cell("\n".join(self.content) or stub(exercise), "tl-answer")
        answer["ids"].append(exercise.id)
        answer["classes"] += [
            f"tl-was-{old}" for old, new in self.course.moved.items() if new == exercise.id
        ]
        if tasks[1:]:
            return [answer]
        given = self.course.chapters[exercise.chapter].given_source
        return [self._cell(f"{IMPORTS}\n\n{given}".strip(), "tl-setup"), answer]

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

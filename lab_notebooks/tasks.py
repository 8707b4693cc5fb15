"""What an assistant may know of each exercise: its text, its hints in order, known mistakes.

No solution is in it, and it says what must not be told.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lab_notebooks.notebooks import read_notebook
from tensorgrader.exercise import Exercise
from tensorgrader.source.forms import release_text
from transformer_lab._course import COURSE

#: What must not be told by those who read a task.
NOT_TOLD = (
    "The solution, or any line of it: write no code that would be part of the answer, even if "
    "you are asked to. Ask a question, or name the section to read.",
    "A hint before the learner has tried with the hints before it: give one, and wait.",
    "A known mistake that the learner has not made: the list is for you, to recognise one.",
)
BEGIN, END = '<details class="hint">', "</details>"
HINT = re.compile(rf"{BEGIN}<summary>[^<]*</summary>\s*(.*?)\s*(?={BEGIN}|{END})", re.DOTALL)
HINTS = re.compile(rf"\s*{BEGIN}.*\Z", re.DOTALL)
LINK = re.compile(r"(\]\([\w./-]+)\.ipynb(?=[#)])")
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
ROOT = re.compile(r"\$\\sqrt\{(\w+)\}\$")  # in a heading, as it is written where it is named
FENCE = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Task:
    """An exercise as it stands in its chapter, without its solution."""

    exercise: Exercise
    title: str
    text: str
    stub: str
    hints: tuple[str, ...]

    @property
    def points(self) -> int:
        """The points that it is worth."""
        return sum(prop.points for prop in self.exercise.properties)

    @property
    def section(self) -> str:
        """The page and the heading that teach it."""
        return self.exercise.place(self.exercise.section)

    @property
    def plain(self) -> dict:
        """The whole task as plain data."""
        exercise = self.exercise
        return {
            "id": exercise.id,
            "title": self.title,
            "function": exercise.function,
            "points": self.points,
            "read": self.section,
            "text": self.text,
            "stub": self.stub,
            "requirements": [prop.says for prop in exercise.properties],
            "forbidden": sorted(exercise.forbidden),
            "hints": list(self.hints),
            "mistakes": [
                {"name": mistake.name, "why": mistake.explained, "read": mistake.section}
                for mistake in {m.name: m for m in exercise.mistakes}.values()
            ],
            "must_not_be_told": list(NOT_TOLD),
        }


def tasks() -> dict[str, Task]:
    """Return all tasks by their ids, in the order of the course."""
    return {task.exercise.id: task for stem in COURSE.chapters for task in _of_chapter(stem)}


def _of_chapter(stem: str) -> Iterator[Task]:
    """Yield the tasks of a chapter: what stands between the heading above and the check."""
    title, text, after = "", list[str](), list[str]()
    stub: dict[str, str] = {}
    for cell in read_notebook(f"exercises/{stem}", release_text).cells:
        graded = cell.metadata.get("nbgrader", {})
        name = graded.get("grade_id", "")
        if cell.cell_type == "markdown":
            *_, begun = re.split(r"^(?=## )", cell.source, flags=re.MULTILINE)
            if begun.startswith("## "):
                title, text, stub = begun.partition("\n")[0].removeprefix("## "), [], {}
                after = []
            text += [HINTS.sub("", begun)] * (not stub)
            after.append(begun)
        elif graded.get("solution"):
            stub = {name: cell.source}
        elif name.removesuffix("-check") in stub:
            exercise = COURSE.exercises[name.removesuffix("-check")]
            hints = tuple(HINT.findall("\n".join(after)))
            whole = LINK.sub(r"\1.md", "\n\n".join(text))
            yield Task(exercise, title, whole, stub[exercise.id], hints)
        elif cell.id not in ("colab", "how-to-run") and not stub:
            text.append(f"```python\n{cell.source}\n```")


def section(place: str, task: str) -> str:
    """Return the text of a section, such as "book/norm#Padding", with all below its heading.

    A cell that defines what the task asks for is left out. Raises LookupError if there is no such
    section.
    """
    asked = re.compile(rf"^(class|def) {COURSE.exercises[task].function}\b", re.MULTILINE)
    page, _, wanted = place.partition("#")
    sources = (
        cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
        for cell in read_notebook(page, release_text).cells
        if cell.id not in ("colab", "how-to-run")
        and "proof" not in cell.metadata.get("tags", [])
        and not (cell.cell_type == "code" and asked.search(cell.source))
    )
    text = "\n\n".join(sources)
    blank = FENCE.sub(lambda match: " " * len(match[0]), text)  # with no headings in code
    headings = list(HEADING.finditer(blank))
    for number, found in enumerate(headings):
        if ROOT.sub(r"√\1", found[2]) == wanted:
            below = (h.start() for h in headings[number + 1 :] if len(h[1]) <= len(found[1]))
            return LINK.sub(r"\1.md", text[found.start() : next(below, len(text))].strip())
    raise LookupError(f"{page} has no section {wanted!r}")

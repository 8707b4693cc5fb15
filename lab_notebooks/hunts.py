"""Notebooks of bug hunts: a different one for each student, or one for a learner alone."""

import re
import secrets
from collections.abc import Collection, Iterator
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lab_notebooks.notebooks import read_notebook
from tensorgrader.cells import is_unwritten, parse
from tensorgrader.classes.roster import Person
from tensorgrader.classes.tables import write_table
from tensorgrader.exercise import IMPORTS, Exercise
from tensorgrader.hunt.draw import HUNT, NAME, Hunt, HuntChapter, deal, with_hunt
from tensorgrader.hunt.key import SIZE, key_in
from tensorgrader.progress import find
from tensorgrader.source.forms import release_text
from transformer_lab._course import COURSE

LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")  # to a notebook that does not lie here
DIFFICULTY = re.compile(r"^\*Difficulty: .*\n+", re.MULTILINE)
HEADING = re.compile(r"^#+ ", re.MULTILINE)
INTRODUCTION = """# A bug hunt

Each function below has **one fault in one line**. Find it, and correct it in its cell. You get the
point of a task if everything that its text asks for holds. You may also write a function anew. A
check shows what fails, and for which input, but not where the fault is.

Run the cells down to the first function, and leave the line `HUNT = …` as it is: it tells the
checks and the grader which functions are yours."""
OTHERS = "These functions are right. Those that you correct may call them."


def write_hunts(
    folder: Path, key: Path, people: Collection[Person], chapters: Collection[str]
) -> Iterator[tuple[Path, Hunt]]:
    """Write a hunt for each person, and the teacher's table of them; yield path and hunt.

    Raises OSError if something cannot be written, ValueError if the key lies where the hunts do.
    """
    if key.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{key}: the key must not lie in the folder that you hand out.")
    if find(folder):
        raise ValueError(f"{folder} is a learner's working folder: choose another one.")
    hunts = deal(COURSE, key_in(key), [called(person) for person in people], chapters)
    rows: list[list] = [
        ["student", "id", "notebook", "difficulty", "task", "line", "fault", "of it"]
    ]
    for person, hunt in zip(people, hunts, strict=True):
        path = folder / _slug(person) / f"{HUNT}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(nbformat.writes(hunt_notebook(hunt.text)) + "\n", encoding="utf-8")
        who = [person.name, person.id, path.as_posix(), hunt.difficulty]
        rows += [[*who, f.exercise, f.line, f.name, f.difficulty] for f in hunt.faults]
        yield path, hunt
    write_table(table_beside(key), rows)


def table_beside(key: Path) -> Path:
    """Return the path of the teacher's table."""
    return key.with_name(f"{key.stem}-faults.csv")


def write_hunt_for_one(path: Path | None, chapters: Collection[str]) -> Path:
    """Write a new hunt, by default under the first free name. Raises OSError if the file exists."""
    (hunt,) = deal(COURSE, secrets.token_bytes(SIZE), [""], chapters)
    names = (Path(f"{HUNT}-{number}.ipynb") for number in count(1))
    path = path or next(name for name in names if not name.exists())
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(nbformat.writes(hunt_notebook(hunt.text)) + "\n")
    return path


def called(person: Person) -> str:
    """Return what the seed of a person's hunt is made of: the name, however a list writes it."""
    return min(person.spelt, default=person.name)


def hunt_notebook(text: str) -> NotebookNode:
    """Return the notebook of a hunt. Raises ValueError if the text stands for none."""
    course = with_hunt(COURSE, text)
    chapter = course.chapters[HUNT]
    assert isinstance(chapter, HuntChapter)
    like = read_notebook(f"exercises/{next(iter(COURSE.chapters))}", release_text)
    here = {"source": f"exercises/{HUNT}", "form": release_text.__name__}
    setup = f'{IMPORTS}\nfrom transformer_lab import check\n\n{NAME} = "{text}"'
    cells = [new_markdown_cell(INTRODUCTION), new_code_cell(setup)]
    if chapter.given_source:
        cells += [new_markdown_cell(OTHERS), new_code_cell(chapter.given_source)]
    for task in chapter.exercises:
        original = next(e for e in COURSE.exercises.values() if e.reference is task.reference)
        words = _told(original.chapter)[original.id][0]
        number = task.id.rpartition("-")[2]
        cells.append(new_markdown_cell(HEADING.sub(f"## {number}. ", words, count=1)))
        cells.append(_graded(dict(chapter.faulty)[task.id], grade_id=task.id))
        cells.append(_graded(f'check("{task.id}")', grade_id=f"{task.id}-check", points=1))
    for place, cell in enumerate(cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"{HUNT}-cell-{place:02d}")
    metadata = like.metadata | {COURSE.name: like.metadata[COURSE.name] | here}
    notebook = new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


def is_asked(exercise: Exercise) -> bool:
    """Return whether hunts take an exercise: a quick function, which its task says to write."""
    tree = parse(_told(exercise.chapter)[exercise.id][1])[1]
    usual = exercise.is_direct and not (exercise.effect or exercise.seconds)
    return usual and tree is not None and is_unwritten(tree, exercise.function)


@cache
def _told(chapter: str) -> dict[str, tuple[str, str]]:
    """Return the text of each exercise of a chapter, from its heading on, and its stub."""
    found, text = {}, ""
    for cell in read_notebook(f"exercises/{chapter}", release_text).cells:
        graded = cell.metadata.get("nbgrader", {})
        if graded.get("solution"):
            found[graded["grade_id"]] = text, cell.source
        if cell.cell_type == "markdown":
            last = [m.start() for m in re.finditer("^## ", cell.source, re.MULTILINE)]
            text = cell.source[last[-1] :] if last else f"{text}\n\n{cell.source}"
            text = LINK.sub(r"\1", DIFFICULTY.sub("", text))
    return found


def _graded(code: str, **more: str | int) -> NotebookNode:
    """Return a faulty function's cell or, with points, its check, as nbgrader marks them.

    What nbgrader knows as a solution it would clear, and the fault would be gone.
    """
    check = "points" in more
    kind = {"grade": check, "solution": False, "locked": check, "task": False}
    return new_code_cell(
        code, metadata={"nbgrader": kind | more | {"schema_version": 3, "cell_type": "code"}}
    )


def _slug(person: Person) -> str:
    """Return the name of a person's folder."""
    mark = sha256(f"{person.name}\0{person.id}".encode()).hexdigest()[:6]
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', person.name).strip('-')[:40]}-{mark}"

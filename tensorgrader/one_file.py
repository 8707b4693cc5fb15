"""A learner's answers to a chapter as one file that runs; what is not right yet is the course's."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tensorgrader.cells import parse
from tensorgrader.course import Course
from tensorgrader.earlier import Solved, wanted
from tensorgrader.exercise import Exercise, Program
from tensorgrader.ready_made import used_names

MINE = "# This is the book's: yours is not right yet ({})."
#: The course's own answers to a chapter, by exercise.
Solutions = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True)
class OneFile:
    """The text of the file, and the functions in it that are the course's."""

    text: str
    ours: tuple[str, ...]


def one_file(
    course: Course,
    program: Program,
    answers: Mapping[str, str],
    solved: Solved,
    solutions: Solutions,
    imports: Iterable[str] = (),
) -> OneFile:
    """Return the file of a program with the right `answers` to its chapter, by exercise.

    `solved` are the right answers to earlier chapters, from which these may import; `imports` are
    the learner's own statements.
    """
    chapter = course.chapters[program.chapter]
    ours = {e.id for e in chapter.exercises} - answers.keys()
    whole = {**solutions(program.chapter), **answers}
    sources = [*imports, *(whole[e.id] for e in chapter.exercises)]
    written = _earlier(course, program.chapter, sources, solved, solutions)
    written |= {e.id: (whole[e.id], e.id in ours) for e in chapter.exercises}
    parts = [
        (MINE.format(name) + "\n" if is_ours else "") + _without_import(course, code)
        for name, (code, is_ours) in written.items()
    ]
    names = tuple(
        course.exercises[name].function for name, (_, is_ours) in written.items() if is_ours
    )
    taken = f"\nThese parts are the book's: {', '.join(names)}." if names else ""
    read = used_names(parse("\n".join(parts))[1] or ast.Module([], []))
    kept = (statement for statement in imports if _is_kept(course, statement, read))
    header = [program.head.format(taken=taken), *dict.fromkeys([*program.imports, *kept])]
    code = ["\n".join(header), chapter.given_source, *parts, program.main]
    return OneFile("\n\n\n".join(part.strip() for part in code) + "\n", names)


def _earlier(
    course: Course, chapter: str, sources: Iterable[str], solved: Solved, solutions: Solutions
) -> dict[str, tuple[str, bool]]:
    """Return what is imported of earlier chapters, and what that calls: code, and if it is ours."""
    found: dict[str, tuple[str, bool]] = {}
    waiting: list[Exercise] = wanted(course, chapter, sources)
    while waiting:
        exercise = waiting.pop()
        if exercise.id in found:
            continue
        theirs = solved(exercise.chapter)
        code = theirs.get(exercise.id) or solutions(exercise.chapter)[exercise.id]
        read = used_names(parse(code)[1] or ast.Module([], []))
        other = course.chapters[exercise.chapter]
        given = other.given_source if read & {g.__name__ for g in other.given} else ""
        found[exercise.id] = f"{given}\n\n\n{code}".strip(), exercise.id not in theirs
        waiting += [one for one in other.exercises if one.function in read]
        waiting += wanted(course, exercise.chapter, [code])
    return {name: found[name] for name in course.exercises if name in found}


def _without_import(course: Course, code: str) -> str:
    """Return code whose imports of earlier answers are gone: these stand in the same file."""
    tree, lines = parse(code)[1], code.strip().splitlines()
    nodes = ast.walk(tree) if tree else ()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == course.own:
            renamed = [f"{a.asname} = {a.name}" for a in node.names if a.asname]
            indent = " " * node.col_offset
            words = "; ".join(renamed) or ("pass" if indent else "")
            lines[node.lineno - 1] = f"{indent}{words}"
            for further in range(node.lineno, node.end_lineno or 0):
                lines[further] = ""
    return "\n".join(lines).strip()


def _is_kept(course: Course, statement: str, read: set[str]) -> bool:
    """Return whether an import is read, and not of the course's packages or this very file."""
    (node,) = ast.parse(statement).body
    aliases = getattr(node, "names", ())
    names = [alias.name for alias in aliases]
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
    known = {alias.asname or alias.name.partition(".")[0] for alias in aliases}
    is_gone = {*course.packages, "tensorgrader", course.own} & {
        name.partition(".")[0] for name in modules
    }
    return not is_gone and bool(known & {*read, "*"})

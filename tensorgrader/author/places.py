"""What a course names: is it there, and spelt right? Sections, files of tasks, marks on pages."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from glob import escape
from pathlib import Path

from tensorgrader.course import Course
from tensorgrader.source.forms import SOLUTION

#: A heading in Markdown, in a notebook, in reStructuredText.
HEADING = re.compile(r'^[ "]*#{1,6} +(.+?) *(?:\\n)?"?,?$|^(\S.*)\n([=~^"\'*+#.-])\3{2,}$', re.M)
#: Maths in an escaped heading, which a page shows in other signs.
MATHS = re.compile(r"\\\$.+?\\\$")
MARKS = [f"### {end} {what}" for what in ("SOLUTION", "STUB") for end in ("BEGIN", "END")]
PLACEHOLDER = re.compile(r"\{\{ *(\w+) *\}\}")


def misplaced(course: Course) -> Iterator[str]:
    """Yield a message for each of these that is wrong in a course."""
    yield from unlisted(course)
    yield from misspelt(course)
    yield from lost_sections(course)


def lost_sections(course: Course) -> Iterator[str]:
    """Yield a message for each section that a card names and that is nowhere."""
    for e in course.exercises.values():
        file = course.page(e.chapter).parent / f"{'/'.join(e.module.split('.')[-2:])}.py"
        for section in {e.place(e.section): 0} | {mistake.section: 0 for mistake in e.mistakes}:
            page, _, heading = section.partition("#")
            there = next(_pages(course.folder, page), None)
            headings = [a or b for a, b, _ in HEADING.findall(_plain(there))] if there else []
            as_read = (MATHS.sub(".+", re.escape(one)) for one in headings)
            if any(re.fullmatch(one, _plain(heading)) for one in as_read):
                continue
            near = get_close_matches(heading, headings, 1) or headings[:5]
            why = (
                f"{there} has no such heading. Is one of these meant? {'; '.join(near)}"
                if there
                else f"there is no page {page}.md, .rst or .ipynb in the course's folder, beside "
                "it, or in a folder beside it. Name a page and a heading, such as basics#Variance."
            )
            line = _at(course, file, f'{heading}"')
            yield f"{line}: the section {section!r} is nowhere, because {why}"


def unlisted(course: Course) -> Iterator[str]:
    """Yield a message for each file of a task that course.py does not list."""
    listed = {tuple(e.module.split(".")[-2:]) for e in course.exercises.values()}
    for path in sorted(course.folder.glob("*/*.py")):
        chapter, task = path.parent.name, f"{path.stem}.EXERCISE"
        if (chapter, path.stem) in listed or "\nEXERCISE = " not in path.read_text("utf8"):
            continue
        known = chapter in course.chapters
        add = f"add {task} to it" if known else f'add "{chapter}": Chapter("{chapter}", ({task},))'
        line = _at(course, course.folder / "course.py", f'"{chapter}"' if known else "CHAPTERS")
        yield (
            f"{_at(course, path, 'EXERCISE = ')}: course.py does not list this task. In {line}, "
            f"{add}, and import {path.stem} from .{chapter}."
        )


def misspelt(course: Course) -> Iterator[str]:
    """Yield a message for each mark or placeholder on the course's pages that is misspelt."""
    for page in filter(Path.is_file, map(course.page, course.chapters)):
        text = page.read_text("utf8")
        paired = SOLUTION.sub(lambda match: "\n" * match[0].count("\n"), text).split("\n")
        for number, (line, left) in enumerate(zip(text.split("\n"), paired, strict=False), 1):
            where, mark = f"{page.name}, line {number}", line.strip()
            near = get_close_matches(mark.upper(), MARKS, 1, 0.8) if mark[:1] == "#" else []
            if near and mark != near[0]:
                yield f"{where}: is {near[0]!r} meant, not {mark!r}?"
            elif near and left.strip():
                yield (
                    f"{where}: {mark!r} is not one of a pair. A solution is between {MARKS[0]!r} "
                    f"and {MARKS[1]!r}, and the stub between {MARKS[2]!r} and {MARKS[3]!r} is "
                    "right behind it, each mark alone on its line."
                )
            for given in PLACEHOLDER.finditer(line):
                meant = get_close_matches(given[1].lower(), ["points", "total"], 1)
                if meant and given[0] != (right := f"{{{{ {meant[0]} }}}}"):
                    yield f"{where}: is {right!r} meant, not {given[0]!r}?"


def _pages(folder: Path, page: str) -> Iterator[Path]:
    """Yield the files of a page of a course, or of a site that it lies in or beside.

    A heading alone is one of the chapter's page, or of the page of a book that teaches it.
    """
    for name in dict.fromkeys([page, page.removeprefix("book/")]):
        for start, below in ((folder, ""), (folder.parent, ""), (folder.parent, "*/")):
            for kind in (".md", ".rst", ".ipynb"):
                yield from sorted(start.glob(f"{below}{escape(name.strip('/'))}{kind}"))


def _plain(text: str | Path) -> str:
    """Return a text, or that of a file, without marks of code and of emphasis."""
    return re.sub(r"[`*]", "", text if isinstance(text, str) else text.read_text("utf8", "replace"))


def _at(course: Course, file: Path, code: str) -> str:
    """Return a file of a course and the first line that has some code."""
    lines = file.read_text("utf8").split("\n")
    number = next((n for n, line in enumerate(lines, 1) if code in line), 1)
    return f"{file.relative_to(course.folder)}, line {number}"

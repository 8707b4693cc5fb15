"""Whose file is whose: as Canvas, Moodle, Gradescope and GitHub Classroom hand out a class.

Canvas writes `doejane_LATE_1234_56789_attention.ipynb` for every file (name, user, attachment),
`LATE_anon_x7Yz0_56789_attention.ipynb` where names are hidden, and `doejane_1234_text.html` for
what was typed (github.com/instructure/canvas-lms, lib/content_zipper.rb). Moodle writes the folder
`Jane Doe_1234_assignsubmission_file_` (since 4.1 without the last stroke), or that before a file's
name (github.com/moodle/moodle, mod/assign/locallib.php); Gradescope a folder `submission_1234`;
`gh classroom clone student-repos` a repository for each student.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from transformer_lab.grading.exercises import CHAPTERS

KINDS = {".ipynb", ".zip"}
SKIPPED = {".ipynb_checkpoints", "__MACOSX"}
REPOSITORY = {".git"}
NOBODY = {"submission_metadata.yml", "desktop.ini", "thumbs.db"}
FORMS = {
    "Canvas": re.compile(
        r"(?:(?P<mark>LATE_)?(?P<hidden>anon_\w{5})|(?P<name>[^/]+?)(?P<late>_LATE)?(?P<number>_\d+))"
        r"_(?:\d{3,}_[^/]+|text\.html|link\.html)"
    ),
    "Moodle": re.compile(r"(?P<name>[^/]+?_\d+)_assignsubmission_[a-z]+(?:_.*)?"),
    "Gradescope": re.compile(r"(?P<name>submission_\d+)"),
}
HANDED_OUT = re.compile(r"([a-z_]+?)[\W\d_]*\.ipynb")  # perhaps with a number, of a browser's
MANY = 3  # so often nobody hands in the same notebook in folders of its own


def by_student(names: Iterable[str], folders: Container[str]) -> dict[str, list[str]]:
    """Group what lies at the top of a class by student; without a platform, each is of its own."""
    seen = [n for n in names if n[:1] != "." and n not in SKIPPED and not _is_nobodys(n)]
    _, students = _named(seen, folders)
    groups = defaultdict(list)
    for name in seen:
        groups[students.get(name, name)].append(name)
    return {student: sorted(files) for student, files in groups.items()}


def shared(paths: Iterable[PurePosixPath]) -> tuple[str, ...]:
    """Give the parts of the folder that all files share, up to one that is a student's."""
    paths = [path for path in paths if not SKIPPED & set(path.parts)]
    folders = [path.parent.parts for path in paths]
    levels = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    whole = (part for part, *_ in levels)
    above = tuple(takewhile(lambda part: not _named([part], {part})[1], whole))
    return above[:-1] if _are_one_students(path.parts[len(above) :] for path in paths) else above


def _are_one_students(paths: Iterable[tuple[str, ...]]) -> bool:
    """Tell whether in a folder are only files, and notebooks called as they were handed out.

    Each is of a chapter of its own: where students are numbered, there are several of one.
    """
    paths = [*paths]
    works = [path[0].casefold() for path in paths if _kind(path[0], ()) in KINDS]
    chapters = {match[1] for work in works if (match := HANDED_OUT.fullmatch(work))}
    return all(len(path) == 1 for path in paths) and len(chapters & {*CHAPTERS}) == len(works) > 0


def class_within(paths: Sequence[PurePosixPath]) -> str:
    """Say what about these files is like a class, or nothing if they may well be one student's."""
    paths = [path for path in paths if not SKIPPED & set(path.parts)]
    above = len(shared(paths))
    folders = {path.parts[above] for path in paths if path.parts[above + 1 :]}
    platform, students = _named({path.parts[above] for path in paths}, folders)
    if len(set(students.values())) > 1:
        return f"its files are named as {platform} names those of a class"
    homes = {path.parts[: path.parts.index(".git")] for path in paths if ".git" in path.parts}
    return f"it holds {len(homes)} repositories, one for each student" if len(homes) > 1 else ""


def same_in_many(notebooks: Iterable[PurePosixPath]) -> str:
    """Say which notebook lies in many folders or zips, or nothing."""
    folders = defaultdict(set)
    for path in notebooks:
        folders[path.name.casefold()].add(path.parent)
    name, places = max(folders.items(), key=lambda item: len(item[1]), default=("", ()))
    return f"{name} is in {len(places)} folders of it" if len(places) >= MANY else ""


def _named(names: Iterable[str], folders: Container[str]) -> tuple[str, dict[str, str]]:
    """Give the platform that these names come from, and whom it names in which; or nothing.

    A stray file does not decide: one that is neither a notebook nor a zip, or a zip, say of the
    whole class, beside at least as many that the platform names.
    """
    names = [name for name in names if not _is_nobodys(name)]
    for platform, form in FORMS.items():
        students = {name: _student(match) for name in names if (match := form.fullmatch(name))}
        rest = [_kind(name, folders) for name in names if name not in students]
        against = {"folder", ".ipynb"} & {*rest} or rest.count(".zip") > len(students)
        if students and not against:
            return platform, students
    return "", {}


def _kind(name: str, folders: Container[str]) -> str:
    """Tell a folder from a file, and a file's kind."""
    return "folder" if name in folders else PurePosixPath(name).suffix.lower()


def _student(match: re.Match[str]) -> str:
    """Give who a platform names in the name of a file or folder."""
    parts = match.groupdict("")
    return "".join(parts.get(part, "") for part in ("hidden", "name", "number"))


def number(student: str) -> str:
    """Give the number by which a platform knows a student, if that is in their name here."""
    found = re.search(r"_(\d+)$", student)
    return found[1] if found else ""


def is_late(name: str) -> bool:
    """Tell whether Canvas marks a file as late; a word in the student's own name is no mark."""
    match = FORMS["Canvas"].fullmatch(name)
    return bool(match and (match["mark"] or match["late"]))


def _is_nobodys(name: str) -> bool:
    """Tell what lies beside a class: notes of the system's, the teacher's tables."""
    handed_in = any(form.fullmatch(name) for form in FORMS.values())
    return name.lower() in NOBODY or (name.lower().endswith(".csv") and not handed_in)

"""Whose file is whose: as learning platforms and GitHub Classroom hand out a class.

Canvas writes `doejane_LATE_1234_56789_attention.ipynb` for every file (name, user, attachment),
`LATE_anon_x7Yz0_56789_attention.ipynb` where names are hidden, and `doejane_1234_text.html` for
what was typed (github.com/instructure/canvas-lms, lib/content_zipper.rb). Moodle writes the folder
`Jane Doe_1234_assignsubmission_file_` (since 4.1 without the last stroke), or that before a file's
name (github.com/moodle/moodle, mod/assign/locallib.php); Gradescope a folder `submission_1234`.
Blackboard writes `Homework 1_jdoe_attempt_2026-11-20-10-15-30_attention.ipynb`, and a text file
beside each attempt; Brightspace the folder `1234-56 - Jane Doe - Nov 20, 2026 1015 AM`, where one
of the numbers is the student's and the other the assignment's. These two have a folder or file for
each attempt.
`gh classroom clone student-repos` a repository for each student.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

KINDS = {".ipynb", ".zip"}
SKIPPED = {".ipynb_checkpoints", "__MACOSX"}
REPOSITORY = {".git"}
METADATA = "submission_metadata.yml"
NOBODY = {METADATA, "index.html", "desktop.ini", "thumbs.db"}
FORMS = {
    "Canvas": re.compile(
        r"(?:(?P<mark>LATE_)?(?P<hidden>anon_\w{5})|(?P<name>[^/]+?)(?P<late>_LATE)?(?P<number>_\d+))"
        r"_(?:\d{3,}_[^/]+|text\.html|link\.html)"
    ),
    "Moodle": re.compile(r"(?P<name>[^/]+?_\d+)_assignsubmission_[a-z]+(?:_.*)?"),
    "Gradescope": re.compile(r"(?P<name>submission_\d+)"),
    "Blackboard": re.compile(
        r"(?P<head>.+_[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_.+|\.txt)", re.DOTALL
    ),
    "Brightspace": re.compile(
        r"(?P<first>\d+)-(?P<second>\d+) ?- ?(?P<person>.+?) ?- ?(?P<time>[^-]*\b20\d\d\b[^-]*)"
    ),
}
WRITTEN = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}),? (20\d\d),? (\d{1,2}):?(\d\d) ([AP]M)")
HANDED_OUT = re.compile(r"([a-z_]+?)[\W\d_]*\.ipynb")  # perhaps with a browser's number
NAME_LIMIT = 500
MANY = 3  # nobody submits the same notebook in so many folders


class Group(NamedTuple):
    """One student's files from their last attempt, and the number of earlier attempts."""

    files: list[str]
    earlier: int = 0


def by_student(names: Iterable[str], folders: Container[str]) -> dict[str, Group]:
    """Group a class's top-level names by student; without a known platform, each is a student."""
    seen = [n for n in names if n[:1] != "." and n not in SKIPPED and not _is_nobodys(n)]
    platform, students = _named(seen, folders)
    groups = defaultdict(list)
    for name in seen:
        groups[students.get(name, name)].append(name)
    return {student: _last(sorted(files), platform) for student, files in groups.items()}


def _last(files: list[str], platform: str) -> Group:
    """Keep the last attempt, if every file name has its time."""
    matches = {name: _match(FORMS[platform], name) for name in files} if platform else {}
    times = {name: _when(match) for name, match in matches.items() if match}
    if len(times) < len(files) or not all(times.values()):
        return Group(files)
    last = max(times.values())
    kept = [name for name in files if times[name] == last]
    return Group(kept, len(set(times.values())) - 1)


def _when(match: re.Match[str]) -> str:
    """Return the time of an attempt in a form that sorts; empty if unknown."""
    text = match.groupdict("").get("time", "")
    if not (written := WRITTEN.search(text)):
        return text if text[:4].isdecimal() else ""
    month, day, year, hour, minute, half = written.groups()
    try:
        time = f"{month} {day} {year} {hour:0>2}:{minute} {half}"
        return datetime.strptime(time, "%b %d %Y %I:%M %p").isoformat()
    except ValueError:
        return ""


def shared(paths: Iterable[PurePosixPath], chapters: Iterable[str]) -> tuple[str, ...]:
    """Return the folders that all files share, up to one that belongs to a student."""
    paths = [path for path in paths if not SKIPPED & set(path.parts)]
    folders = [path.parent.parts for path in paths]
    levels = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    whole = (part for part, *_ in levels)
    above = tuple(takewhile(lambda part: not _named([part], {part})[1], whole))
    within = [path.parts[len(above) :] for path in paths]
    return above[:-1] if _are_one_students(within, chapters) else above


def _are_one_students(paths: Sequence[tuple[str, ...]], chapters: Iterable[str]) -> bool:
    """Return whether a folder has only files, and notebooks with their original names.

    Each is of another chapter; where students are numbered, several are of one.
    """
    works = [path[0].casefold() for path in paths if _kind(path[0], ()) in KINDS]
    called = {match[1] for work in works if (match := HANDED_OUT.fullmatch(work))}
    return all(len(path) == 1 for path in paths) and len(called & {*chapters}) == len(works) > 0


def class_within(paths: Sequence[PurePosixPath], chapters: Iterable[str]) -> str:
    """Return why these files look like a class, or "" if they may be one student's."""
    paths = [path for path in paths if not SKIPPED & set(path.parts)]
    above = len(shared(paths, chapters))
    folders = {path.parts[above] for path in paths if path.parts[above + 1 :]}
    platform, students = _named({path.parts[above] for path in paths}, folders)
    if len(set(students.values())) > 1:
        return f"its files have the names that {platform} gives those of a class"
    homes = {path.parts[: path.parts.index(".git")] for path in paths if ".git" in path.parts}
    return f"it holds {len(homes)} repositories, one for each student" if len(homes) > 1 else ""


def same_in_many(notebooks: Iterable[PurePosixPath]) -> str:
    """Return a message if the same notebook lies in many folders or zips, else ""."""
    folders = defaultdict(set)
    for path in notebooks:
        folders[path.name.casefold()].add(path.parent)
    name, places = max(folders.items(), key=lambda item: len(item[1]), default=("", ()))
    return f"{name} is in {len(places)} folders of it" if len(places) >= MANY else ""


def _named(names: Iterable[str], folders: Container[str]) -> tuple[str, dict[str, str]]:
    """Return the platform that these names come from, and the student whom each name means.

    A stray file doesn't decide: one that is neither a notebook nor a zip, or a zip (say of the
    whole class) beside at least as many files that the platform names.
    """
    names = [name for name in names if not _is_nobodys(name)]
    for platform, form in FORMS.items():
        matches = {name: match for name in names if (match := _match(form, name))}
        students = _students(matches)
        rest = [_kind(name, folders) for name in names if name not in students]
        against = {"folder", ".ipynb"} & {*rest} or rest.count(".zip") > len(students)
        if students and not against:
            return platform, students
    return "", {}


def _match(form: re.Pattern[str], name: str) -> re.Match[str] | None:
    """Match a file name with a platform's form, unless it is longer than any system allows."""
    return form.fullmatch(name) if len(name) <= NAME_LIMIT else None


def _kind(name: str, folders: Container[str]) -> str:
    """Return "folder", or a file's suffix."""
    return "folder" if name in folders else PurePosixPath(name).suffix.lower()


def _students(matches: Mapping[str, re.Match[str]]) -> dict[str, str]:
    """Return the students whom a platform names in file or folder names."""
    found = {name: match.groupdict("") for name, match in matches.items()}
    heads = {parts["head"] for parts in found.values() if "head" in parts}
    parts_of = zip(*(head.split("_") for head in heads), strict=False)
    before = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, parts_of))
    firsts, seconds = ({p.get(n) for p in found.values()} for n in ("first", "second"))
    for parts in found.values():
        if head := parts.get("head"):  # assignment and user: either may contain hyphens
            apart = head.split("_")
            parts["name"] = "_".join(apart[before:] if len(heads) > 1 else apart[-1:])
        if person := parts.get("person"):
            both = len(firsts) > 1 and len(seconds) > 1
            own = [parts["first"]] if len(seconds) == 1 else [parts["second"]]
            number = f"{parts['first']}-{parts['second']}" if both else own[0]
            parts["name"] = f"{person}_{number}"
    told = ("hidden", "name", "number")
    return {name: "".join(p.get(part, "") for part in told) for name, p in found.items()}


def number(student: str) -> str:
    """Return a student's number on a platform, if it is in their file name.

    Gradescope numbers submissions, not students.
    """
    found = re.search(r"(?<!^submission)_(\d+)$", student)
    return found[1] if found else ""


def is_late(name: str) -> bool:
    """Return whether Canvas marks a file as late; a word in the student's name is no mark."""
    match = _match(FORMS["Canvas"], name)
    return bool(match and (match["mark"] or match["late"]))


def _is_nobodys(name: str) -> bool:
    """Return whether a file is not a submission: system files, the teacher's tables."""
    handed_in = any(_match(form, name) for form in FORMS.values())
    return name.lower() in NOBODY or (name.lower().endswith(".csv") and not handed_in)

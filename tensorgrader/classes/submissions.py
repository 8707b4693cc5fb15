"""The submissions of a class: students and notebooks, read with limits from folders and zip files.

Nothing is unpacked to disk, no link is followed, and every problem is reported in words.
"""

import io
import shlex
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from tensorgrader.classes.files import (
    ENTRIES_LIMIT,
    ENTRY,
    File,
    class_zip,
    in_zip,
    is_folder,
    listed,
    on_disk,
)
from tensorgrader.classes.people import People, in_metadata, in_notes
from tensorgrader.classes.platform_exports import (
    KINDS,
    METADATA,
    SKIPPED,
    by_student,
    class_within,
    same_in_many,
)
from tensorgrader.classes.wrong_files import instead, look, renamed
from tensorgrader.course import Course
from tensorgrader.sandbox.values import clean
from tensorgrader.submission import CLEAR, SIZE_LIMIT

NOTEBOOKS_LIMIT = 50
PROBLEMS_LIMIT = 20
DEPTH_LIMIT = 3
STUDENT_LIMIT = 5 * SIZE_LIMIT
Many = Callable[[Sequence[PurePosixPath]], str]  # returns why these are not one student's, or ""


@dataclass
class HandedIn:
    """One student's notebooks by name, what could not be read, and the original files."""

    student: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    room: int = field(default_factory=lambda: STUDENT_LIMIT)
    room_for: int = field(default_factory=lambda: ENTRIES_LIMIT)
    files: tuple[str, ...] = ()
    people: People = ()
    notes: list[str] = field(default_factory=list)
    others: dict[str, bytes] = field(default_factory=dict)

    @property
    def about(self) -> dict[str, list]:
        """What a record also says of how and by whom this was submitted."""
        return {"files": [*self.files], "people": [*self.people], "notes": [*self.notes]}

    @property
    def source(self) -> str:
        """A hash of the whole submission."""
        parts = [*(f"{n}\0{sha256(raw).hexdigest()}" for n, raw in sorted(self.notebooks.items()))]
        return sha256("\0".join(parts + self.problems).encode()).hexdigest()

    def read(self, file: io.BufferedIOBase, name: str, limit: int) -> bytes | None:
        """Read a file up to the space that is left."""
        raw = file.read(min(limit, self.room) + 1)
        self.room -= len(raw)
        if self.room < 0:
            self.tell(f"All together it is more than {STUDENT_LIMIT // 2**20} MB.")
        elif len(raw) > limit:
            clear = f" {CLEAR}" if name.lower().endswith(".ipynb") else ""
            self.tell(f"{name} is larger than {limit // 2**20} MB.{clear}")
        else:
            return raw
        self.room = max(self.room, 0)
        return None

    def add(self, file: io.BufferedIOBase, name: str) -> None:
        """Add a notebook, within limits."""
        if len(self.notebooks) >= NOTEBOOKS_LIMIT:
            self.tell(f"There are more than {NOTEBOOKS_LIMIT} notebooks; the others were ignored.")
        elif name in self.notebooks:
            self.tell(f"{name} is in it twice; the first was read.")
        elif (raw := self.read(file, name, SIZE_LIMIT)) is not None:
            self.notebooks[name] = raw

    def lose(self, path: PurePosixPath, error: OSError) -> None:
        """Record that a file or folder could not be read, and why."""
        name = printable(str(path)) if path.parts else "Its folder"
        self.tell(f"{name} could not be read: {error.strerror or clean(str(error))}.")

    def tell(self, words: str) -> None:
        """Record a problem once; a last entry says if there are too many."""
        if words not in self.problems and len(self.problems) <= PROBLEMS_LIMIT:
            full = len(self.problems) == PROBLEMS_LIMIT
            more = "There were more problems than are listed here."
            self.problems.append(more if full else words)


@dataclass(frozen=True)
class Entry:
    """A student, and which files of the class's folder or zip file are theirs.

    `zipped` are their files in a class's zip, perhaps none. `people` is what the platform says of
    them, `earlier` the number of earlier attempts that are left out.
    """

    course: Course
    student: str
    place: Path
    names: tuple[str, ...]
    zipped: tuple[File, ...] | None = None
    people: People = ()
    earlier: int = 0


def students(course: Course, place: Path) -> list[Entry]:
    """Return every entry of a folder or zip file, or whom a platform names in it.

    Raises OSError for a zip file that cannot be read.
    """
    zipped = None if place.is_dir() else class_zip(place, course.chapters)
    if zipped is None:
        kinds = {path.name: is_folder(path) for path in place.iterdir()}
    else:
        kinds = {n: not own or any(f.path.parts[1:] for f in own) for n, own in zipped.items()}
    folders = {name for name, folder in kinds.items() if folder}
    groups = sorted(by_student(kinds, folders).items())
    shown = Counter(printable(student) for student, _ in groups)

    def beside(name: str) -> Sequence[File]:
        here = [on_disk(place / name, PurePosixPath(name))] if name in kinds else []
        return here if zipped is None else zipped.get(name, [])

    known = in_metadata(beside(METADATA))
    return [
        Entry(
            course,
            printable(student, marked=shown[printable(student)] > 1),
            place,
            tuple(group.files),
            None if zipped is None else tuple(f for name in group.files for f in zipped[name]),
            known.get(student) or in_notes(file for name in group.files for file in beside(name)),
            group.earlier,
        )
        for student, group in groups
    ]


def read_student(entry: Entry) -> HandedIn:
    """Read one student's submission, problems included."""
    files = tuple(map(printable, entry.names))
    handed = HandedIn(entry.student, files=files, people=entry.people)
    if entry.earlier:
        attempts = "1 attempt" if entry.earlier == 1 else f"{entry.earlier} attempts"
        handed.notes.append(f"The last attempt counts; {attempts} before it not read.")
    place = entry.place / entry.names[0]
    if entry.zipped is not None:
        found = [*entry.zipped]
    elif len(entry.names) == 1 and is_folder(place):
        found = listed(place, PurePosixPath(), handed.lose)
    else:
        paths = map(PurePosixPath, entry.names)
        found = [f for path in paths for f in listed(entry.place / path, path, handed.lose)]
    unpacked = "FOLDER, after unpacking it there,"
    where = quoted(place) if entry.zipped is None else unpacked
    command = f"To grade it as a class: {entry.course.command} grade {where} --out REPORT"

    def many(paths: Sequence[PurePosixPath]) -> str:
        why = class_within(paths, entry.course.chapters)
        return why and f"This is not one student's work: {why}. {command}"

    _read(found, handed, many)
    if why := same_in_many(map(PurePosixPath, handed.notebooks)):
        handed.notebooks.clear()
        handed.tell(f"This is not one student's work: {why}. {command}")
    _take_renamed(handed)
    if not handed.notebooks and not handed.problems:
        none = "There is no notebook (.ipynb) in it, and no zip file with one."
        handed.tell(f"{none}{instead(handed.others)}")
    handed.others.clear()
    return handed


def _take_renamed(handed: HandedIn) -> None:
    """Read notebooks under other names if there are no others, and say so in any case."""
    there = bool(handed.notebooks)
    found = renamed(handed.others) if there or not handed.problems else {}
    for name, raw in found.items():
        read = "was not read, since there are others" if there else "was read"
        handed.notes.append(f"{name} is a notebook under another name: it {read}.")
        if not there:
            handed.add(io.BytesIO(raw), name)


def printable(name: str, marked: bool = False) -> str:
    """Return a file name that can be shown and encoded, with marks for the rest.

    A mark starts with a hash, by which look-alike names stay different.
    """
    whole = normalize("NFC", name)
    shown = clean(whole.encode("utf-8", "replace").decode())
    if shown == whole and not marked:
        return shown
    return f"{shown} ({sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]})"


def quoted(path: Path) -> str:
    """Return a path quoted for a shell; one that cannot be shown has to be renamed first."""
    text = path.as_posix()
    return shlex.quote(text) if text.isprintable() else "IT, after giving it a plain name,"


def _read(files: Sequence[File], handed: HandedIn, many: Many, depth: int = 0) -> None:
    """Read the notebooks among some files, and those in zips among them, unless it is a class."""
    handed.room_for -= len(files)
    if handed.room_for < 0:
        handed.tell(f"It holds more than {ENTRIES_LIMIT} files.")
        return
    if why := many([file.path for file in files]):
        handed.tell(why)
        return
    for file in files:
        kind, name = file.path.suffix.lower(), printable(str(file.path))
        if SKIPPED & set(file.path.parts):
            continue
        if kind not in KINDS:
            look(file, name, handed.others)
            continue
        try:
            with file.open() as opened:
                if kind == ".ipynb":
                    handed.add(opened, name)
                elif (raw := handed.read(opened, name, STUDENT_LIMIT)) is not None:
                    _read_zip(raw, file.path, handed, many, depth)
        except OSError as error:
            handed.lose(file.path, error)
        except Exception as error:  # a broken zip raises errors of a dozen kinds
            handed.tell(f"{name} cannot be read: {clean(str(error))}.")


def _read_zip(raw: bytes, path: PurePosixPath, handed: HandedIn, many: Many, depth: int) -> None:
    """Read the notebooks of a zip in memory."""
    if depth == DEPTH_LIMIT:
        raise ValueError(f"there are zips in zips, over {DEPTH_LIMIT} deep; hand in the notebooks")
    if raw.count(ENTRY) > handed.room_for:  # listing them all takes memory
        raise ValueError(f"it holds more than {ENTRIES_LIMIT} files")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        _read(in_zip(archive, path), handed, many, depth + 1)

"""What a class handed in: who, and which notebooks, read with bounds from folders and zip files.

Nothing is unpacked to disk, no link is followed, and whatever is wrong is said in words.
"""

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import cast

from transformer_lab.grading.sandbox.values import clean
from transformer_lab.grading.submission import SIZE_LIMIT

NOTEBOOKS_LIMIT = 50
ENTRIES_LIMIT = 10_000
PROBLEMS_LIMIT = 20
STUDENT_LIMIT = 5 * SIZE_LIMIT
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for any memory
KINDS = {".ipynb", ".zip"}
SKIPPED = {".ipynb_checkpoints", "__MACOSX"}


@dataclass
class HandedIn:
    """One student's notebooks by name, and what could not be read."""

    student: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    room: int = field(default_factory=lambda: STUDENT_LIMIT)

    @property
    def source(self) -> str:
        """A hash of all that was handed in."""
        parts = [*(f"{n}\0{sha256(raw).hexdigest()}" for n, raw in sorted(self.notebooks.items()))]
        return sha256("\0".join(parts + self.problems).encode()).hexdigest()

    def read(self, file: io.BufferedIOBase, name: str, limit: int) -> bytes | None:
        """Read from a file what there is room for."""
        raw = file.read(min(limit, self.room) + 1)
        self.room -= len(raw)
        if self.room < 0:
            self.tell(f"All together it is more than {STUDENT_LIMIT // 2**20} MB.")
        elif len(raw) > limit:
            self.tell(f"{name} is larger than {limit // 2**20} MB.")
        else:
            return raw
        self.room = max(self.room, 0)
        return None

    def add(self, file: io.BufferedIOBase, name: str) -> None:
        """Take a notebook, within bounds."""
        if len(self.notebooks) >= NOTEBOOKS_LIMIT:
            self.tell(f"There are more than {NOTEBOOKS_LIMIT} notebooks; the rest was left out.")
        elif name in self.notebooks:
            self.tell(f"{name} is in it twice; the first was read.")
        elif (raw := self.read(file, name, SIZE_LIMIT)) is not None:
            self.notebooks[name] = raw

    def tell(self, words: str) -> None:
        """Note what is wrong, once, and not without end."""
        if words not in self.problems and len(self.problems) < PROBLEMS_LIMIT:
            self.problems.append(words)


def students(folder: Path) -> list[str]:
    """List who handed in: every entry of the folder, be it a folder, a zip or a notebook."""
    return sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))


def read_student(folder: Path, entry: str) -> HandedIn:
    """Read what one student handed in. What is wrong with it stands in its problems."""
    path = folder / entry
    handed = HandedIn(printable(entry))
    if path.is_dir() and not path.is_symlink():
        for number, file in enumerate(_files(path)):
            if number >= ENTRIES_LIMIT:
                handed.tell(f"It holds more than {ENTRIES_LIMIT} files.")
                break
            if file.suffix.lower() in KINDS:
                _read_file(file, printable(file.relative_to(path).as_posix()), handed)
    elif path.suffix.lower() in KINDS:
        _read_file(path, handed.student, handed)
    else:
        handed.tell("It is no notebook (.ipynb), no folder and no zip file.")
    if not handed.notebooks and not handed.problems:
        handed.tell("There is no notebook (.ipynb) in it.")
    return handed


def printable(name: str) -> str:
    """Write the name of a file so that it can be shown and encoded, and stays unlike others."""
    shown = clean(name.encode("utf-8", "replace").decode())
    if shown == name:
        return name
    return f"{shown} ({sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]})"


def _files(folder: Path) -> Iterator[Path]:
    """Walk a folder in order, following no links."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED)
        yield from (Path(place, name) for name in sorted(files))


def _read_file(path: Path, name: str, handed: HandedIn) -> None:
    """Read a notebook or a zip: a regular file, no link, and nothing to wait for."""
    flags = (getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))
    try:
        if path.is_symlink():
            raise OSError("it is a link to something else; hand in the file itself")
        with os.fdopen(os.open(path, sum(flags) | os.O_RDONLY), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError("it is no ordinary file")
            if path.suffix.lower() == ".ipynb":
                handed.add(file, name)
            elif (raw := handed.read(file, name, STUDENT_LIMIT)) is not None:
                _read_zip(raw, name, handed)
    except OSError as error:
        handed.tell(f"{name} could not be read: {error.strerror or error}.")


def _read_zip(raw: bytes, zip_name: str, handed: HandedIn) -> None:
    """Read the notebooks of a zip in memory, whatever sizes and names it claims."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > ENTRIES_LIMIT:
                raise ValueError(f"it holds more than {ENTRIES_LIMIT} files")
            for entry in entries:
                path = PurePosixPath(entry.filename)
                name = printable(f"{zip_name}/{path}")
                if entry.is_dir() or path.suffix != ".ipynb" or SKIPPED & set(path.parts):
                    continue
                if stat.S_ISLNK(entry.external_attr >> 16):
                    handed.tell(f"{name} is a link to something else.")
                elif entry.compress_type not in PLAIN:
                    handed.tell(f"{name} is packed in an unusual way; make an ordinary zip.")
                else:
                    with archive.open(entry) as file:
                        handed.add(cast(io.BufferedIOBase, file), name)
    except Exception as error:  # a broken zip raises errors of a dozen kinds
        handed.tell(f"{zip_name} cannot be read: {clean(str(error))}.")

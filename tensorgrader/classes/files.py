"""The submitted files, in folders and zip files: listed with limits, opened with care."""

import io
import os
import stat
import zipfile
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from tensorgrader.classes.platform_exports import REPOSITORY, SKIPPED, shared
from tensorgrader.sandbox.values import clean

ENTRIES_LIMIT = 10_000
ENTRY = b"PK\1\2"  # the start of an entry in a zip's directory
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may need any amount of memory
LOCKED = 1  # the bit of an encrypted entry
UTF8 = 0x800  # the bit of a UTF-8 name
LINK = "it is a link; hand in the file itself"


class File(NamedTuple):
    """A file: its path in the submission, and how to open it, which may raise OSError."""

    path: PurePosixPath
    open: Callable[[], io.BufferedIOBase]


def on_disk(place: Path, path: PurePosixPath) -> File:
    """Return a file that opens only if it is a regular one: no link, pipe or device."""

    def opened() -> io.BufferedIOBase:
        flags = (getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))
        if place.is_symlink():
            raise OSError(LINK)
        file = os.fdopen(os.open(place, sum(flags) | os.O_RDONLY), "rb")
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        file.close()
        raise OSError("it is not a regular file")

    return File(path, opened)


def listed(
    place: Path, under: PurePosixPath, lose: Callable[[PurePosixPath, OSError], None]
) -> list[File]:
    """Return a file, or those below a folder, without following links; repositories included.

    What cannot be read is passed to `lose` with the reason.
    """
    if not is_folder(place):
        if os.path.isdir(place):
            lose(under, OSError(LINK))
        return [on_disk(place, under)]
    found, waiting, seen = [], deque([(place, under)]), 0
    while waiting and seen <= ENTRIES_LIMIT:
        folder, path = waiting.popleft()  # what lies near the top first
        try:
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
                seen += 1
                if not entry.is_dir(follow_symlinks=False) or entry.name in REPOSITORY:
                    found.append(on_disk(folder / entry.name, path / entry.name))
                elif entry.name not in SKIPPED:
                    waiting.append((folder / entry.name, path / entry.name))
        except OSError as error:  # unreadable, or too deep
            lose(path, error)
    if waiting:
        lose(under, OSError(f"it holds more than {ENTRIES_LIMIT} files and folders"))
    return found


def is_folder(place: Path) -> bool:
    """Return whether a path is a folder and not a link; False if it can't be read."""
    return os.path.isdir(place) and not os.path.islink(place)


def in_zip(archive: zipfile.ZipFile, under: PurePosixPath) -> list[File]:
    """Return the files of a zip, whatever names and sizes it claims."""

    def opening(entry: zipfile.ZipInfo) -> Callable[[], io.BufferedIOBase]:
        def opened() -> io.BufferedIOBase:
            if stat.S_ISLNK(entry.external_attr >> 16):
                raise OSError(LINK)
            if entry.flag_bits & LOCKED:
                raise OSError("it is protected by a password; make a zip without one")
            if entry.compress_type not in PLAIN:
                raise OSError("it uses an unusual compression; make an ordinary zip")
            return cast(io.BufferedIOBase, archive.open(entry))

        return opened

    entries = [(_path(entry), entry) for entry in archive.infolist() if not _is_folder(entry)]
    return [File(under / path, opening(entry)) for path, entry in entries if path.parts]


def empty_in_zip(archive: zipfile.ZipFile) -> list[PurePosixPath]:
    """Return the empty folders of a zip."""
    entries = {_path(entry): _is_folder(entry) for entry in archive.infolist()}
    filled = {folder for path in entries for folder in path.parents}
    return [path for path, folder in entries.items() if folder and path not in filled]


def class_zip(place: Path, chapters: Iterable[str]) -> dict[str, list[File]]:
    """Return the files of a class's zip by top-level name, below the folder that all share.

    An empty folder is a student, too.
    """
    try:
        archive = zipfile.ZipFile(place)
        files, empty = in_zip(archive, PurePosixPath()), empty_in_zip(archive)
    except Exception as error:  # a broken zip raises errors of a dozen kinds
        raise OSError(f"{place} cannot be read as a zip file: {clean(str(error))}") from None
    files = [file for file in files if not SKIPPED & set(file.path.parts)]
    empty = [folder for folder in empty if not SKIPPED & set(folder.parts)]
    paths = [*(file.path for file in files), *(folder / "none" for folder in empty)]
    above = len(shared(paths, chapters))
    groups: dict[str, list[File]] = {name: [] for path in empty for name in path.parts[above:][:1]}
    for file in files:
        path = PurePosixPath(*file.path.parts[above:])
        groups.setdefault(path.parts[0], []).append(file._replace(path=path))
    return groups


def _path(entry: zipfile.ZipInfo) -> PurePosixPath:
    """Return the path of an entry as its packer meant it, and always below the zip.

    macOS writes UTF-8 without saying so; PowerShell 5 puts backslashes between folders.
    """
    name = entry.filename
    if not entry.flag_bits & UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode()
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return PurePosixPath(*(part for part in parts if part.strip("/") not in ("", "..")))


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry of a zip is a folder."""
    return entry.filename.endswith(("/", "\\"))

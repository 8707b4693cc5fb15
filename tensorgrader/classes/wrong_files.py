"""Files submitted in place of a notebook: renamed notebooks, or something else."""

import json
from contextlib import suppress
from pathlib import PurePosixPath

from tensorgrader.classes.files import File
from tensorgrader.classes.people import NOTE
from tensorgrader.not_a_notebook import HEAD, broken, foreign, is_notebook
from tensorgrader.submission import SIZE_LIMIT

LOOKED_AT = 10  # the maximum of files per student
TOLD = 3


def look(file: File, name: str, others: dict[str, bytes]) -> None:
    """Keep the beginning of a file with another suffix, and all of what may be a notebook."""
    if len(others) >= LOOKED_AT or NOTE.fullmatch(file.path.name):
        return
    with suppress(Exception), file.open() as opened:  # another file may be unreadable
        raw = opened.read(HEAD)
        if raw.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
            raw += opened.read(SIZE_LIMIT + 1 - len(raw))
        others[name] = raw if len(raw) <= SIZE_LIMIT else raw[:HEAD]


def renamed(others: dict[str, bytes]) -> dict[str, bytes]:
    """Return those that are notebooks under another name."""
    return {name: raw for name, raw in others.items() if is_notebook(raw)}


def instead(others: dict[str, bytes]) -> str:
    """Return what a few other files are, and what to do."""
    told = ((name, foreign(raw) or _broken(name, raw)) for name, raw in others.items())
    return "".join(f" {name} {what}" for name, what in [*filter(lambda one: one[1], told)][:TOLD])


def _broken(name: str, raw: bytes) -> str:
    """Return what is wrong with a file that is a notebook by its name."""
    if ".ipynb" in PurePosixPath(name).name.lower():
        try:
            json.loads(raw)
        except (ValueError, RecursionError) as error:
            return broken(raw, error)
    return ""

"""Who submitted something, as the platform says in a file beside the work.

Gradescope's `submission_metadata.yml` lists the authors of each submission, several for a group. It
is Ruby's YAML, and also holds what students' code printed. So it is not read as YAML but line by
line: only keys indented no more than Gradescope's own count, which no text inside can be.
Blackboard's text file begins with `Name: Jane Doe (jdoe)`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from tensorgrader.classes.files import File
from tensorgrader.classes.tables import Row
from tensorgrader.sandbox.values import clean

METADATA_LIMIT = 50 * 2**20
LINE_LIMIT = 1000
GROUP_LIMIT = 100
INDENT = 4  # the maximum for keys directly below a submission
KEYS = {"name": "name", "sid": "id", "email": "email"}
SUBMISSION = re.compile(r"""["']?(submission_\d+)["']?:""")
SUBMITTERS = re.compile(r"""( +)["']?:?submitters["']?:\s*(?:&\d+)?""")
ENTRY = re.compile(r"""( *)(- +)?["']?:?(\w+)["']?:(?: +(.*))?""")
ANCHOR = re.compile(r"&(\w+)\s+(.*)")
NOTE = re.compile(r".+_attempt_\d{4}(?:-\d\d){5}\.txt")
BLACKBOARD = re.compile(r"Name:([^\n]+)\(([^()]+)\)")

People = tuple[Row, ...]


def in_metadata(files: Iterable[File]) -> dict[str, People]:
    """Return the authors of each Gradescope submission; what cannot be read is left out."""
    found: dict[str, list[Row]] = {}
    anchors: dict[str, str] = {}
    submission, level = "", 0  # the indent of its submitters; 0 outside of their list
    for line in _lines(files, METADATA_LIMIT):
        if match := SUBMISSION.fullmatch(line):
            submission, level = match[1], 0
        elif match := SUBMITTERS.fullmatch(line):
            first = submission and submission not in found
            level = len(match[1]) if first and len(match[1]) <= INDENT else 0
            if level:
                found[submission] = []
        elif level and line:
            match = ENTRY.fullmatch(line)
            begins, indent = match and match[2], len(line) - len(line.lstrip(" "))
            if indent < level or (indent == level and not begins):
                level = 0  # the submission's next key: its history has submitters, too
            elif match:
                _add(found[submission], bool(begins), match[3], match[4] or "", anchors)
    return {name: tuple(filter(None, people))[:GROUP_LIMIT] for name, people in found.items()}


def in_notes(files: Iterable[File]) -> People:
    """Return the person whom Blackboard's first text file names; nobody for other files."""
    notes = [file for file in files if NOTE.fullmatch(file.path.name)]
    match = BLACKBOARD.fullmatch(next(_lines(notes[:1], LINE_LIMIT), ""))
    return ({"name": clean(match[1]).strip(), "login": clean(match[2]).strip()},) if match else ()


def _lines(files: Iterable[File], limit: int) -> Iterator[str]:
    """Yield the lines of files up to a limit, each truncated; stop at the end of a broken file."""
    for file in files:
        with suppress(Exception), file.open() as opened:  # a broken zip raises errors of all kinds
            left = limit
            while left > 0 and (raw := opened.readline(min(left, 2**16))):
                left -= len(raw)
                yield raw[:LINE_LIMIT].decode("utf-8-sig", "replace").rstrip()


def _add(people: list[Row], begins: bool, key: str, text: str, anchors: dict[str, str]) -> None:
    """Add what a line says of a person: their name, number or address."""
    if begins or not people:
        people.append({})
    if match := ANCHOR.fullmatch(text):
        anchors[match[1]] = text = match[2]
    elif text.startswith("*"):
        text = anchors.get(text[1:], "")
    if key in KEYS and (value := clean(_unquoted(text)).strip()):
        people[-1][KEYS[key]] = value


def _unquoted(text: str) -> str:
    """Return the value of a YAML text on one line."""
    if text[:1] == '"':
        try:
            told = json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text))
        except ValueError:
            return ""
        return told if isinstance(told, str) else ""
    if text[:1] == "'":
        return text[1:-1].replace("''", "'") if len(text) > 1 and text[-1] == "'" else ""
    return "" if text in ("~", "null") or text[:1] in ("|", ">", "{", "[", "!") else text

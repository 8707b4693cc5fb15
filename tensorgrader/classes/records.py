"""The records of a class: one line for each student who was graded, in results.jsonl."""

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tensorgrader.course import Course

Record = dict[str, Any]
RESULTS, BROKEN = "results.jsonl", "results.broken.jsonl"


def original(course: Course, records: Iterable[Record]) -> dict[str, str]:
    """Return the answer cells that were handed out in the chapters of these records."""
    asked = {sheet["chapter"] for record in records for sheet in record["notebooks"]}
    there = asked & course.chapters.keys()
    return {name: code for chapter in there for name, code in course.stubs(chapter).items()}


def has_record(results: Path) -> bool:
    """Return whether this file, which may be missing or foreign, holds a record."""
    lines = results.read_bytes().splitlines(keepends=True) if results.is_file() else []
    return any(map(_is_record, lines))


def kept_seed(results: Path) -> int:
    """Return the seed of the last record, or a fresh one."""
    records = read_records(results)
    return records[-1]["seed"] if records else secrets.randbelow(2**31)


def read_records(results: Path) -> list[Record]:
    """Read the records of earlier runs, ignoring invalid lines."""
    set_aside(results)
    if not results.exists():
        return []
    return [json.loads(line) for line in results.read_bytes().splitlines()]


def set_aside(results: Path) -> int:
    """Move invalid lines, such as an unfinished one, to BROKEN beside it; return how many."""
    if not results.exists():
        return 0
    lines = results.read_bytes().splitlines(keepends=True)
    broken = [line for line in lines if not _is_record(line)]
    if broken:
        with results.with_name(BROKEN).open("ab") as file:
            file.writelines(line.rstrip(b"\r\n") + b"\n" for line in broken)
        whole = results.with_name(f".{results.name}.{os.getpid()}")
        whole.write_bytes(b"".join(line for line in lines if _is_record(line)))
        os.replace(whole, results)
    return len(broken)


def _is_record(line: bytes) -> bool:
    """Return whether a line is complete, and says who was graded with which seed."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return False
    match told:
        case {"student": str(), "seed": int()}:
            return line.endswith(b"\n")
    return False

"""The commands `certificate`, which writes a learner's, and `verify`, which judges one again."""

import argparse
import secrets
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorgrader.command import refuse, refusing

if TYPE_CHECKING:
    from tensorgrader.course import Course


@refusing
def write(course: "Callable[[], Course]", options: argparse.Namespace) -> int:
    """Judge a learner's answers, and write their certificate; return the exit code."""
    from tensorgrader.certificate.judged import certificate, written
    from tensorgrader.certificate.page import NAME_LIMIT, SIZE_LIMIT, sums
    from tensorgrader.certificate.page import write as page
    from tensorgrader.sandbox.processes import lacking

    book, target, folder = course(), options.to, options.folder
    chapters = [name for name in book.chapters if not options.chapter or name in options.chapter]
    if len(options.name) > NAME_LIMIT or not options.name.strip():
        return refuse(f"--name is up to {NAME_LIMIT} characters, not {len(options.name)}.")
    if target.exists() and b'id="certificate"' not in target.read_bytes():
        return refuse(f"{target} is no certificate, so it is kept. Choose another --to FILE.")
    found = written(book, (folder, folder / "exercises"), chapters)
    if not found:
        return refuse(
            f"In {folder} and {folder / 'exercises'} there is no notebook with an answer to "
            f"{', '.join(chapters)}. Pass the folder that has your notebooks."
        )
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    told = {"name": options.name.strip(), "day": date.today().isoformat()}
    data, judgement = certificate(book, found, chapters, seed, not lacking(), **told)
    text = page(data)
    if len(text.encode()) > SIZE_LIMIT:
        return refuse(f"It would be larger than {SIZE_LIMIT // 2**20} MB: use --chapter.")
    target.write_text(text, encoding="utf-8", newline="\n")
    for words in (*judgement.problems, *judgement.tried):
        print(words, file=sys.stderr)
    for name in chapters:
        earned, points = sums(data["chapters"][name]["works"])
        absent = "" if name in found else " (no answers)"
        print(f"{name}: {earned} of {points} points{absent}")
    print(f"wrote {target}. Anybody can check it: {book.command} verify {target}")
    return 0


def verify(course: "Callable[[], Course]", options: argparse.Namespace) -> int:
    """Judge certificates again; return 0 if all is as they say, 1 if not, 2 if one is none."""
    from tensorgrader.certificate.page import SIZE_LIMIT, CertificateError
    from tensorgrader.certificate.verify import verify as verified
    from tensorgrader.classes.submissions import printable
    from tensorgrader.sandbox.processes import lacking

    if (why := lacking()) and not options.without_sandbox:
        return refuse(
            f"Answers of others are judged in a sandbox, and there is none here: {why}. Use a "
            "Linux machine or container, or, if you trust who wrote them, add --without-sandbox."
        )
    code = 0
    for path in options.files:
        name = printable(str(path))
        try:
            with path.open("rb") as file:
                raw = file.read(SIZE_LIMIT + 1)
            if len(raw) > SIZE_LIMIT:
                raise CertificateError(f"is larger than {SIZE_LIMIT // 2**20} MB.")
            text = raw.decode("utf-8", errors="replace")
            told = verified(course(), text, secrets.randbelow(2**31), not why)
        except (OSError, CertificateError) as error:
            print(f"{name}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
            code = 2
            continue
        print(f"{name}: {told.lines[0]}", *told.lines[1:], sep="\n", flush=True)
        code = max(code, int(not told.agrees))
    return code


def add(commands: Any, course: "Callable[[], Course]", **types: Any) -> None:
    """Add both commands to a parser; `types` read a seed and the name of a chapter."""
    writing = commands.add_parser(
        "certificate", help="write your answers, judged, as a page that anybody can verify"
    )
    writing.add_argument("folder", type=Path, nargs="?", default=Path(), help="by default: here")
    writing.add_argument("--name", required=True, help="who you are, as it is to stand there")
    writing.add_argument("--chapter", type=types["chapter"], action="append", help="only this one")
    writing.add_argument("--seed", type=types["seed"], help="draw the inputs of an earlier run")
    writing.add_argument("--to", type=Path, default=Path("certificate.html"), metavar="FILE")
    writing.set_defaults(run=lambda options: write(course, options))
    verifying = commands.add_parser(
        "verify", help="judge the answers of a certificate again, and say what agrees"
    )
    verifying.add_argument("files", type=Path, nargs="+", metavar="FILE")
    verifying.add_argument(
        "--without-sandbox", action="store_true", help="if you trust who wrote them"
    )
    verifying.set_defaults(run=lambda options: verify(course, options))

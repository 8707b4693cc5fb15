"""What a report on a class has for others: a proposal for a known mistake, answers to learn."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorgrader.command import refuse, refusing

if TYPE_CHECKING:
    from tensorgrader.course import Course

    Chosen = Callable[[argparse.Namespace], Course]


@refusing
def propose(course: "Chosen", options: argparse.Namespace) -> int:
    """Write a group of the report as a proposal for a known mistake; return the exit code."""
    from tensorgrader.classes.comments import FILE, read_comments
    from tensorgrader.classes.propose import propose as proposal

    target = options.to or Path(f"test_{options.group.replace('-', '_')}.py")
    if target.exists():
        return refuse(f"{target} is there already, so nothing was written. Choose --to FILE.")
    comment = read_comments(options.report / FILE).get(options.group, "")
    text = proposal(course(options), _records(options.report), options.group, comment, str(target))
    target.write_text(text, encoding="utf-8")
    print(text)
    print(f"wrote {target}. Read it, name the mistake, and say why: then it can go to the authors.")
    return 0


@refusing
def export(course: "Chosen", options: argparse.Namespace) -> int:
    """Show the answers of those who agreed, and write them if asked; return the exit code."""
    from tensorgrader.classes.roster import read_roster
    from tensorgrader.classes.share import share

    records = _records(options.report)
    roster = read_roster(options.roster) if options.roster else None
    name = options.to.name if options.to else "class"
    told = share(course(options), records, options.agreed, roster, name)
    for file, text in sorted(told.files.items()):
        print(f"===== {file}\n{text}")
    print(f"Students who agreed: {told.students}. Answers: {told.answers}, each text once.")
    if told.left_out:
        print(
            f"{told.left_out} more are left out, because a word in them is in a student's name: "
            f"{', '.join(sorted(told.words))}"
        )
    if not options.to:
        print("Nothing was written. Read it, then give the command again with --to FOLDER.")
        return 0
    if options.to.exists() or options.to.with_suffix(".toml").exists():
        return refuse(f"{options.to} is there already, so nothing was written.")
    for file, text in told.files.items():
        path = options.to.parent / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"wrote {options.to} and {options.to.with_suffix('.toml')}: nothing was sent.")
    return 0


def add(commands: Any, course: "Chosen") -> tuple[argparse.ArgumentParser, ...]:
    """Add both commands to a parser, and return theirs."""
    proposing = commands.add_parser(
        "propose", help="write a group of a report as a proposal for a known mistake, with a test"
    )
    proposing.add_argument("report", type=Path, metavar="REPORT")
    proposing.add_argument("group", metavar="GROUP", help="as the report names it")
    proposing.add_argument("--to", type=Path, metavar="FILE")
    proposing.set_defaults(run=lambda options: propose(course, options))
    exporting = commands.add_parser(
        "export", help="show, then write the answers of students who agreed, without names"
    )
    exporting.add_argument("report", type=Path, metavar="REPORT")
    exporting.add_argument(
        "--agreed",
        type=Path,
        metavar="CSV",
        required=True,
        help="a table with the columns `student` and `agreed` (yes or no)",
    )
    exporting.add_argument(
        "--roster", type=Path, metavar="CSV", help="the class list of the report"
    )
    exporting.add_argument("--to", type=Path, metavar="FOLDER", help="write it: else it is shown")
    exporting.set_defaults(run=lambda options: export(course, options))
    return proposing, exporting


def _records(report: Path) -> list:
    """Return the last record of each student of a report. Raises ValueError if there is none."""
    from tensorgrader.classes.records import RESULTS, read_records

    records = {record["student"]: record for record in read_records(report / RESULTS)}
    if not records:
        raise ValueError(f"{report} is no report on a class: it has no {RESULTS} with grades.")
    return list(records.values())

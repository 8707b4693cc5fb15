"""Grade a class into a report, going on where an earlier run stopped."""

import argparse
import sys
from contextlib import nullcontext

from tqdm import tqdm

from tensorgrader.classes.cluster import ClusterError, cluster_pool
from tensorgrader.classes.grade_class import Settings, grade_class, local_pool
from tensorgrader.classes.records import BROKEN, RESULTS, kept_seed, original, set_aside
from tensorgrader.classes.report import OVERVIEW, REPLACED, in_the_way, write_reports
from tensorgrader.classes.roster import read_roster
from tensorgrader.classes.students import Desk
from tensorgrader.classes.submissions import printable, students
from tensorgrader.command import refuse
from tensorgrader.course import Course
from tensorgrader.hunt.key import read_key
from tensorgrader.sandbox import processes


def grade_a_class(course: Course, options: argparse.Namespace) -> int:
    """Grade a folder or zip file of submissions; return the exit code."""
    place, *others = options.notebooks
    known = place.is_dir() or (place.is_file() and place.suffix.lower() == ".zip")
    if others or not known or options.out.resolve().is_relative_to(place.resolve()):
        return refuse(
            "--out needs one folder or zip file to grade, with an entry for each student, and a "
            "folder for the report outside of it."
        )
    replaced = {(options.out / name).resolve() for name in REPLACED}
    for given in filter(None, (place, options.roster)):
        if given.resolve() in replaced:
            return refuse(
                f"{given}: the report would overwrite this file. Move it to another folder, or "
                "choose another one with --out."
            )
    if options.anonymous and options.format:
        return refuse(
            f"Files for {options.format} contain names: leave out --anonymous to write them, or "
            "--format to see the report without names."
        )
    here = not options.scheduler
    if here and (why := processes.lacking()) and not options.without_sandbox:
        return refuse(
            f"A class is graded in a sandbox, and there is none here: {why}. Use a Linux machine "
            "or container, or, if you trust all these students, add --without-sandbox."
        )
    try:
        roster = read_roster(options.roster) if options.roster else None
        key = read_key(options.key) if options.key else b""
        total = len(students(course, place))
    except (OSError, ValueError) as error:
        missing = isinstance(error, FileNotFoundError) and error.filename
        return refuse(f"{missing}: there is no such file" if missing else str(error))
    if key and not roster:
        return refuse("--key compares the hunts with the class list: add it with --roster.")
    if roster and options.format and roster.platform not in ("", options.format):
        return refuse(
            f"{options.roster} is from {roster.platform}, whose numbers {options.format} does not "
            f"know: use --format {roster.platform}, or the class list of {options.format}."
        )
    results = options.out / RESULTS
    try:
        if names := in_the_way(options.out):
            return refuse(
                "--out needs a new folder, or the folder of an earlier report. In "
                f"{options.out} there are other files, which it would replace: {', '.join(names)}"
            )
        options.out.mkdir(parents=True, exist_ok=True)
        broken = set_aside(results)
        seed = kept_seed(results) if options.seed is None else options.seed
    except OSError as error:
        return refuse(f"cannot write to {error.filename or options.out}: {error.strerror}")
    if broken:
        print(
            f"{results}: {broken} of its lines are invalid or unfinished. They are kept in "
            f"{BROKEN}, and their students are graded again.",
            file=sys.stderr,
        )
    settings = Settings(course, seed, confined=not options.without_sandbox)
    local = nullcontext(local_pool(options.jobs))
    opening = local if here else cluster_pool(course, options.scheduler)
    try:
        with opening as pool:
            grading = grade_class(place, results, settings, pool)
            records = list(tqdm(grading, total=total, unit=" students"))
    except ClusterError as error:
        return refuse(f"--scheduler: {error}")
    except KeyboardInterrupt:
        print("\nStopped. The same command continues from here.", file=sys.stderr)
        return 130
    except OSError as error:
        return refuse(f"Stopped: {error}. The grades so far are kept; the same command continues.")
    desk = Desk(
        roster,
        options.due,
        options.late or 0.0,
        options.anonymous,
        options.format or "",
        original(course, records),
        tuple(options.chapter),
        key,
    )
    try:
        shown = write_reports(course, options.out, records, desk)
    except ValueError as error:
        return refuse(str(error))
    except OSError as error:
        return refuse(
            f"cannot write the report: {error}. Is the file open elsewhere, or the disk full? "
            "The grades are kept in results.jsonl; run the same command again."
        )
    print(f"{options.out / OVERVIEW}: {len(shown)} students, seed {seed}")
    if options.format:
        print(f"To upload: {options.format}.csv and feedback-{options.format}.zip, beside it")
    if twice := [student.name for student in shown if student.also]:
        print(f"Handed in under several names: {_some(twice)}")
    if strangers := [student.name for student in shown if roster and not student.person]:
        print(f"Not on the roster: {_some(strangers)}")
    if doubtful := [student.name for student in shown if student.notes]:
        print(f"Notes on {_some(doubtful)}: see the report")
    strange = [student.name for student in shown if student.problems]
    if strange:
        print(f"Some files could not be read: {_some(strange)}")
    return int(bool(strange))


def _some(names: list[str]) -> str:
    """Return how many there are, and the first ten."""
    return f"{len(names)}: {', '.join(map(printable, names[:10]))}"

"""`transformer-lab grade`: a learner's notebooks on the terminal, or a class into a report."""

import argparse
import json
import os
import secrets
import shlex
import sys
from contextlib import nullcontext
from glob import glob
from itertools import chain
from pathlib import Path
from typing import Any

GRADING = """a class:
  transformer-lab grade submissions/ --out report/
  Every entry of the folder (or zip file) is a student: a notebook, a zip file, or a folder of
  either. What Canvas, Moodle, Gradescope or GitHub Classroom let you download for a class is
  taken as it is. Given again, the command goes on where it stopped; only what has changed is
  graded anew.
  With --scheduler, the workers of a dask cluster grade, each in a sandbox of its own, and the
  report is the same: pip install 'transformer-lab-book[cluster]' there and here.

exit codes:
  0  every notebook has all points; of a class, everything could be read
  1  points are missing, or a file could not be graded
  2  the command was not understood, there is no sandbox for a class, or a file does not exist
     (the others are graded)
"""


def add(commands: Any) -> None:
    """Add the command to the parser's others."""
    grading = commands.add_parser(
        "grade",
        help="grade exercise notebooks, or a class",
        epilog=GRADING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grading.add_argument("notebooks", type=Path, nargs="+", metavar="NOTEBOOK")
    grading.add_argument("--out", type=Path, metavar="REPORT", help="grade a class into a folder")
    grading.add_argument("--jobs", type=_jobs, default=os.cpu_count(), help="notebooks at a time")
    grading.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="grade a class on a dask cluster, not on this machine",
    )
    grading.add_argument(
        "--without-sandbox", action="store_true", help="grade a class you trust where there is none"
    )
    grading.add_argument("--json", action="store_true", help="print the results as JSON")
    grading.add_argument("--seed", type=_seed, help="draw the inputs of an earlier run again")
    grading.set_defaults(run=grade)


def grade(options: argparse.Namespace) -> int:
    """Grade every notebook, and tell each one's score and reasons; or a class into a report."""
    from transformer_lab.grading.grade import grade_notebook
    from transformer_lab.grading.report import grade_json, grade_text
    from transformer_lab.grading.sandbox.processes import lacking
    from transformer_lab.grading.submission import SubmissionError

    if options.out:
        return _grade_class(options)
    if options.scheduler:
        print("--scheduler grades a class: say with --out where its report goes.", file=sys.stderr)
        return 2
    if why := lacking():
        print(f"Not in a sandbox, since {why}: good for your own notebooks.", file=sys.stderr)
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    told: list[Any] = []
    code = 0
    for path in chain.from_iterable(map(_matching, options.notebooks)):
        try:
            _refuse_class(path)
            result = grade_notebook(path, seed)
        except (OSError, SubmissionError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            code = max(code, 2 if isinstance(error, OSError) else 1)
            told.append({"notebook": str(path), "error": reason})
            if not options.json:
                print(f"{path}: could not be graded: {reason}", file=sys.stderr)
            continue
        code = max(code, int(result.earned < result.points))
        told.append(grade_json(result))
        if not options.json:
            print(grade_text(result), end="\n\n", flush=True)
    if options.json:
        print(json.dumps(told, indent=2, ensure_ascii=False))
    return code


def _grade_class(options: argparse.Namespace) -> int:
    """Grade a folder of submissions into a report, going on where an earlier run stopped."""
    from tqdm import tqdm

    from transformer_lab.grading.classes.cluster import ClusterError, cluster_pool
    from transformer_lab.grading.classes.grading import Settings, grade_class, kept_seed, local_pool
    from transformer_lab.grading.classes.reading import students
    from transformer_lab.grading.classes.report import OVERVIEW, write_reports
    from transformer_lab.grading.sandbox.processes import lacking

    place, *others = options.notebooks
    known = place.is_dir() or (place.is_file() and place.suffix.lower() == ".zip")
    if others or not known or options.out.resolve().is_relative_to(place.resolve()):
        print(
            "--out wants one folder or zip file to grade, with an entry for each student, and a "
            "place for the report outside it.",
            file=sys.stderr,
        )
        return 2
    here = not options.scheduler
    if here and (why := lacking()) and not options.without_sandbox:
        print(
            f"A class is graded in a sandbox, and there is none here: {why}. Use a Linux machine "
            "or container, or, if you trust everyone who handed in, add --without-sandbox.",
            file=sys.stderr,
        )
        return 2
    try:
        total = len(students(place))
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    results = options.out / "results.jsonl"
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"cannot write to {options.out}: {error.strerror}", file=sys.stderr)
        return 2
    seed = kept_seed(results) if options.seed is None else options.seed
    settings = Settings(seed, confined=not options.without_sandbox)
    opening = nullcontext(local_pool(options.jobs)) if here else cluster_pool(options.scheduler)
    try:
        with opening as pool:
            grading = grade_class(place, results, settings, pool)
            records = list(tqdm(grading, total=total, unit=" students"))
    except ClusterError as error:
        print(f"--scheduler: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        return 130
    write_reports(options.out, records)
    strange = [record["student"] for record in records if record["problems"]]
    print(f"{options.out / OVERVIEW}: {len(records)} students, seed {seed}")
    if strange:
        print(f"Not everything could be read of {len(strange)}: {', '.join(strange[:10])}")
    return int(bool(strange))


def _refuse_class(path: Path) -> None:
    """Raise OSError for what only a class is graded from, and say how."""
    zipped = path.suffix.lower() == ".zip" and path.exists()
    if zipped or path.is_dir():
        command = "transformer-lab grade {} --out REPORT"
        folder, itself = (shlex.quote(p.as_posix()) for p in (path.parent, path))
        a_class = command.format(folder if zipped else itself)
        whole = f". The zip file that a platform makes of all: {command.format(itself)}"
        raise OSError(
            "a notebook was expected. A folder, with an entry for each student, is graded as a "
            f"class: {a_class}{whole * zipped}"
        )


def _matching(path: Path) -> list[Path]:
    """Find what a pattern matches, for shells that leave it as it is; a file's name is no pattern.

    One that matches nothing is kept: then it is told that there is no such file.
    """
    return [path] if path.exists() else sorted(map(Path, glob(str(path)))) or [path]


def _jobs(text: str) -> int:
    """Read how many to grade at a time."""
    jobs = int(text)
    if jobs < 1:
        raise argparse.ArgumentTypeError(f"there must be at least 1 job, not {jobs}")
    return jobs


def _seed(text: str) -> int:
    """Read a seed."""
    seed = int(text)
    if not 0 <= seed < 2**31:
        raise argparse.ArgumentTypeError(f"a seed is between 0 and {2**31 - 1}, not {seed}")
    return seed

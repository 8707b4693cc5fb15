"""The command `transformer-lab`: start a working folder, grade notebooks, build notebooks."""

import argparse
import json
import secrets
import sys
from pathlib import Path
from typing import Any

EXIT_CODES = """exit codes:
  0  every notebook has all points
  1  points are missing, or a file could not be graded
  2  the command was not understood, or a file does not exist (the others are graded)
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command and give its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # a terminal that cannot show √ still gets the rest
    options = _parser().parse_args(arguments)
    return options.run(options)


def start(options: argparse.Namespace) -> int:
    """Write the notebooks into a working folder, keeping what is there."""
    return _write(options.folder, solved=False, overwrite=False) or _next_step(options.folder)


def build(options: argparse.Namespace) -> int:
    """Write the notebooks into a build folder, over what is there."""
    return _write(options.folder, solved=options.solved, overwrite=True)


def grade(options: argparse.Namespace) -> int:
    """Grade every notebook, and tell each one's score and reasons."""
    from transformer_lab.grading.grade import grade_notebook
    from transformer_lab.grading.report import grade_json, grade_text
    from transformer_lab.grading.submission import SubmissionError

    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    told: list[Any] = []
    code = 0
    for path in options.notebooks:
        try:
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


def _write(folder: Path, *, solved: bool, overwrite: bool) -> int:
    """Write all notebooks and say what became of each."""
    from transformer_lab.notebooks import write_notebooks

    try:
        for path, written in write_notebooks(folder, solved=solved, overwrite=overwrite):
            print(f"{'wrote' if written else 'kept '} {path}")
    except OSError as error:
        print(f"cannot write below {folder}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _next_step(folder: Path) -> int:
    """Tell what to type next."""
    print(f"\nNow type: jupyter lab {folder}")
    print(f"Your verdict, any time: transformer-lab grade {folder}/exercises/*.ipynb")
    return 0


def _parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(prog="transformer-lab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    starting = commands.add_parser(
        "start", help="write chapters and exercises into a folder; what is there is kept"
    )
    starting.add_argument("folder", type=Path, nargs="?", default=Path("transformer-lab"))
    starting.set_defaults(run=start)

    grading = commands.add_parser(
        "grade",
        help="grade exercise notebooks",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grading.add_argument("notebooks", type=Path, nargs="+", metavar="NOTEBOOK")
    grading.add_argument("--json", action="store_true", help="print the results as JSON")
    grading.add_argument("--seed", type=_seed, help="draw the inputs of an earlier run again")
    grading.set_defaults(run=grade)

    building = commands.add_parser(
        "notebooks", help="write notebooks into a build folder, replacing older ones"
    )
    building.add_argument("folder", type=Path)
    building.add_argument("--solved", action="store_true", help="with solutions in place of stubs")
    building.set_defaults(run=build)
    return parser


def _seed(text: str) -> int:
    """Read a seed."""
    seed = int(text)
    if not 0 <= seed < 2**31:
        raise argparse.ArgumentTypeError(f"a seed is between 0 and {2**31 - 1}, not {seed}")
    return seed


if __name__ == "__main__":
    sys.exit(main())

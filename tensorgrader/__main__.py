"""The command of a course that has none of its own: `python -m tensorgrader grade NOTEBOOK`.

`new` begins a course, and `test` tests its tasks. `grade` and `release` take the course of the
current folder, of the nearest one above, or the installed one, unless `--course` names another.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from tensorgrader.command import arguments, authoring, run
from tensorgrader.course import Course, find_course


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tensorgrader",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    authoring.add(commands)
    releasing = commands.add_parser("release", help="write a course's notebooks for a class")
    authoring.of_release(releasing)
    releasing.set_defaults(run=partial(authoring.release, _found))
    arguments.add(commands, _found)
    return run(parser, words)


def _found() -> Course:
    """Return the course of the current folder, of one above, or the installed one."""
    return find_course("", Path.cwd())


if __name__ == "__main__":
    sys.exit(main())

"""The command of a course that has none of its own: `python -m tensorgrader grade NOTEBOOK`.

It grades the course of the current folder, of the nearest one above, or the installed one.
"""

import argparse
import sys
from pathlib import Path

from tensorgrader.command import arguments
from tensorgrader.course import find_course


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tensorgrader", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    arguments.add(commands, lambda: find_course("", Path.cwd()))
    options = parser.parse_args(words)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())

"""The commands of learners, teachers and authors."""

import argparse
import io
import os
import sys
from collections.abc import Callable
from functools import wraps


def run(parser: argparse.ArgumentParser, words: list[str] | None) -> int:
    """Run the command that was typed, and return its exit code: 1 if nobody reads its output."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without √ still shows the rest
    try:
        try:
            options = parser.parse_args(words)
            return options.run(options)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # as in `| head -1`: discard the remaining output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def refuse(words: object) -> int:
    """Print why nothing was done; return the exit code."""
    print(words, file=sys.stderr)
    return 2


def refusing(command: Callable[..., int]) -> Callable[..., int]:
    """Make a command print what it cannot read, write or understand, and return the exit code."""

    @wraps(command)
    def guarded(*given: object) -> int:
        try:
            return command(*given)
        except BrokenPipeError:
            raise  # `run` ends the command
        except OSError as error:
            named = error.filename and error.strerror
            return refuse(f"{error.filename}: {error.strerror}" if named else error)
        except ValueError as error:
            return refuse(error)
        except LookupError as error:  # whose text is quoted
            return refuse(error.args[0])

    return guarded

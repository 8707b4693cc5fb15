"""The commands of learners, teachers and authors."""

import sys
from collections.abc import Callable
from functools import wraps


def refuse(words: object) -> int:
    """Print why nothing was done; return the exit code."""
    print(words, file=sys.stderr)
    return 2


def refusing(command: Callable[..., int]) -> Callable[..., int]:
    """Make a command print what it cannot read, write or understand, and return the exit code."""

    @wraps(command)
    def run(*given: object) -> int:
        try:
            return command(*given)
        except OSError as error:
            named = error.filename and error.strerror
            return refuse(f"{error.filename}: {error.strerror}" if named else error)
        except (ValueError, LookupError) as error:
            return refuse(error.args[0])

    return run

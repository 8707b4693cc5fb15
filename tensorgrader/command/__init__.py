"""The commands of learners, teachers and authors."""

import sys


def refuse(words: str) -> int:
    """Print why nothing was done; return the exit code."""
    print(words, file=sys.stderr)
    return 2

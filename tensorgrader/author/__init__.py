"""For who writes a course: a task to begin with, and the tests that every task gets for free."""

from tensorgrader.author.prove import problems

__all__ = ["problems"]

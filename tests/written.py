"""The answers as an exercise's source has them: solved, or still to be written."""

from functools import cache

from transformer_lab._course import COURSE

solutions, stubs = cache(COURSE.solutions), cache(COURSE.stubs)

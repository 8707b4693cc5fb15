"""The course's own answers as text, packed for the page, which has no notebooks to read."""

import json
import sys
from dataclasses import replace
from pathlib import Path

from page.packed import packed
from tensorgrader.course import Course

FILE, VERSION = "solutions.json", "version"  # beside this one, packed


def with_solutions(course: Course) -> Course:
    """Return a course that has its own answers on the page, too."""
    return replace(course, packed=packed(FILE))


def version(course: Course) -> str:
    """Return the version of the course, of which a page has no package."""
    return packed(FILE).get(VERSION) or course.version


def written(course: Course) -> str:
    """Return all of them as JSON, and the version of the course."""
    answers = {name: dict(course.solutions(name)) for name in course.chapters}
    return json.dumps(answers | {VERSION: course.version})


if __name__ == "__main__":
    print(written(Course.load(Path(sys.argv[1]))))

"""The course that is graded: a folder that has a course.py, loaded by its path.

So it is the same in a clone, in an installed package and in the archive that a page loads, and no
package of its name need be installed.
"""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tensorgrader.exercise import Chapter, Exercise, Property

PACKAGE = "tensorgrader_course"
HERE = Path(__file__).parents[1]
INSTALLED = HERE / "transformer_lab/_sources"
#: Where this book's course is: in the package when installed, else beside the engine.
FOLDER = (INSTALLED if INSTALLED.is_dir() else HERE) / "exercises"


def load(folder: Path) -> Any:
    """Import the course.py of a folder, which may import its neighbours relatively."""
    package = ModuleType(PACKAGE)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE] = package
    return import_module(f"{PACKAGE}.course")


def part(name: str) -> Any:
    """Import a file of the course by its dotted name in the folder, such as "attention.softmax"."""
    return import_module(f"{PACKAGE}.{name}")


_course = load(FOLDER)

CHAPTERS: dict[str, Chapter] = _course.CHAPTERS

EXERCISES: dict[str, Exercise] = {
    exercise.id: exercise for chapter in CHAPTERS.values() for exercise in chapter.exercises
}

PROPERTIES: dict[str, tuple[Exercise, Property]] = {
    prop.id: (exercise, prop) for exercise in EXERCISES.values() for prop in exercise.properties
}

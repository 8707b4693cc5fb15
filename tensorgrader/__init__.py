"""The engine that grades: properties, known mistakes, and the judgement that all front ends share.

`check.check` runs in the notebook and answers at once; `grade.grade_notebook` gives the verdict,
from the sources of the answer cells, in a process apart.

Public is what the modules in `__all__` list in theirs. It changes by semantic versions; all else
may change with any version. In the examples of their docstrings, `course` is what `python -m
tensorgrader new mine` writes, `task` its one exercise, and handout/ what `release` makes of it.
"""

__all__ = ["author", "check", "course", "exercise", "grade"]

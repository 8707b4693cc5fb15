"""This book's course as tests ask for it, and the engine's functions with it handed over."""

from functools import partial
from importlib import import_module

from tensorgrader import grade, submission
from tensorgrader import judge as judging
from tensorgrader.classes import grade_class as of_a_class
from tensorgrader.classes import report, submissions
from tensorgrader.naming import mutate
from tensorgrader.naming import name_mistakes as naming
from transformer_lab._course import COURSE

CHAPTERS, EXERCISES, PROPERTIES = COURSE.chapters, COURSE.exercises, COURSE.properties
PACKAGE = next(iter(EXERCISES.values())).module.partition(".")[0]

grade_notebook = partial(grade.grade_notebook, COURSE)
read_submission = partial(submission.read_submission, COURSE)
parse_submission = partial(submission.parse_submission, COURSE)
judge = partial(judging.judge, COURSE)
name_mistakes = partial(naming.name_mistakes, COURSE)
of_steps = partial(mutate.of_steps, COURSE)
by_step = partial(mutate.by_step, COURSE)
students = partial(submissions.students, COURSE)
write_reports = partial(report.write_reports, COURSE)
Settings = partial(of_a_class.Settings, COURSE)


def part(name):
    """Return a file of the course by its dotted name in the folder, such as "attention.softmax"."""
    return import_module(f"{PACKAGE}.{name}")

"""Put one question at a time to a function on trial, or to a sandbox; change notebooks."""

import json
import linecache
from contextlib import contextmanager
from functools import lru_cache, partial

from tensorgrader.deadline import by_alarm
from tensorgrader.exercise import Inputs
from tensorgrader.find_answer import source_of
from tensorgrader.in_process import FunctionAnswer
from tensorgrader.trial import Questions, Trial
from tests.course import CHAPTERS, COURSE
from tests.sweeps import few


def each(exercises):
    """Give exercises to parametrize a test by; those that train in each call are slow."""
    exercises = list(exercises)
    return few(exercises, *(exercise for exercise in exercises if not exercise.seconds))


@lru_cache(maxsize=8)
def questions(exercise, seed):
    return Questions(exercise, seed)


def tried(exercise, apply, seed=0):
    return Trial(questions(exercise, seed), partial(map, apply))


def here(exercise, function, seed=0):
    source = source_of(function)
    return FunctionAnswer(COURSE, Questions(exercise, seed), function, by_alarm, source=source)


def run(sandbox, code):
    outcomes = sandbox.run({"cell": code})
    return outcomes[0] if isinstance(outcomes, list) else outcomes


def call(sandbox, *args, name="f"):
    (outcome,) = sandbox.call(name, [Inputs(args)])
    return outcome


def worth(stem):
    exercises = CHAPTERS[stem].exercises
    return {e.function: sum(prop.points for prop in e.properties) for e in exercises}


@contextmanager
def editing(path):
    """Yield a notebook to change, and its graded cells by their ids; then write it."""
    notebook = json.loads(path.read_text("utf8"))
    yield (
        notebook,
        {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in notebook["cells"]},
    )
    path.write_text(json.dumps(notebook), "utf8")


def as_cell(code):
    """Keep code as IPython keeps a cell; give its file name."""
    source = f"<cell {len(linecache.cache)}>"
    linecache.cache[source] = (len(code), None, code.splitlines(keepends=True), source)
    return source

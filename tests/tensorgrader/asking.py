"""Put one question at a time to a function on trial, or to a sandbox."""

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

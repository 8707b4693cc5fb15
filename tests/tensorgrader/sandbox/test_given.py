"""What a learner's function is given to judge can be called, and nothing else, where it counts."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import get_origin, get_type_hints

import pytest

from tensorgrader.exercise import IMPORTS
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.processes import lacking
from tensorgrader.trial import apply_here
from tests.course import CHAPTERS
from tests.sweeps import few
from tests.tensorgrader.asking import questions
from tests.tensorgrader.sandbox.looking_inside import ANSWER, ASKS, HELPER, WAYS

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")

EXERCISES = {exercise.id: exercise for c in CHAPTERS.values() for exercise in c.exercises}
JUDGES = (*ASKS, "multi_head-which", "positional_encoding-extrapolate")


def cases(name, seed):
    exercise = EXERCISES[name]
    return [
        question
        for prop in exercise.properties[:2]
        for question in questions(exercise, seed).drawn(prop.id, prop.inputs)
    ]


def right(name, outcomes):
    pairs = zip(cases(name, 0), outcomes, strict=True)
    return sum(outcome.value == question.expected for question, outcome in pairs)


def in_a_worker(name, source):
    """Count the right answers where it counts."""
    with Sandbox() as sandbox:
        assert sandbox.run({"given": IMPORTS, "answer": source}) == [None, None]
        batch = [question.inputs for question in cases(name, 0)]
        return right(name, sandbox.call(EXERCISES[name].function, batch))


def here(name, source):
    names = {}
    exec(IMPORTS + source, names)
    function = names[EXERCISES[name].function]
    return right(name, [apply_here(function, question.inputs) for question in cases(name, 0)])


@cache
def answer(way, name):
    """Write an answer that knows, from home, what looks so."""
    exercise, source = EXERCISES[name], HELPER + WAYS[way] + ASKS[name]
    names = {}
    exec(source, names)

    def seen(given, *_):
        try:
            return names["look"](given)
        except Exception:
            return None

    table = {}
    for seed in (1, 2):
        for question in cases(name, seed):
            looked = apply_here(seen, question.inputs).value
            table.setdefault(looked, Counter())[question.expected] += 1
    table = {look: counts.most_common(1)[0][0] for look, counts in table.items() if look}
    form = {"function": exercise.function, "otherwise": usual(name)}
    return source + ANSWER.format(table=table, **form), source + ANSWER.format(table={}, **form)


def usual(name):
    return Counter(q.expected for q in cases(name, 0)).most_common(1)[0][0]


@pytest.mark.parametrize("name", few(ASKS, "norm-catch", "masking-promises"))
@pytest.mark.parametrize("way", WAYS)
def test_who_looks_inside_earns_no_more_than_who_says_always_the_same(way, name):
    looking, constant = answer(way, name)
    assert in_a_worker(name, looking) == in_a_worker(name, constant)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_look_inside_tells_something_at_home(way):
    assert any(here(name, of[0]) > here(name, of[1]) for name in ASKS if (of := answer(way, name)))


@pytest.mark.parametrize("name", few(ASKS, "norm-catch", "masking-promises"))
@pytest.mark.parametrize("way", WAYS)
def test_what_is_given_looks_alike_to_whoever_looks_inside(way, name):
    _, source = answer(way, name)
    looks = f"def {EXERCISES[name].function}(given, *_):\n    return look(given)\n"
    alike = [q.inputs for q in cases(name, 0) if "writes" not in q.inputs.args[0].says]
    with Sandbox() as sandbox:
        sandbox.run({"given": IMPORTS, "looking": source, "answer": looks})
        outcomes = list(sandbox.call(EXERCISES[name].function, alike))
    pairs = list(zip(alike, outcomes, strict=True))[3:]  # what is found for the first time is kept
    seen = {(inputs.args[1:], outcome.value) for inputs, outcome in pairs}
    assert len(seen) == len({inputs.args[1:] for inputs, _ in pairs})


def test_these_exercises_give_a_function_or_a_model():
    called = [exercise for exercise in EXERCISES.values() if not exercise.driver]
    hints = {exercise.id: get_type_hints(exercise.reference).values() for exercise in called}
    giving = {name for name, kinds in hints.items() if Callable in map(get_origin, kinds)}
    assert giving == {*JUDGES, "norm-rate"}  # which trains what it is given


ATTRIBUTES = """
import copyreg, gc, pickle, sys

def told(work):
    try:
        return repr(work()).split(" at 0x")[0]
    except Exception as error:
        return f"{type(error).__name__} {str(error).split(' at 0x')[0]}"

def looks(*given):
    (one,) = [thing for thing in given if callable(thing)]
    every = [f"{type(one)} {sys.getsizeof(one)} {told(lambda: vars(one))} {dir(one)}"]
    for name in (*dir(one), "__code__", "__closure__", "__name__", "__qualname__", "__globals__"):
        every.append(told(lambda: getattr(one, name)))
    for protocol in range(5):
        every.append(told(lambda: pickle.dumps(one, protocol)))
        every.append(told(lambda: one.__reduce_ex__(protocol)))
    every.append(str(sorted(type(thing).__name__ for thing in gc.get_referents(one))))
    return [line[:400] for line in every]
"""


@pytest.mark.parametrize("name", JUDGES)
def test_everything_that_is_given_has_the_same_type_attributes_and_bytes(name):
    with Sandbox() as sandbox:
        sandbox.run({"given": IMPORTS, "answer": ATTRIBUTES})
        outcomes = list(sandbox.call("looks", [q.inputs for q in cases(name, 0)]))
    _, first, *rest = (outcome.value for outcome in outcomes)  # some is set up on the first look
    assert len(first) > 40
    assert all(other == first for other in rest)

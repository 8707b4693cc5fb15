"""Nothing undeserved: an answer that does not do what is asked earns nothing, in no exercise."""

import pytest

from tensorgrader.author.lazy import STEPS, earned, undeserved
from tensorgrader.trial import Questions
from tests.course import COURSE, EXERCISES
from tests.sweeps import few

QUICK = [exercise for exercise in EXERCISES.values() if not exercise.seconds]
#: Where one step is the whole answer.
WHOLE = {("attention-scores", "x @ y.mT"), ("attention-softmax", "x.softmax(-1)")}


@pytest.mark.parametrize("exercise", few(EXERCISES.values(), *QUICK[::3]), ids=EXERCISES)
def test_a_lazy_answer_earns_nothing(exercise):
    assert undeserved(COURSE, exercise) == {}
    questions = Questions(exercise, 0)
    every = [prop.id for prop in exercise.properties]
    whole = {(exercise.id, n) for n, f in STEPS.items() if earned(exercise, f, questions) == every}
    assert whole <= WHOLE

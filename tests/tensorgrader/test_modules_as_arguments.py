"""Functions of modules: a driver builds them from plain values, in a worker too."""

import pytest

from tensorgrader.exercise import IMPORTS
from tensorgrader.sandbox.client import Sandbox
from tests.course import CHAPTERS, EXERCISES, judge
from tests.exercises.test_answers import in_this_process
from tests.tensorgrader.asking import questions
from tests.written import solutions

GIVING = [
    e.id for e in CHAPTERS["full_model"].exercises if e.driver and e.arguments == e.parameters
]


def test_these_tasks_take_modules():
    names = "decoder-layer mend-leak cache heads sentence"
    assert [f"full_model-{name}" for name in names.split()] == GIVING


@pytest.mark.parametrize("name", GIVING)
def test_a_worker_builds_the_module_by_itself(name):
    """It needs nothing of what the notebook gives."""
    exercise = EXERCISES[name]
    code = f"{IMPORTS}\ndef {exercise.function}(*given):\n    kinds.extend(map(type, given))\n"
    code += "    return [isinstance(one, nn.Module) for one in given]\nkinds = []"
    asked = questions(exercise, 0).drawn(name, exercise.properties[0].inputs)
    with Sandbox() as sandbox:
        assert sandbox.run({"answer": code}) == [None]
        outcomes = list(sandbox.call(exercise.function, [q.inputs for q in asked]))
    for outcome in outcomes:
        assert sum(outcome.value) == 1


def words(name, code):
    names = {}
    chapter = CHAPTERS["full_model"]
    exec("\n\n".join([IMPORTS, chapter.given_source, code]), names)
    exercise = EXERCISES[name]
    results = judge(in_this_process(exercise, names[exercise.function], 1), exercise.properties)
    return next(result.finding.words for result in results if result.finding)


@pytest.mark.parametrize(
    "code",
    [
        'return attention["query"](x)',
        "return {name: weight for name, weight in attention.items()}",
        "return [name for name in attention]",
    ],
)
def test_who_reads_a_module_like_a_dict_is_told_so(code):
    told = words("full_model-cache", f"def cached_step(x, keys, values, attention):\n    {code}")
    assert "`attention` is a module" in told


def test_an_answer_for_the_arguments_of_before_is_told_those_of_today():
    code = "def sentence_embedding(weights, ids, real, heads, layers):\n    return ids"
    assert "`sentence_embedding(model, ids, real)`" in words("full_model-sentence", code)


def test_weights_that_a_call_leaves_changed_are_found():
    code = solutions("full_model")["full_model-heads"].replace("matrix.copy_(kept)", "pass")
    others = [solutions("full_model")[f"full_model-{name}"] for name in ("mend-leak", "loss")]
    exercise = EXERCISES["full_model-heads"]
    names = {}
    exec("\n\n".join([IMPORTS, CHAPTERS["full_model"].given_source, *others, code]), names)
    results = judge(in_this_process(exercise, names["head_losses"], 1), exercise.properties)
    assert "silenced heads stay silent" in {m.name for r in results for m in r.mistakes}

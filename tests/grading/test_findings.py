"""What a learner is told about an outcome."""

import pytest
import torch

from tests.grading.asking import tried
from transformer_lab.grading.checks import CHAPTERS
from transformer_lab.grading.findings import finding
from transformer_lab.grading.judge import verdict
from transformer_lab.grading.naming import apply_here
from transformer_lab.grading.report import explanation
from transformer_lab.grading.sandbox import Died, TimedOut
from transformer_lab.grading.trial import Questions, Trial
from transformer_lab.grading.worker import Missing, Raised

EXERCISES = {e.function: e for e in CHAPTERS["attention"].exercises}


def told(name, function, prop=0):
    exercise = EXERCISES[name]
    trial = tried(exercise, lambda inputs: apply_here(function, inputs))
    prop = exercise.properties[prop]
    found = finding(exercise, trial.cases(prop)[-1], prop.unchanged)
    return found and found.words


def right(q, k, v, mask=None):
    return EXERCISES["attention"].reference(q, k, v, mask)


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("scores", lambda q, k: None, "returned None, expected a tensor. Is a `return` missing?"),
        ("scores", lambda q, k: (q @ k.mT).tolist(), "a list of length 4 (torch.stack"),
        ("scores", lambda q, k: (q @ k.mT, q), "a tuple of length 2"),
        ("scores", lambda q, k: 3, "should be a tensor, but it is a plain number"),
        (
            "scores",
            lambda q, k: q,
            "The shape of the scores is (4, 2), expected (4, 5); its last axes",
        ),
        (
            "scores",
            lambda q, k: (q @ k.mT).double(),
            "The dtype of the scores is float64, expected float32.",
        ),
        ("scores", lambda q, k: q @ k.mT + torch.nan, "is at [0, 0]: yours is nan, expected"),
        ("scores", lambda q, k: q @ k.nothing, "raised AttributeError"),
        ("scores", lambda q, k: exit(), "raised SystemExit"),
        ("attention", lambda q, k, v: right(q, k, v)[0], "a single tensor, expected a pair"),
        ("attention", lambda q, k, v: {"a": q}, "a dict of 1 entries, expected a pair (output, w"),
        ("attention", lambda q, k, v: (q, k, v), "returned 3 results, expected a pair"),
        ("attention", lambda q, k, v: (right(q, k, v)[0], None), "The weights should be a tensor"),
    ],
)
def test_words_for_what_was_returned(name, function, words):
    assert words in told(name, function)


def test_a_right_answer_is_told_nothing():
    assert told("scores", lambda q, k: q @ k.mT) is None
    assert told("attention", right) is None
    assert told("attention", lambda q, k, v: list(right(q, k, v))) is None  # as good as a tuple


def test_a_thousandth_is_wrong_and_rounding_is_not():
    assert "first difference" in told("scores", lambda q, k: q @ k.mT * 1.001)
    assert told("scores", lambda q, k: q @ k.mT * 1.000001) is None


def test_a_changed_argument_is_named():
    def scale(scores, d_k):
        scores /= d_k**0.5
        return scores

    assert told("scale", scale, prop=0) is None
    assert "caller's `scores` was changed" in told("scale", scale, prop=2)


def test_the_mask_of_the_caller_is_watched():
    def attention(q, k, v, mask=None):
        result = right(q, k, v, mask)
        if mask is not None:
            mask.logical_not_()
        return result

    assert "caller's `mask` was changed" in told("attention", attention, prop=5)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (TimedOut(5.0), "no answer within 5 seconds"),
        (Died("ended the Python process (exit code 3)"), "It ended the Python process"),
        (Missing("scores"), "no function called `scores`"),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.mT"), "in line 2: return q @ k.mT"),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.T"), "k.T\n`.T` turns all axes round"),
    ],
)
def test_words_for_no_answer(outcome, words):
    exercise = EXERCISES["scores"]
    case = tried(exercise, lambda _: outcome).cases(exercise.properties[0])[0]
    assert words in finding(exercise, case).words


def test_a_silent_function_is_asked_once_only():
    asked = []
    trial = tried(EXERCISES["scores"], lambda _: asked.append(1) or TimedOut(1.0))
    trial.all_cases()
    assert len(asked) == 1


@pytest.mark.parametrize("answered", [0, 1])
def test_what_is_not_answered_earns_nothing(answered):
    exercise = EXERCISES["attention"]

    def some(batch):
        return [apply_here(exercise.reference, inputs) for inputs in batch[:answered]]

    result = verdict(Trial(Questions(exercise, 0), some), exercise.properties[0])
    assert result.earned == 0
    assert "gave no answer" in result.finding.words


def test_expected_values_keep_the_dtype_of_the_inputs():
    exercise = EXERCISES["attention"]
    trial = tried(exercise, lambda inputs: apply_here(right, inputs))
    dtypes = {c.inputs.args[0].dtype for c in trial.all_cases()}
    assert dtypes == {torch.bfloat16, torch.float32, torch.float64}
    assert all(c.expected[0].dtype == c.inputs.args[0].dtype for c in trial.all_cases())


NONSENSE = [
    None, True, 0, 7, 2.5, float("nan"), "text", "\x1b[2J" * 200, [], (), {}, [[1, [2]]], {"a": []},
    torch.tensor(1.0), torch.empty(0, 3), torch.ones(2, 2, 2), torch.ones(2, dtype=torch.int64),
    torch.Size([2]), torch.float16, len, {1, 2}, 10**60, [None] * 9999, (torch.ones(1),) * 4,
]  # fmt: skip


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_whatever_a_function_gives_is_told_in_words_and_earns_nothing(chapter):
    for exercise in chapter.exercises:
        for value in NONSENSE:
            trial = tried(exercise, lambda inputs, v=value: apply_here(lambda *_: v, inputs))
            for prop in exercise.properties:
                result = verdict(trial, prop)
                assert result.finding, (exercise.id, value)
                assert "\x1b" not in explanation(result)

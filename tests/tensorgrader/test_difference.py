"""What a learner is told about an outcome: the first thing that is wrong, in words."""

import pytest
import torch

from tensorgrader.card.text import trouble_text
from tensorgrader.difference import difference, finding
from tensorgrader.make_card import trouble
from tensorgrader.outcome import Missing, Raised, TimedOut
from tensorgrader.sandbox.values import plain
from tensorgrader.trial import Questions, Trial, apply_here, same
from tests.course import CHAPTERS, judge
from tests.sweeps import few
from tests.tensorgrader.asking import tried

EXERCISES = {e.function: e for e in CHAPTERS["attention"].exercises}


def told(name, function):
    exercise = EXERCISES[name]
    trial = tried(exercise, lambda inputs: apply_here(function, inputs))
    found = finding(exercise, trial.cases(exercise.properties[0])[-1])
    return found.words if found else None


def right(q, k, v):
    return EXERCISES["attention"].reference(q, k, v)


@pytest.mark.parametrize(
    ("name", "function", "words"),
    [
        ("scores", lambda q, k: None, "returned None, expected a tensor. Is a `return` missing?"),
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
        ("attention", lambda q, k, v: right(q, k, v)[0], "a single tensor, expected a pair"),
        ("attention", lambda q, k, v: (right(q, k, v)[0], None), "The weights should be a tensor"),
    ],
)
def test_words_for_what_was_returned(name, function, words):
    assert words in told(name, function)


def test_a_thousandth_is_wrong_and_rounding_is_not():
    assert "first difference" in told("scores", lambda q, k: q @ k.mT * 1.001)
    assert told("scores", lambda q, k: q @ k.mT * 1.000001) is None


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (TimedOut(5.0), "no answer within 5 seconds"),
        (Missing("scores"), "no function called `scores`"),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.mT"), "RuntimeError in line 2: 2 and"),
        (
            Raised("RuntimeError", "the ready-made `x` is", 2, "q.x()"),
            "That is not allowed here: the",
        ),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.T"), "4\n`.T` reverses all axes"),
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

    (result,) = judge(Trial(Questions(exercise, 0), some), exercise.properties[:1])
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


@pytest.mark.parametrize("chapter", few(CHAPTERS, "attention"))
@pytest.mark.parametrize("every", few([12, 1], 12))
def test_whatever_a_function_gives_is_told_in_words_and_earns_nothing(chapter, every):
    for number, exercise in enumerate(CHAPTERS[chapter].exercises):
        for value in NONSENSE[number % every :: every]:
            trial = tried(exercise, lambda inputs, v=value: apply_here(lambda *_: v, inputs))
            for result in judge(trial, exercise.properties):
                assert result.finding, (exercise.id, value)
                assert "\x1b" not in trouble_text(trouble(result))


LONG = list(range(100, 130))


@pytest.mark.parametrize(
    ("yours", "right", "words"),
    [
        (3, 4, "The x: yours is 3, expected 4."),
        (4.0, 4, "should be an integer, but it is a plain number, 4.0 (// divides"),
        (True, 1, "should be an integer, but it is True."),
        (torch.tensor(4), 4, "should be an integer, but it is a tensor of shape () (.item()"),
        ("a", "b", "The x: yours is 'a', expected 'b'."),
        (len, 4, "it is a builtin_function_or_method (are the parentheses of a call missing?)."),
        ([1.0], torch.ones(1), "(torch.stack or torch.tensor converts it)"),
        ([(2, 3), (4,)], [(2, 3), (5,)], "The x at [1]: yours is (4,), expected (5,)."),
        (LONG[:-1], LONG, "The x: yours has 29 entries, expected 30."),
        ([*LONG[:9], 0, *LONG[10:]], LONG, "in the x is at [9]: yours is 0, expected 109."),
        ({"a": 1, "b": 2}, {"a": 1}, "The x has an entry 'b'"),
        ({"a": 1}, {"a": 1, "b": 2}, "The x lacks the entry 'b'; expected are 'a', 'b'."),
        ({"a": 1}, {"a": 2}, "The x at ['a']: yours is 1, expected 2."),
    ],
)
def test_every_kind_of_difference_is_told(yours, right, words):
    found = difference("x", "", plain(yours), right)
    assert words in found.words


@pytest.mark.parametrize(
    ("yours", "right"),
    [
        ([2, 3], (2, 3)),
        (torch.Size([2, 3]), [2, 3]),
        (0.1 + 0.2, 0.3),
        (float("nan"), float("nan")),
        ({"b": 1, "a": [2]}, {"a": (2,), "b": 1}),
        (torch.tensor([0, 2]).int(), torch.tensor([0, 2])),
    ],
)
def test_what_is_as_good_is_no_difference(yours, right):
    assert difference("x", "", plain(yours), right) is None


@pytest.mark.parametrize(
    "pair",
    [
        (1, True),
        (True, 1.0),
        ({}, []),
        ({"a": 1, "b": 2}, {"a": 1}),
        (2, 2.1),
        (torch.tensor([0, 3]).int(), torch.tensor([0, 2])),
        (torch.tensor([False, True]), torch.tensor([0, 1])),
        (torch.tensor([0.0, 1.0]), torch.tensor([0, 1])),
    ],
)
def test_what_is_not_as_good_differs(pair):
    assert not same(*pair)


def test_what_differs_by_rounding_alone_is_shown_alike():
    found = difference("x", "", torch.tensor([0.2350001, 1.0]), torch.tensor([0.2349999, 2.0]))
    assert found.place == (1,)
    assert found.yours[0] == found.expected[0]

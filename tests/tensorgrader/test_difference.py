"""What a learner is told about an outcome: the first thing that is wrong, in words."""

import re
from dataclasses import replace

import pytest
import torch

from tensorgrader.card.text import trouble_text
from tensorgrader.difference import change, difference, finding
from tensorgrader.exercise import Inputs
from tensorgrader.judge import Result
from tensorgrader.make_card import trouble
from tensorgrader.outcome import Died, Missing, Raised, Returned, TimedOut
from tensorgrader.sandbox.values import plain
from tensorgrader.trial import (
    Case,
    Question,
    Questions,
    Trial,
    apply_here,
    expected,
    same,
    size,
)
from tests.course import CHAPTERS, judge
from tests.sweeps import few, one_in
from tests.tensorgrader.asking import tried

EXERCISES = {e.function: e for e in CHAPTERS["attention"].exercises}


def told(name, function, prop=0):
    exercise = EXERCISES[name]
    trial = tried(exercise, lambda inputs: apply_here(function, inputs))
    prop = exercise.properties[prop]
    case = trial.cases(prop)[-1]
    found = finding(exercise, case) or (prop.unchanged and change(exercise, case))
    return found.words if found else None


def right(q, k, v):
    return EXERCISES["attention"].reference(q, k, v)


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


def test_every_argument_of_the_caller_is_watched():
    def attention(q, k, v):
        output, weights = right(q, k, v)
        v.zero_()
        return output, weights

    assert "caller's `v` was changed" in told("attention", attention, prop=3)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (TimedOut(5.0), "no answer within 5 seconds"),
        (Died("ended the Python process (exit code 3)"), "It ended the Python process"),
        (Missing("scores"), "no function called `scores`"),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.mT"), "RuntimeError in line 2: 2 and"),
        (
            Raised("RuntimeError", "the ready-made `x` is", 2, "q.x()"),
            "That is not allowed here: the",
        ),
        (Raised("RuntimeError", "2 and 4", 2, "return q @ k.T"), "4\n`.T` turns all axes round"),
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


@pytest.mark.parametrize("chapter", one_in(2, list(CHAPTERS.values())), ids=lambda c: c.name)
@pytest.mark.parametrize("every", few([12, 1], 12))
def test_whatever_a_function_gives_is_told_in_words_and_earns_nothing(chapter, every):
    for number, exercise in enumerate(chapter.exercises):
        for value in NONSENSE[number % every :: every]:
            trial = tried(exercise, lambda inputs, v=value: apply_here(lambda *_: v, inputs))
            for result in judge(trial, exercise.properties):
                assert result.finding, (exercise.id, value)
                assert "\x1b" not in trouble_text(trouble(result))


EXERCISE = CHAPTERS["attention"].exercises[0]
LONG = list(range(100, 130))


@pytest.mark.parametrize(
    ("yours", "right", "words"),
    [
        (3, 4, "The x: yours is 3, expected 4."),
        (4.0, 4, "should be a whole number, but it is a plain number, 4.0 (// divides"),
        (True, 1, "should be a whole number, but it is True."),
        (1, True, "should be True or False, but it is a plain number, 1."),
        (0.5, 0.25, "The x: yours is 0.5, expected 0.25."),
        (torch.tensor(4), 4, "should be a whole number, but it is a tensor of shape () (.item()"),
        (torch.tensor(True), True, "of shape () (bool(...) makes True or False of it)"),
        ("a", "b", "The x: yours is 'a', expected 'b'."),
        (None, "b", "should be a text, but it is None."),
        (len, 4, "it is a builtin_function_or_method (are the parentheses of a call missing?)."),
        (
            torch.ones(1),
            [1.0],
            "should be a list of length 1, but it is a tensor of shape (1,)",
        ),
        (torch.tensor(1.5), torch.tensor(2.5), "The x: yours is 1.5, expected 2.5."),
        ([1.0], torch.ones(1), "(torch.stack or torch.tensor makes a tensor of it)"),
        (torch.float32, torch.float16, "yours is torch.float32, expected torch.float16."),
        ((2, 3), (3, 2), "The x: yours is (2, 3), expected (3, 2)."),
        ([(2, 3), (4,)], [(2, 3), (5,)], "The x at [1]: yours is (4,), expected (5,)."),
        (LONG[:-1], LONG, "The x: yours has 29 entries, expected 30."),
        ([*LONG[:9], 0, *LONG[10:]], LONG, "in the x is at [9]: yours is 0, expected 109."),
        ([LONG, [*LONG[:-1], 0]], [LONG, LONG], "in the x is at [1][29]: yours is 0, expected 129"),
        ({"a": 1}, {"a": 1, "b": 2}, "The x lacks the entry 'b'; expected are 'a', 'b'."),
        ({"a": 1, "b": 2}, {"a": 1}, "The x has an entry 'b'; expected are 'a'."),
        ({}, dict.fromkeys(range(41)), "The x lacks the entry 0; expected are 41 entries."),
        ({"a": 1}, {"a": 2}, "The x at ['a']: yours is 1, expected 2."),
        (
            {"a": torch.ones(2)},
            {"a": torch.ones(3)},
            "shape of the x at ['a'] is (2,)",
        ),
        (
            [1, torch.ones(1)],
            [1, torch.zeros(1)],
            "in the x at [1] is at [0]: yours is 1,",
        ),
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
        (4, 4.0),
        (0.1 + 0.2, 0.3),
        (float("nan"), float("nan")),
        ({"b": 1, "a": [2]}, {"a": (2,), "b": 1}),
        (torch.tensor([0, 2]).int(), torch.tensor([0, 2])),
        (torch.tensor([[0, 2]]).to(torch.uint8), torch.tensor([[0, 2]])),
    ],
)
def test_what_is_as_good_is_no_difference(yours, right):
    assert difference("x", "", plain(yours), right) is None


@pytest.mark.parametrize(
    "pair",
    [
        (1, True),
        (True, 1.0),
        ("1", 1),
        ({}, []),
        ((), None),
        (2, 2.1),
        (torch.tensor([0, 3]).int(), torch.tensor([0, 2])),
        (torch.tensor([False, True]), torch.tensor([0, 1])),
        (torch.tensor([0.0, 1.0]), torch.tensor([0, 1])),
    ],
)
def test_what_is_not_as_good_differs(pair):
    assert not same(*pair)


def test_long_lists_are_shown_below_each_other_with_the_first_difference_marked():
    yours, right = [1, 2, 4] * 7, [1, 2, 4] * 6 + [1, 5, 4]
    exercise = replace(EXERCISE, results={"ids": ""}, reference=lambda text: text)
    case = Case(Question(Inputs(("a text of some kind",)), right), Returned(yours, None))
    found = difference("ids", "", yours, right)
    told = trouble_text(trouble(Result(exercise, exercise.properties[0], found, case))).splitlines()
    assert "Smallest input that shows it: text = 'a text of some kind'" in told
    head = r"yours \(21,\) numbers 13 to 20 of 21 +expected \(21,\) numbers 13 to 20 of 21"
    assert re.fullmatch(head, told[-2])
    assert re.fullmatch(r" 2  4  1  2  4  1 \[2\] 4 + 2  4  1  2  4  1 \[5\] 4", told[-1])


def test_a_dict_of_tensors_is_told_by_its_first():
    inputs = Inputs(({"W": torch.ones(9, 2), "b": torch.ones(2)}, 3))
    exercise = replace(EXERCISE, reference=lambda weights, heads: weights)
    found = difference("x", "", 1, 2)
    case = Case(Question(inputs, 2), Returned(1, None))
    told = trouble_text(trouble(Result(exercise, exercise.properties[0], found, case)))
    words = "it: weights with 2 entries, the first 'W' (9, 2), heads = 3"
    assert words in " ".join(told.split())


def test_a_reference_gets_floats_in_float64_and_everything_else_as_it_is():
    seen = []

    def reference(weights, ids, mask, names):
        seen.extend([weights["w"].dtype, ids.dtype, mask.dtype, names])
        return {"out": weights["w"] * 2, "ids": ids}

    exercise = replace(EXERCISE, reference=reference)
    mask, ids = torch.tensor([True]), torch.tensor([3])
    inputs = Inputs(({"w": torch.ones(1)}, ids, mask, ["a", 1]))
    result = expected(exercise, inputs)
    assert seen == [torch.float64, torch.int64, torch.bool, ["a", 1]]
    assert result["out"].dtype == torch.float32
    assert result["ids"].dtype == torch.int64
    assert size(inputs) == 5


def test_of_a_large_result_what_surrounds_the_first_difference_is_shown():
    expected = torch.zeros(2, 12, 20)
    yours = expected.clone()
    yours[1, 10, 17] = 1.0
    exercise = replace(EXERCISE, results={"x": ""}, reference=lambda x: x)
    case = Case(Question(Inputs((torch.zeros(30),)), expected), Returned(yours, None))
    found = difference("x", "", yours, expected)
    told = trouble(Result(exercise, exercise.properties[0], found, case))
    assert told.call == "x (30,)"
    assert told.given == ()
    for table, framed in zip(told.results, (1.0, 0.0), strict=True):
        assert (
            table.title
            == f"{table.name} (2, 12, 20) at [1], rows 4 to 11 of 12, columns 12 to 19 of 20"
        )
        assert [len(row) for row in table.rows] == [8] * 8
        assert table.rows[table.framed[0]][table.framed[1]] == framed
        assert (table.start[0] + table.framed[0], table.start[1] + table.framed[1]) == (10, 17)


def shown(inputs, value):
    """Give what is told of a result that is wrong for these inputs."""
    exercise = EXERCISES["scores"]
    case = Case(Question(inputs, expected(exercise, inputs)), Returned(value, inputs.args))
    result = Result(exercise, exercise.properties[0], finding(exercise, case), case)
    return trouble_text(trouble(result))


@pytest.mark.parametrize("many", [1, 9], ids=["numbers", "shapes"])
def test_an_input_of_an_unusual_dtype_says_so_and_a_usual_one_does_not(many):
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        part = torch.ones(many, 2, 3, dtype=dtype).squeeze(0)
        told = shown(Inputs((part, part)), part)
        kind = f"of {str(dtype).removeprefix('torch.')}"
        assert told.count(kind) == (4 if many == 1 else 2)
        assert f"q {tuple(part.shape)} {kind}" in told
    part = torch.ones(many, 2, 3).squeeze(0)
    assert "float32" not in shown(Inputs((part, part)), part)


def test_an_input_from_which_gradients_are_wanted_says_so():
    part = torch.ones(2, 3)
    assert "requires_grad=True for q, k" in shown(Inputs((part, part), trains=(0, 1)), part)
    assert "requires_grad" not in shown(Inputs((part, part)), part)

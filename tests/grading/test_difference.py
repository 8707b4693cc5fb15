"""The first difference between two values, in words, for values of every kind."""

import re
from dataclasses import replace

import pytest
import torch

from transformer_lab.grading.checks import CHAPTERS
from transformer_lab.grading.difference import difference
from transformer_lab.grading.exercise import Inputs
from transformer_lab.grading.judge import Result
from transformer_lab.grading.report import explanation
from transformer_lab.grading.trial import Case, Question, expected, same, size
from transformer_lab.grading.values import plain
from transformer_lab.grading.worker import Returned

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
    ],
)
def test_what_is_as_good_is_no_difference(yours, right):
    assert difference("x", "", plain(yours), right) is None


@pytest.mark.parametrize("pair", [(1, True), (True, 1.0), ("1", 1), ({}, []), ((), None), (2, 2.1)])
def test_what_is_not_as_good_differs(pair):
    assert not same(*pair)


def test_long_lists_are_shown_below_each_other_with_the_first_difference_marked():
    yours, right = [1, 2, 4] * 7, [1, 2, 4] * 6 + [1, 5, 4]
    exercise = replace(EXERCISE, results={"ids": ""}, arguments=("text",))
    case = Case(Question(Inputs(("a text of some kind",)), right), Returned(yours, None))
    found = difference("ids", "", yours, right)
    told = explanation(Result(exercise, exercise.properties[0], found, case)).splitlines()
    assert "Smallest input that shows it: text = 'a text of some kind'" in told
    assert re.fullmatch(r"yours      1  2  4 .* 1 \[2\] 4", told[-2])
    assert re.fullmatch(r"expected   1  2  4 .* 1 \[5\] 4", told[-1])


def test_a_dict_of_tensors_is_told_by_its_first():
    inputs = Inputs(({"W": torch.ones(9, 2), "b": torch.ones(2)}, 3))
    exercise = replace(EXERCISE, arguments=("weights", "heads"))
    found = difference("x", "", 1, 2)
    case = Case(Question(inputs, 2), Returned(1, None))
    told = explanation(Result(exercise, exercise.properties[0], found, case))
    assert "it: weights with 2 entries, the first 'W' (9, 2), heads = 3" in told


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

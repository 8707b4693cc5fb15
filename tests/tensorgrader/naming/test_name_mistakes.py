"""Mistakes are put where they are made, two at once are told apart, and habits prove themselves."""

from dataclasses import replace

import pytest
import torch

from tensorgrader.exercise import Inputs, Mistake
from tensorgrader.naming.compare import distance
from tensorgrader.outcome import Returned
from tensorgrader.trial import Case, Question
from tests.course import name_mistakes
from tests.exercises.test_answers import EXERCISES, in_this_process, told


def unscaled_without_a_maximum(q, k, v):
    e = (q @ k.mT).exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights @ v, weights


KEPT = "it writes into what its gradient needs"


def softmax_in_place(x):
    x -= x.amax(dim=-1, keepdim=True)
    return x.softmax(dim=-1)


def over_queries_by_d_k(q, k, v):
    weights = (q @ k.mT / k.size(-1)).softmax(dim=-2)
    return weights @ v, weights


def as_often_as_there_are_groups(q, k, v):
    k, v = (x.repeat_interleave(x.size(-3), dim=-3) for x in (k, v))
    return softmax_over(q @ k.mT / k.size(-1) ** 0.5, v)


def softmax_over(scores, v):
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def one_mask_for_both(x, memory, layer, mask, memory_mask):
    reference = EXERCISES["full_model-decoder-layer"].reference
    return reference(x, memory, layer, mask, mask if memory_mask is None else memory_mask)


def first_prompt_without_an_end(table, prompt, steps, end_id):
    written = EXERCISES["full_model-greedy"].reference(table, prompt[:1], steps, end_id)
    return [token for token in written if token != end_id]


count = EXERCISES["positional_encoding-count"].reference
allowed = EXERCISES["masking-window"].reference
AXES = "two axes of the result are swapped"
ONE_NUMBER = "it works for one number of axes only"
TOLD = [
    (
        "attention-attention",
        unscaled_without_a_maximum,
        {"there is no scaling", "the exponential overflows"},
    ),
    (
        "attention-attention",
        over_queries_by_d_k,
        {
            "softmax runs over the queries, not the keys",
            "it divides by d_k, not by its square root",
        },
    ),
    ("attention-softmax", softmax_in_place, {"it changes what it was given", KEPT}),
    (
        "positional_encoding-count",
        lambda *args: count(*args).float(),
        {"it holds floats, not integers"},
    ),
    ("attention-scores", lambda q, k: torch.einsum("td,sd->ts", q, k), {ONE_NUMBER}),
    (
        "attention-scores",
        lambda q, k: q @ k.reshape(-1, *k.shape[-2:])[0].mT,
        {"the first `k` is used for all"},
    ),
    (
        "multi_head-split",
        lambda x, heads: x.reshape(*x.shape[:2], heads, -1).transpose(1, 2),
        {ONE_NUMBER},
    ),
    (
        "masking-softmax",
        lambda s, mask: s.masked_fill(~mask, -1e9).softmax(-1).masked_fill(~mask, 0),
        {"a number does not fit into half precision"},
    ),
    (
        "masking-window",
        lambda length, window: allowed(window, length),
        {"`length` and `window` are swapped"},
    ),
    ("multi_head-merge", lambda x: x.mT.flatten(-3, -2), {AXES}),
    (
        "multi_head-merge",
        lambda x: x.transpose(-2, -3).view(*x.shape[:-3], x.size(-2), x.size(-3) * x.size(-1)),
        {"view() needs numbers that are contiguous in memory"},
    ),
    (
        "multi_head-grouped",
        as_often_as_there_are_groups,
        {"a query head's number is divided by the number of key heads"},
    ),
    ("full_model-decoder-layer", one_mask_for_both, set()),
    (
        "full_model-greedy",
        first_prompt_without_an_end,
        {"it looks at the first token, not at the last", "the end symbol is not written"},
    ),
]


@pytest.mark.parametrize(("name", "function", "names"), TOLD)
def test_two_mistakes_have_two_names_and_habits_are_told_in_any_function(name, function, names):
    assert told(EXERCISES[name], function) == (True, names)


def turned_and_something_else_with_a_mask(x, W, W_o, heads, mask=None):
    output, weights = EXERCISES["multi_head-attention"].reference(x, W, W_o.T, heads, mask)
    return output, weights if mask is None else weights + 1


def test_what_the_cases_without_a_mask_prove_is_told_there():
    assert told(EXERCISES["multi_head-attention"], turned_and_something_else_with_a_mask) == (
        True,
        {"W_O is transposed"},
    )


def test_what_differs_by_rounding_alone_lies_no_way_from_the_answer():
    question = Question(Inputs((torch.zeros(2),)), torch.tensor([0.0, 1.0]))
    case = Case(question, Returned(torch.tensor([0.0, 1.0]), ()))
    assert distance(Returned(torch.tensor([-2e-8, 1.0]), ()), case) == 0
    assert distance(Returned(torch.tensor([0.5, 1.0]), ()), case) == 1


def test_a_mistake_that_a_page_cannot_run_stops_no_verdict():
    class NotOnThisPage(BaseException):
        pass

    def lacking(q, k):
        raise NotOnThisPage

    exercise = EXERCISES["attention-scores"]
    wrong = in_this_process(exercise, lambda q, k: q @ k.mT + 1, 0).all_cases()
    mistake = Mistake("lacking", "", "", [lacking])
    named = name_mistakes(replace(exercise, mistakes=[mistake]), wrong)
    assert named  # by what every function may do wrong
    assert mistake not in named

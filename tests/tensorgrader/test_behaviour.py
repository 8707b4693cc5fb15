"""Wrong answers that do the same have the same name, however they are written."""

import pytest
import torch
from torch import Tensor

from tensorgrader.behaviour import behaviour, crash
from tensorgrader.judge import blaming, refused
from tensorgrader.judge_answer import judge_answer
from tests.course import COURSE, EXERCISES
from tests.tensorgrader.asking import here

SOFTMAX = EXERCISES["attention-softmax"]


def results(function):
    answer = here(SOFTMAX, function, seed=3)
    return judge_answer(COURSE, answer.questions, answer)


def did(function):
    return behaviour(results(function))


def over_columns(x):
    e = (x - x.amax(-2, True)).exp() if x.dim() > 1 else (x - x.amax()).exp()
    return e / e.sum(-2 if x.dim() > 1 else -1, keepdim=True)


def over_columns_otherwise(x: Tensor) -> Tensor:
    axis = 0 if x.ndim == 1 else x.ndim - 2
    shifted = x - x.max(dim=axis, keepdim=True).values
    weights = torch.exp(shifted) * 3
    return weights / (weights.sum(dim=axis, keepdim=True))


def unshifted(x):
    return x.exp() / x.exp().sum(dim=-1, keepdim=True)


def nameless(x):
    return whatever(x)  # type: ignore[name-defined]


def nameless_otherwise(x):
    y = x - x.amax()
    return my_own(y)  # type: ignore[name-defined]


def test_two_writings_of_the_same_mistake_have_one_name():
    name = did(over_columns)
    assert name == did(over_columns_otherwise)
    assert name.startswith("attention-softmax-")
    assert did(nameless) == did(nameless_otherwise)


def test_what_does_something_else_has_another_name():
    assert len({did(over_columns), did(unshifted), did(nameless), did(lambda x: 2 * x)}) == 4


def test_what_is_right_or_not_written_or_may_be_right_has_none():
    def stub(x):
        raise NotImplementedError("write softmax")

    assert (
        did(lambda x: (x - x.amax(-1, True)).exp() / (x - x.amax(-1, True)).exp().sum(-1, True))
        == ""
    )
    assert did(stub) == ""
    assert behaviour([blaming(result, ["scores"]) for result in results(unshifted)]) == ""


def test_an_answer_that_only_raises_is_told_by_its_error():
    assert "'whatever' is not defined" in crash(results(nameless))
    assert crash(results(over_columns)) == crash(results(unshifted)) == ""


def test_what_was_not_run_is_named_for_what_the_grader_says():
    one, same, other = (behaviour(refused(SOFTMAX, words)) for words in ("one", "one", "other"))
    assert one == same != other


@pytest.mark.parametrize("noise", [1e-7, 3e-7])
def test_rounding_makes_no_difference(noise):
    def noisy(x):
        return over_columns(x) * (1 + noise)

    assert did(noisy) == did(over_columns)

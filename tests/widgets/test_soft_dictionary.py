"""The soft dictionary against PyTorch's own attention, and against what the chapter says."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from transformer_lab.widgets import SoftDictionary
from transformer_lab.widgets.soft_dictionary import SHELF

sizes = st.floats(-5, 5)


def test_it_starts_with_the_chapters_numbers():
    frame = SoftDictionary().frame
    assert frame["scores"] == pytest.approx([4, 3.6, -1.5])
    assert [round(weight, 2) for weight in frame["weights"]] == [0.60, 0.40, 0.00]
    assert round(frame["answer"], 2) == 7.98
    assert dict(zip(SHELF["names"], SHELF["values"], strict=True)) == {
        "apple": 10, "banana": 5, "chair": 2,
    }  # fmt: skip


@given(fruit=sizes, furniture=sizes, temperature=st.sampled_from(SoftDictionary.temperature.stops))
def test_every_answer_is_pytorchs(fruit, furniture, temperature):
    frame = SoftDictionary().frame_at(fruit, furniture, temperature)
    q = torch.tensor([[[fruit, furniture]]], dtype=torch.float64)
    k, v = (torch.tensor(SHELF[n], dtype=torch.float64)[None] for n in ("keys", "values"))
    answer = F.scaled_dot_product_attention(q, k, v[..., None], scale=1 / temperature)
    weights = F.scaled_dot_product_attention(
        q, k, torch.eye(3).double()[None], scale=1 / temperature
    )
    assert frame["answer"] == pytest.approx(answer.item(), abs=1e-4)
    assert frame["weights"] == pytest.approx(weights.flatten().tolist(), abs=1e-5)
    assert frame["scores"] == pytest.approx([fruit, 0.9 * fruit, furniture], abs=1e-5)


def test_it_shows_the_learners_softmax():
    def sharper(scores):
        return (2 * scores).softmax(dim=-1)

    frame = SoftDictionary(softmax=sharper).frame
    ratio = frame["weights"][0] / frame["weights"][1]
    assert ratio == pytest.approx(math.exp(2 * (4 - 3.6)), rel=1e-4)
    assert frame["own"] == [4, -1.5]
    assert SoftDictionary().frame["own"] is None


def test_a_softmax_that_overflows_is_told_where_it_does():
    def naive(scores):
        return scores.exp() / scores.exp().sum()

    widget = SoftDictionary(softmax=naive)
    assert widget.frame["answer"] == pytest.approx(SoftDictionary().frame["answer"])
    widget.temperature = 0.05
    assert "trouble" not in widget.frame, "exp(80) is a float32"
    widget.fruit = 5  # exp(100) is not
    assert "NaN" in widget.frame["trouble"]

"""The stepper's numbers, and what a reader may change of them."""

import re

import pytest
import torch

from transformer_lab.tasks.living import read, sentence, vectors
from transformer_lab.widgets import AttentionStepper


def test_the_frame_is_what_the_example_says():
    frame = AttentionStepper(heads=2, d_k=8, causal=True, ending="soft").frame
    x = vectors(sentence("soft")).double()
    layers = read(sentence("soft"), x, layers=2, heads=2, d_k=8, causal=True)
    for name in ("q", "k", "v", "scores", "weights", "output"):
        expected = torch.stack([getattr(layer, name) for layer in layers])
        torch.testing.assert_close(torch.tensor(frame[name]).double(), expected, atol=1e-5, rtol=0)
    after = torch.tensor(frame["x"][2]).double()
    torch.testing.assert_close(after, layers[1].after, atol=1e-5, rtol=0)


def test_the_still_picture_is_told_in_the_numbers_of_the_frame():
    frame = AttentionStepper().frame
    it = frame["weights"][0][0][7]
    assert [round(it[place], 2) for place in (1, 5, 9)] == [0.30] * 3
    assert [round(number, 2) for number in frame["x"][1][7][:2]] == [0.90, 0.60]
    told = AttentionStepper().told()
    assert re.findall(r"\d\.\d\d", told) == ["0.30"] * 3 + ["0.90", "0.60"]


def test_own_numbers_take_the_place_of_ours():
    widget = AttentionStepper(features=[["mat", "alive", 3.0], ["mat", "thing", 0.0]])
    assert widget.frame["x"][0][5] == [3, 0, 0, 0, 0]
    it = widget.frame["weights"][0][0][7]
    assert it[5] > it[1], "now the mat is more alive than the cat"


def test_the_last_of_two_changes_of_one_number_holds():
    widget = AttentionStepper(
        features=[["mat", "alive", 3], ["cat", "alive", 1], ["mat", "alive", -1]]
    )
    assert widget.features == [["cat", "alive", 1], ["mat", "alive", -1]]


def test_it_shows_the_learners_function_and_says_where_it_holds():
    def wrong_axis(q, k, v):
        weights = (q @ k.mT).softmax(dim=-2)
        return weights @ v, weights

    frame = AttentionStepper(attention=wrong_axis).frame
    weights = torch.tensor(frame["weights"])
    torch.testing.assert_close(weights.sum(-2), torch.ones(2, 1, 10), rtol=0, atol=1e-4)
    assert frame["own"] == ["tired", 10, 1, 4, True, False, []]
    assert AttentionStepper().frame["own"] is None


def test_weights_that_cannot_be_weights_are_named():
    widget = AttentionStepper(attention=lambda q, k, v: q @ k.mT @ v)
    assert "between 0 and 1" in widget.frame["trouble"]
    assert "softmax missing" in widget.frame["trouble"]


def test_a_function_without_a_mask_is_named_where_one_is_wanted():
    widget = AttentionStepper(attention=lambda q, k, v: (q @ k.mT).softmax(-1) @ v)
    assert "trouble" not in widget.frame
    widget.causal = True
    assert "TypeError" in widget.frame["trouble"]


def test_things_to_try_must_be_settings_that_it_has():
    AttentionStepper(tries={"soft": {"ending": "soft", "step": 8}})
    with pytest.raises(ValueError, match="'x' sets 'words'"):
        AttentionStepper(tries={"x": {"words": 3}})
    with pytest.raises(ValueError, match="ending"):
        AttentionStepper(tries={"x": {"ending": "hungry"}})

"""One head: what is seen is what the chapters say of it."""

import torch

from tests.widgets.test_real_heads import cut_out
from transformer_lab.widgets import OneHead, RealHeads
from transformer_lab.widgets.one_head import HEAD, LAYER, SENTENCES


def weights_of_it(frame):
    pieces = frame["pieces"]
    weights = torch.frombuffer(bytearray(frame["weights"]), dtype=torch.half)
    row = weights.view(len(pieces), -1)[pieces.index("it")]
    return dict(zip(pieces, row.tolist(), strict=True))


def test_it_is_the_cat_if_tired_no_longer_if_soft_and_a_sentence_fools_it():
    every = (weights_of_it(OneHead(tokens=words.split()).frame) for words in SENTENCES)
    tired, soft, fooled = every
    assert max(tired, key=tired.get) == "cat"
    assert tired["cat"] - tired["mat"] > 0.2
    assert soft["cat"] < soft["mat"] < soft["[CLS]"]
    assert fooled["mat"] > 2 * fooled["cat"]


def test_it_is_a_head_of_the_wall():
    words = ["A", "kitten", "slept", "because", "it", "was", "tired."]
    frame, wall = OneHead(tokens=words).frame, RealHeads(tokens=words).frame
    weights = torch.frombuffer(bytearray(frame["weights"]), dtype=torch.half).float()
    assert frame["pieces"] == wall["queries"]
    head = cut_out(wall, LAYER, HEAD)  # in steps of 1 / 255
    torch.testing.assert_close(weights.view(head.shape), head, rtol=0, atol=0.003)


def test_a_long_sentence_is_cut_and_that_is_said():
    frame = OneHead(tokens=["no"] * 60).frame
    assert len(frame["pieces"]) == 32
    assert "30 of its" in frame["note"]

"""The logit lens: its last depth is the model, and each depth its stream."""

import pytest
import torch

from transformer_lab.widgets import LogitLens
from transformer_lab.widgets.logit_lens import READS, gpt, lens

TEXT = "Is this a dagger which I see before me"


def test_after_the_last_layer_it_is_what_the_model_says():
    ids = gpt().tokenizer.encode([TEXT])[0]
    with torch.no_grad():
        expected = gpt().model(ids)[0].softmax(-1)
    torch.testing.assert_close(lens(gpt().model, ids)[-1], expected)


def test_the_embedding_alone_knows_the_last_character_only():
    ids = gpt().tokenizer.encode(["a cat at"])[0]
    first, last = lens(gpt().model, ids)[[0, -1]]
    torch.testing.assert_close(first[3], first[6])  # both follow an a
    assert not torch.allclose(last[3], last[6], atol=0.01)


def test_the_frame_holds_the_likeliest_of_each_position():
    frame = LogitLens(text=TEXT).frame
    assert frame["read"] == [*TEXT.replace(" ", "␣")]
    shares = torch.frombuffer(bytearray(frame["shares"]), dtype=torch.half).float()
    shares = shares.view(frame["depths"], len(TEXT), 5)
    assert (shares.diff(dim=-1) <= 0).all()
    assert (shares.sum(-1) <= 1.001).all()
    ids = gpt().tokenizer.encode([TEXT])[0]
    best = lens(gpt().model, ids).argmax(-1)
    assert [names[0] for names in frame["names"]] == gpt().tokenizer.pieces(best.flatten())


def test_its_neuron_fires_after_an_at_the_beginning_of_a_word():
    text = "You and I, Ian and Anne, or a man"
    frame = LogitLens(text=text).frame
    fires = torch.frombuffer(bytearray(frame["fires"]), dtype=torch.half).float()
    assert len(fires) == len(text)
    assert (fires > 6).nonzero().flatten().tolist() == [5, 16]  # the n of each “and”


def test_of_a_long_text_the_end_is_read_and_of_nothing_it_says_so():
    frame = LogitLens(text="x" * 30 + "y" * READS).frame
    assert frame["read"] == ["y"] * READS
    assert "30" in frame["note"]
    assert "GPT knows" in LogitLens(text="é").frame["trouble"]


@pytest.mark.parametrize("text", ["a", "é and"])
def test_characters_that_it_does_not_know_are_left_out(text):
    read = LogitLens(text=text).frame["read"]
    assert "".join(read) == text.replace("é", "").replace(" ", "␣")

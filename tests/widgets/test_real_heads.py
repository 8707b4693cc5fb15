"""Real heads: the wall against torch's own attention, the habits against counting by hand."""

import weakref
from functools import partial

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.positional_encoding import RotaryPositions
from transformer_lab.pretrained import Pretrained, load_minilm
from transformer_lab.widgets import RealHeads, _real
from transformer_lab.widgets.real_heads import SENTENCES, weights_of

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

TIRED, FISH, TWICE = SENTENCES


def cut_out(frame, layer, head):
    high, wide = len(frame["queries"]) + 1, len(frame["keys"]) + 1
    deep, across = frame["layers"] // frame["banks"], frame["heads"] * frame["banks"]
    picture = torch.frombuffer(bytearray(frame["wall"]), dtype=torch.uint8)
    grid = picture.view(deep, high, across, wide)
    return grid[layer % deep, :-1, head + frame["heads"] * (layer // deep), :-1] / 255


def test_the_first_layer_of_minilm_is_pytorchs_attention_on_its_embeddings():
    minilm = _real.real_model("MiniLM")
    ids, _ = minilm.tokenizer.encode([TIRED])
    x, attention = minilm.model.embeddings(ids)[0], minilm.model.encoder.layers[0].attention
    frame = RealHeads().frame
    for head in range(12):
        rows = slice(32 * head, 32 * (head + 1))
        q, k = (F.linear(x, m.weight[rows], m.bias[rows]) for m in (attention.query, attention.key))
        expected = F.scaled_dot_product_attention(q, k, torch.eye(len(x)))
        torch.testing.assert_close(cut_out(frame, 0, head), expected, rtol=0, atol=0.5 / 255 + 1e-5)


@pytest.mark.parametrize(
    ("model", "size"),
    [("GPT", (3, 3)), ("MiniLM", (6, 12)), ("SmolLM2", (30, 9)), ("translator", (2, 8))],
)
def test_every_head_hangs_at_its_place_on_the_wall(model, size):
    frame = RealHeads(model=model, tokens=FISH.split()).frame
    _, _, weights = weights_of(model, FISH)
    assert (frame["layers"], frame["heads"]) == weights.shape[:2] == size
    for layer, head in [(0, 0), (0, size[1] - 1), (size[0] // 2, 2), (size[0] - 1, size[1] - 1)]:
        drawn, expected = cut_out(frame, layer, head), weights[layer, head]
        torch.testing.assert_close(drawn, expected, rtol=0, atol=0.51 / 255)


def test_the_heads_that_the_book_tells_of():
    def habit(model, sentence, layer, head):
        frame = RealHeads(model=model, tokens=sentence.split()).frame
        places = frame["places"]
        values = torch.frombuffer(bytearray(frame["habits"]), dtype=torch.uint8) / 255
        of = values.view(frame["layers"], frame["heads"], len(places))[layer, head]
        return places[of.argmax()], of.max()

    assert habit("MiniLM", TIRED, 0, 2) == ("the token before", pytest.approx(1.0, abs=0.01))
    assert habit("MiniLM", TIRED, 2, 7)[0] == "the first token"
    assert habit("SmolLM2", TWICE, 16, 0)[0] == "the token before"
    place, share = habit("SmolLM2", TWICE, 18, 6)
    assert place == "what followed the same token before"
    assert share > 0.8
    tokens, _, weights = weights_of("SmolLM2", TWICE)
    assert tokens[1:5] == tokens[5:], "four words, each one token, twice"
    assert weights[18, 6, 5:].argmax(-1).tolist() == [2, 3, 4, 5], "what followed, of each"
    queries, keys, weights = weights_of("translator", FISH)
    for word, source in (("gato", "cat"), ("come", "eat"), ("peixe", "fish")):
        assert weights[1, 0, queries.index(word), keys.index(source)] > 0.8


def outcome(**at):
    return RealHeads(**at).frame["outcome"]


def test_without_a_head_or_without_places_the_translation_is_another_one():
    fish = {"model": "translator", "tokens": FISH.split()}
    assert outcome(**fish) == ["“O gato come peixe.”"] * 2
    assert outcome(**fish, silent=[[0, 5]]) == ["“O gato gato começ”", "“O gato come peixe.”"]
    assert outcome(**fish, order=False) == ["“O peixe come.”", "“O gato come peixe.”"]
    assert outcome(**fish) == ["“O gato come peixe.”"] * 2, "the model is as it was"


def test_minilm_says_how_alike_two_sentences_are():
    near, far = "The cat rested on the rug, for it was weary.", "Share prices fell sharply."
    (alike, _), (unlike, _) = (outcome(second=words.split()) for words in (near, far))
    assert outcome(second=TIRED.split()) == ["1.00", "1.00"]
    assert float(alike) > 0.6 > 0.2 > float(unlike)
    now, before = outcome(
        second=near.split(), silent=[[n, m] for n in (3, 4, 5) for m in range(12)]
    )
    assert before == alike != now


def test_places_within_attention_are_taken_away_too(monkeypatch):
    tokens = ["The", "cat", "eats", "fish,", "and", "the", "cat", "sleeps."]
    without, whole = outcome(model="GPT", tokens=tokens, order=False)
    queries, _, weights = weights_of("GPT", " ".join(tokens), (), False)
    gpt = _real.real_model("GPT")
    ids = _real.read(gpt, " ".join(tokens))
    monkeypatch.setattr(RotaryPositions, "forward", lambda _, q, k, start=0: (q, k))
    best, found = gpt.model(ids)[0, -1].softmax(-1).max(-1)
    assert without.startswith(f"“{gpt.tokenizer.pieces(found[None])[0]}” {best:.2f}")
    assert without != whole
    monkeypatch.undo()
    assert outcome(model="GPT", tokens=tokens)[0] == whole, "the model is as it was"
    assert queries == gpt.tokenizer.pieces(ids[0])
    assert weights.shape == (3, 3, len(queries), len(queries))


def test_without_the_models_it_says_how_to_get_them(monkeypatch):
    def absent():
        raise ModuleNotFoundError("not installed here. Install with make pretrained")

    monkeypatch.setitem(_real.LOADERS, "MiniLM", absent)
    monkeypatch.setattr(_real, "_loaded", {})
    monkeypatch.setattr(_real, "_lent", {})
    widget = RealHeads(tokens=["never", "read", "before"])
    assert "make pretrained" in widget.frame["trouble"]
    assert widget.still().startswith(b"\x89PNG")


@pytest.fixture
def nothing_loaded(monkeypatch):
    """Begin with no model, and load MiniLM anew whenever it is asked for; SmolLM2 is a blank."""
    monkeypatch.setattr(_real, "_loaded", {})
    monkeypatch.setattr(_real, "_lent", weakref.WeakValueDictionary())
    monkeypatch.setitem(_real.LOADERS, "MiniLM", load_minilm)
    monkeypatch.setitem(_real.LOADERS, "SmolLM2", partial(object.__new__, Pretrained))


@pytest.mark.usefixtures("nothing_loaded")
def test_one_model_at_a_time_stays_in_memory():
    first = weakref.ref(_real.real_model("MiniLM").model)
    assert _real.real_model("MiniLM").model is first()
    _real.real_model("SmolLM2")
    assert first() is None
    assert list(_real._loaded) == ["SmolLM2"]

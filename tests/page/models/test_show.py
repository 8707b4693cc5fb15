"""What the page shows of own words is what Python shows, with the same 8-bit weights."""

import pytest
import torch

from book._ext import packed_models as packed
from tests.sweeps import few
from transformer_lab.pretrained import load_minilm
from transformer_lab.pretrained._model import dequantise
from transformer_lab.widgets import _real
from transformer_lab.widgets.block_walk import BlockWalk
from transformer_lab.widgets.logit_lens import LogitLens
from transformer_lab.widgets.next_token import NextToken
from transformer_lab.widgets.one_head import OneHead
from transformer_lab.widgets.real_heads import RealHeads, outcome, weights_of

SILENT = [[0, 2], [0, 3], [5, 7]]
PLACES = [
    {"model": "GPT", "tokens": ["ROMEO.", "What", "say", "you?"], "silent": [[0, 1], [2, 0]]},
    {"model": "GPT", "tokens": ["word"] * 20, "order": False},
    {"model": "MiniLM", "tokens": ["My", "own", "words!"]},
    {"model": "MiniLM", "tokens": ["the", "cat"], "second": ["a", "dog"], "silent": SILENT},
    {"model": "MiniLM", "tokens": ["word"] * 60, "order": False},
    {"model": "translator", "tokens": ["The", "cat", "eats", "fish."], "silent": [[0, 5]]},
    {"model": "translator", "tokens": ["I", "like", "it"], "silent": SILENT, "order": False},
]


@pytest.fixture(scope="module")
def minilm():
    minilm = load_minilm()
    weights = dequantise(packed.minilm_weights())
    for name, weight in minilm.model.state_dict().items():
        weight[: len(weights[name])] = weights[name]
    return minilm


@pytest.fixture(autouse=True)
def rounded(monkeypatch, minilm):
    monkeypatch.setattr(_real, "_loaded", {"MiniLM": minilm})
    monkeypatch.setattr(_real, "_lent", {"MiniLM": minilm})
    for remembered in (weights_of, outcome):
        remembered.cache_clear()
    yield
    for remembered in (weights_of, outcome):
        remembered.cache_clear()


def numbers(packed):
    return torch.frombuffer(bytearray(packed), dtype=torch.half).float()


def same(ours, theirs):
    """Tell whether two values of a frame are equal but for rounding."""
    if isinstance(theirs, bytes):
        a, b = (torch.frombuffer(bytearray(x), dtype=torch.uint8).int() for x in (ours, theirs))
        return a.shape == b.shape and (a - b).abs().max() <= 1
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, dict):
        return all(same(ours[name], value) for name, value in theirs.items())
    return ours == (pytest.approx(theirs, abs=1e-4) if isinstance(theirs, float) else theirs)


@pytest.mark.parametrize("model", ["GPT", "MiniLM", "translator"])
def test_real_heads(ask, model):
    widgets = [RealHeads(**place) for place in PLACES if place["model"] == model]
    at = [{name: getattr(widget, name) for name in widget.axes()} for widget in widgets]
    frames = ask("show", model=model.lower(), widget="real_heads", at=at)
    for widget, state, frame in zip(widgets, at, frames, strict=True):
        for name, value in widget.frame.items():
            if name not in state:
                ours = bytes(frame[name]) if isinstance(value, bytes) else frame[name]
                assert same(ours, value), (state, name)
        assert "8-bit" in frame["copy"]


@pytest.mark.parametrize("sentence", ["The dog lost the ball because it rolled away.", "no " * 60])
def test_one_head(ask, sentence):
    widget = OneHead(tokens=sentence.split())
    (frame,) = ask("show", model="minilm", widget="one_head", at=[{"tokens": widget.tokens}])
    assert (frame["pieces"], frame["note"]) == (widget.frame["pieces"], widget.frame["note"])
    ours, theirs = numbers(frame["weights"]), numbers(widget.frame["weights"])
    torch.testing.assert_close(ours, theirs, rtol=2e-3, atol=1e-3)


@pytest.mark.parametrize(
    ("sentence", "silent", "order"),
    [
        ("We can do it", [], True),
        ("My dog likes the old fish of the cat", [[0, 2], [5, 7], [6, 5], [7, 1]], False),
    ],
)
def test_the_block_walk(ask, sentence, silent, order):
    at = {"model": "translator", "tokens": sentence.split(), "silent": silent, "order": order}
    baked = {"frame": {"steps": BlockWalk(model="translator").frame["steps"]}}
    (frame,) = ask("show", model="translator", widget="block_walk", at=[at], baked=baked)
    theirs = BlockWalk(**at).frame
    for name in ("steps", "outcome", "note"):
        assert same(frame[name], theirs[name]), name
    assert (frame["outcome"][0] == frame["outcome"][1]) == (not silent)
    ours, values = numbers(frame["values"]), numbers(theirs["values"])
    assert ours.shape == values.shape
    torch.testing.assert_close(ours, values, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("sentence", "silent", "order"),
    [
        pytest.param("We can", [], True, id="as it is", marks=pytest.mark.slow),
        pytest.param("The cat eats fish.", [[0, 5]], True, id="a head", marks=pytest.mark.slow),
        pytest.param(
            "The old cat", [[1, head] for head in range(8)], False, id="a layer, and places"
        ),
    ],
)
def test_the_next_token(ask, sentence, silent, order):
    widget = NextToken(model="translator", tokens=sentence.split(), silent=silent, order=order)
    state = {"stops": widget.stops, "dice": widget.dice}
    at = {name: getattr(widget, name) for name in widget.axes()}
    (frame,) = ask("show", model="translator", widget="next_token", at=[at], baked=state)
    theirs = widget.frame
    for name in ("source", "nodes", "note", "layers", "heads", "rivals"):
        assert same(frame[name], theirs[name]), name
    assert frame["others"] == pytest.approx(theirs["others"], abs=0.0011)  # both are rounded
    torch.testing.assert_close(
        numbers(frame["logits"]), numbers(theirs["logits"]), rtol=2e-3, atol=1e-3
    )
    assert same(bytes(frame["looks"]), theirs["looks"])


@pytest.mark.parametrize(
    ("text", "silent", "order"),
    [
        pytest.param("", [], True, id="nothing", marks=pytest.mark.slow),
        pytest.param("ROMEO.\nWhat say you, my ", [], True, id="as it is", marks=pytest.mark.slow),
        pytest.param(
            "So long that not all of it is read, é, ünd\n" * 4, [[0, 0], [2, 1]], True, id="heads"
        ),
        pytest.param(
            "To be, or ", [[1, head] for head in range(8)], False, id="a layer, and places"
        ),
    ],
)
def test_the_next_character(ask, text, silent, order):
    widget = NextToken(text=text, silent=silent, order=order)
    at = {name: getattr(widget, name) for name in widget.axes()}
    (frame,) = ask("show", model="gpt", widget="next_token", at=[at])
    theirs = widget.frame
    for name in ("source", "others", "rivals", "note", "layers", "heads"):
        assert frame[name] == theirs[name], name
    ours, values = (
        dict(zip(one["nodes"][0]["names"], numbers(one["logits"]).tolist(), strict=True))
        for one in (frame, theirs)
    )
    assert ours == pytest.approx(values, rel=2e-3, abs=1e-3)
    assert same(bytes(frame["looks"]), theirs["looks"])
    assert "8-bit" in frame["copy"]


@pytest.mark.parametrize(
    "text", few(["When shall we three", "é\n\nROMEO: what ", "speak, " * 20], "é\n\nROMEO: what ")
)
def test_logit_lens(ask, text):
    widget = LogitLens(text=text)
    (frame,) = ask("show", model="gpt", widget="logit_lens", at=[{"text": text}])
    for name in ("read", "depths", "names", "note", "neuron"):
        assert frame[name] == widget.frame[name], name
    for name, atol in {"shares": 1e-4, "fires": 1e-3}.items():
        ours, theirs = (numbers(bytes(each[name])) for each in (frame, widget.frame))
        torch.testing.assert_close(ours, theirs, rtol=2e-3 if name == "shares" else 1e-3, atol=atol)

"""The walk through the GPT, of the page and of Python, against gpt.py run line by line."""

import sys

import pytest
import torch

from tests.page.models.test_show import numbers, same
from transformer_lab.pretrained._installed import import_reader
from transformer_lab.pretrained._model import dequantise
from transformer_lab.pretrained.shakespeare import FILE
from transformer_lab.widgets import BlockWalk, _gpt_walk
from transformer_lab.widgets._training import gpt
from transformer_lab.widgets.block_walk import TEXT

TEXTS = [TEXT, "a", "ROMEO.\nWhat say you, my "]


@pytest.fixture(scope="module")
def model():
    with import_reader("safetensors").safe_open(FILE, "pt") as file:
        weights = dequantise({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    model = gpt.GPT(80)
    model.load_state_dict(weights)
    return model


def run(model, ids):
    """Run gpt.py; give what each function had in its variables, and returned, in turn."""
    done = []

    def watch(frame, event, value):
        if frame.f_globals is not gpt.__dict__:
            return None
        if event == "return":
            done.append((frame.f_code.co_qualname, frame.f_locals | {"return": value}))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with torch.no_grad():
            model(ids)
    finally:
        sys.settrace(before)
    return done


def lines(model, ids):
    """Return the result of each operation of the walk, as the lines of gpt.py compute it."""
    done = run(model, ids)

    def each(name, variable="return"):
        return [values[variable][0] for function, values in done if function.endswith(name)]

    found, layers = {"input.ids": ids[0]}, range(len(model.blocks))
    norms, turned = each("RMSNorm.forward"), each("rotate")
    plain, attention = (
        each("rotate", "x"),
        {
            name: each("Attention.forward", name)
            for name in ("v", "scores", "weights", "heads", "return")
        },
    )
    found["input.tokens"] = model.tokens(ids)[0]
    stream, mixed, down = (
        found["input.tokens"],
        attention.pop("return"),
        each("FeedForward.forward"),
    )
    for n in layers:
        at = f"blocks.{n}."
        network = model.blocks[n].feed_forward
        between = norms[2 * n + 1]
        found |= {
            f"{at}attention_norm": norms[2 * n],
            f"{at}attention.query": plain[2 * n],
            f"{at}attention.query.rotated": turned[2 * n],
            f"{at}attention.key": plain[2 * n + 1],
            f"{at}attention.key.rotated": turned[2 * n + 1],
            f"{at}attention.value": attention["v"][n],
            f"{at}attention.scores": attention["scores"][n],
            f"{at}attention.weights": attention["weights"][n],
            f"{at}attention.heads": attention["heads"][n],
            f"{at}attention.output": mixed[n],
            f"{at}attention.sum": stream + mixed[n],
            f"{at}feed_forward_norm": between,
            f"{at}feed_forward.gate": network.gate(between),
            f"{at}feed_forward.up": network.up(between),
            f"{at}feed_forward.gated": torch.nn.functional.silu(network.gate(between))
            * network.up(between),
            f"{at}feed_forward.down": down[n],
            f"{at}feed_forward.sum": each("Block.forward")[n],
        }
        stream = found[f"{at}feed_forward.sum"]
    (logits,) = each("GPT.forward")
    found |= {"output.norm": norms[-1], "output.output": logits}
    return found | {"output.choose": logits.softmax(dim=-1)}


def close(ours, theirs):
    """Compare within 1e-5 of the largest number, by which rounding grows."""
    largest = max(1.0, theirs.abs().max().item())
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * largest)


@pytest.mark.parametrize("text", TEXTS)
@torch.no_grad()
def test_every_step_is_what_its_line_computes_on_the_page_and_in_python(ask, model, text):
    ids, _ = _gpt_walk.read(text)
    expected = lines(model, ids)
    (page,) = ask("walk", texts=[text])
    operations = _gpt_walk.walk(text)
    assert [name for name, _ in page] == [f"{o.part}.{o.name}" for o in operations] == [*expected]
    for (name, values), operation in zip(page, operations, strict=True):
        theirs = expected[name].double()
        close(torch.tensor(values).double().view_as(theirs), theirs)
        letters = operation.shape.partition(" =")[0]
        if letters == "(T, V)":
            theirs = theirs[:, expected["output.choose"][-1].topk(16).indices]
        shown = slice(None if letters in ("(T)", "(H, T, T)") else 16)
        close(operation.values.double().flatten(), theirs[..., shown].flatten())


def test_each_line_is_one_of_gpt_py():
    source = (FILE.parents[2] / "book/gpt.py").read_text("utf8").splitlines()
    for operation in _gpt_walk.walk(TEXT):
        first, text = operation.line.number - 1, operation.line.text.splitlines()
        for ours, theirs in zip(text, source[first : first + len(text)], strict=True):
            assert theirs.strip().partition("  #")[0] == ours
    with pytest.raises(ValueError, match="unpack"):
        _gpt_walk.line_of("no such line")


@pytest.mark.parametrize(
    "at",
    [
        {"text": TEXT},
        {"text": "My lórd, I do not know the whole of it", "silent": [[0, 2], [2, 1]]},
        {"text": "so", "order": False},
    ],
    ids=["as it is", "heads, and too long", "places"],
)
def test_the_page_shows_what_python_shows(ask, at):
    widget = BlockWalk(**at)
    state = {name: getattr(widget, name) for name in widget.axes()}
    baked = {"frame": {"steps": BlockWalk().frame["steps"]}}
    (frame,) = ask("show", model="gpt", widget="block_walk", at=[state], baked=baked)
    theirs = widget.frame
    for name in ("steps", "outcome", "note"):
        assert same(frame[name], theirs[name]), name
    ours, values = numbers(bytes(frame["values"])), numbers(theirs["values"])
    torch.testing.assert_close(ours, values, rtol=2e-3, atol=1e-4)
    changed = frame["outcome"][0] != frame["outcome"][1]
    assert changed == bool(at.keys() & {"silent", "order"})

"""The page's GPT computes what PyTorch computes: logits, loss and gradients of every variant."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.page.train.reference import gpt, variant

V = 61  # no multiple of 8: what is laid out for more must not count

SIZES = ["24x2", "48x2", "96x3"]
RUNGS = ["bigram", "average", "one head", "several heads", "rotary positions"]
RUNGS += ["feed-forward", "residuals and norm", "layers"]
BREAKS = ["positions", "residuals", "mask", "heads"]
USUAL = {"size": "48x2", "steps": 0, "rung": "layers", "without": []}
VARIANTS = [
    *({"size": size} for size in SIZES),
    *({"rung": rung} for rung in RUNGS[:-1]),
    *({"without": [name]} for name in BREAKS),
    {"rung": "average", "without": ["mask"]},
    {"rung": "residuals and norm", "without": ["residuals", "mask", "heads"]},
]


def configured(ask, **changes):
    """Return what a reader's settings make of a model."""
    parts = ["mask", "positions", "residuals", "norms", "feedForward"]
    usual = dict.fromkeys(parts, True) | {"symbols": V, "average": False}
    return usual | ask("settings", call="planned", given=[USUAL | changes])["config"]


def saved(folder, name, model, config):
    """Save a model as the page does."""
    vocabulary = [chr(n) for n in range(config["symbols"])]
    described = {"config": json.dumps(config), "vocabulary": json.dumps(vocabulary)}
    save_file(model.state_dict(), folder / name, metadata=described)
    return name


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_loss_and_gradients_are_torchs(ask, folder, changes):
    config = configured(ask, **changes)
    model = variant(config)
    file = saved(folder, "learns.safetensors", model, config)
    passages = torch.randint(V, (5, 65), generator=torch.Generator().manual_seed(1))

    told = ask("learn", file=file, passages=passages.tolist())

    model.double()  # torch rounds in single precision as much as the page does
    loss = model.loss(passages)
    loss.backward()
    assert told["loss"] == told["again"] == pytest.approx(loss.item(), rel=1e-6)
    gradients = load_file(folder / file)
    assert {*gradients} == {*model.state_dict()}
    for part, parameter in model.named_parameters():
        error = (gradients[part] - parameter.grad).norm() / parameter.grad.norm()
        assert error <= 1e-5, part


def test_what_comes_next_is_as_gpt_py_says_of_a_short_text_and_of_a_long_one(ask, folder):
    """Only the last 64 characters are read."""
    texts = [torch.randint(V, (n,), generator=torch.Generator().manual_seed(n)) for n in (1, 9, 70)]
    for without in ([], ["mask"]):
        config = configured(ask, without=without)
        model = variant(config)
        file = saved(folder, "next.safetensors", model, config)
        told = ask("next", file=file, ids=[text.tolist() for text in texts], temperature=0.8)
        for text, ours in zip(texts, told, strict=True):
            p = (model(text[None, -64:])[0, -1] / 0.8).softmax(dim=-1)
            torch.testing.assert_close(torch.tensor(ours), p, rtol=1e-5, atol=1e-6)


def test_a_model_begins_as_gpt_py_does_from_the_same_seed(ask, folder):
    for size in SIZES:
        config = configured(ask, size=size)
        ask("start", file="start.safetensors", seed=3, config=config)
        torch.manual_seed(3)
        expected = gpt.GPT(V, config["width"], 3, config["layers"]).state_dict()
        found = load_file(folder / "start.safetensors")
        assert {*found} == {*expected}
        for part, values in expected.items():
            torch.testing.assert_close(found[part], values, rtol=1e-5, atol=1e-6)

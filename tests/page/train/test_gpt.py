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
    parts = ["mask", "positions", "residuals", "norms", "feedForward"]
    usual = dict.fromkeys(parts, True) | {"symbols": V, "average": False}
    return usual | ask("settings", call="planned", given=[USUAL | changes])["config"]


def saved(folder, name, model, config):
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


def kept_by_torch(model, ids):
    kept = {}

    def keep(name):
        return lambda _, __, result: kept.update({name: result[0]})

    hooks = [part.register_forward_hook(keep(name)) for name, part in model.named_modules() if name]
    logits = model(ids[None])[0]
    for hook in hooks:
        hook.remove()
    return logits, kept


@pytest.mark.parametrize("changes", [{"size": "96x3"}, *VARIANTS[3:]], ids=str)
def test_what_each_part_computes_is_as_gpt_py_has_it(ask, folder, changes):
    config = configured(ask, **changes)
    model = variant(config)
    file = saved(folder, "look.safetensors", model, config)
    ids = torch.randint(V, (13,), generator=torch.Generator().manual_seed(2))
    told = ask("look", file=file, ids=[ids.tolist()])
    with torch.no_grad():
        logits, kept = kept_by_torch(model, ids)
    (look,) = told["looks"]
    for ours in (look["logits"], told["said"]):
        torch.testing.assert_close(torch.tensor(ours), logits.flatten(), rtol=1e-5, atol=1e-5)
    both = {*kept} & {*told["kept"]}
    for name in both:
        ours, theirs = torch.tensor(told["kept"][name]), kept[name].flatten()
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    wholes = (".attention", ".feed_forward", "blocks", "output", ".rotate")
    assert all(name.endswith(wholes) for name in kept.keys() - both)


def silence(heads):
    def silenced(_, given):
        found = given[0].unflatten(-1, (3, -1)).clone()
        found[..., heads, :] = 0
        return found.flatten(-2)

    return silenced


def test_a_silent_head_and_missing_positions_are_as_in_torch(ask, folder):
    config = configured(ask, size="96x3")
    model = variant(config)
    file = saved(folder, "silent.safetensors", model, config)
    ids = torch.randint(V, (21,), generator=torch.Generator().manual_seed(3))
    asked = {"file": file, "ids": [ids.tolist()]}
    (found,) = ask("look", **asked, how={"silent": [[0, 1], [2, 0], [2, 2]]})["looks"]
    (unplaced,) = ask("look", **asked, how={"places": False})["looks"]
    (again,) = ask("look", **asked)["looks"]
    with torch.no_grad():
        whole = model(ids[None]).flatten()
        without = variant(config | {"positions": False})(ids[None]).flatten()
        for layer, heads in ((0, [1]), (2, [0, 2])):
            model.blocks[layer].attention.output.register_forward_pre_hook(silence(heads))
        fewer = model(ids[None]).flatten()
    for ours, theirs in ((found, fewer), (unplaced, without), (again, whole)):
        torch.testing.assert_close(torch.tensor(ours["logits"]), theirs, rtol=1e-5, atol=1e-5)
    assert (fewer - whole).abs().max() > 0.01
    assert (without - whole).abs().max() > 0.01


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

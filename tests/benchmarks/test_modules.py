"""benchmarks.modules compares like with like: the same outputs and the same gradients."""

import pytest
import torch

from benchmarks import modules


def named(way, gradients):
    """Give each gradient its name; query, key and value have one together, as in PyTorch."""
    names = ["x", *(name for name, _ in way.module.named_parameters())]
    found = dict(zip(names, gradients, strict=True))
    if "query.weight" in found:
        for kind in ("weight", "bias"):
            parts = [found.pop(f"{part}.{kind}") for part in ("query", "key", "value")]
            found[f"in_proj_{kind}"] = torch.cat(parts)
    return {name.replace("output.", "out_proj."): found[name] for name in sorted(found)}


@pytest.mark.parametrize("name", modules.ways((1, 2, 8)))
def test_all_give_the_same_numbers(name):
    x = torch.randn(2, 5, 16, requires_grad=True)
    ours, theirs = modules.ways((2, 5, 16))[name].values()
    for way in (ours, theirs):
        for p in way.module.parameters():
            p.data = p.data.double()
    x = x.detach().double().requires_grad_()
    torch.testing.assert_close(ours.forward(x), theirs.forward(x))
    assert not ours.forward(x).requires_grad
    mine, expected = (named(way, way.backward(x)) for way in (ours, theirs))
    torch.testing.assert_close(mine, expected)


def test_the_report_has_a_row_for_every_module_and_size(monkeypatch):
    monkeypatch.setattr(modules, "SIZES", [(1, 2, 8), (2, 3, 16)])
    lines = modules.measure(rounds=1, runs=2).splitlines()
    rows = [line for line in lines if line.startswith("|")][2:]
    assert len(rows) == 2 * 4
    assert rows[0].startswith("| LayerNorm (1, 2, 8) | ")
    assert len({line.count("|") for line in rows}) == 1

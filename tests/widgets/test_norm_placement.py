"""The measured stacks, built again from PyTorch's own layers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from transformer_lab.norm import PreNorm
from transformer_lab.parameters import initialise_xavier
from transformer_lab.widgets import NormPlacement
from transformer_lab.widgets.norm_placement import CLASSES, D_MODEL, SEEDS, WIRINGS, make_stack

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time


def as_pytorch(layer, norm_first):
    """Copy one of our layers into PyTorch's."""
    theirs = nn.TransformerEncoderLayer(
        D_MODEL, 4, 4 * D_MODEL, dropout=0, batch_first=True, norm_first=norm_first
    )
    ours = layer.attention
    state = {
        "self_attn.in_proj_weight": torch.cat(
            [p.weight for p in (ours.query, ours.key, ours.value)]
        ),
        "self_attn.in_proj_bias": torch.cat([p.bias for p in (ours.query, ours.key, ours.value)]),
    }
    parts = {
        "self_attn.out_proj": ours.output,
        "linear1": layer.feed_forward.up,
        "linear2": layer.feed_forward.down,
        "norm1": layer.attention_residual.norm,
        "norm2": layer.feed_forward_residual.norm,
    }
    for name, part in parts.items():
        state |= {f"{name}.{key}": value for key, value in part.state_dict().items()}
    theirs.load_state_dict(state)
    return theirs


def by_pytorch(wiring, layers, seed):
    """Measure the last layer's gradient, and the size of what it puts out."""
    residual = WIRINGS[wiring]
    torch.manual_seed(seed)
    stack = make_stack(residual, layers)
    head = nn.Linear(D_MODEL, CLASSES).apply(initialise_xavier)
    x, targets = torch.randn(8, 10, D_MODEL), torch.randint(CLASSES, (80,))
    theirs = nn.Sequential(*(as_pytorch(part, residual is PreNorm) for part in stack.layers))
    x = theirs(x)
    y = F.layer_norm(x, (D_MODEL,)) if residual is PreNorm else x
    F.cross_entropy(head(y).flatten(0, 1), targets).backward()
    return theirs[-1].linear1.weight.grad.norm().item(), x.square().mean().sqrt().item()


@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("layers", [2, 8])
def test_pytorchs_layers_have_the_same_gradient_and_stream(wiring, layers):
    frame = NormPlacement(layers=layers).frame
    found = torch.tensor([by_pytorch(wiring, layers, seed) for seed in SEEDS]).mean(dim=0)
    which = [*WIRINGS].index(wiring)
    shown = [frame[what][which][-1] for what in ("gradient", "stream")]
    assert shown == pytest.approx(found.tolist(), rel=1e-3)


@pytest.mark.parametrize("layers", NormPlacement.layers.stops)
def test_what_the_chapter_says_about_both_wirings(layers):
    frame = NormPlacement(layers=layers).frame
    assert all(len(curve) == layers for curve in frame["gradient"])
    assert all(len(curve) == layers + 1 for curve in frame["stream"])
    post, pre = frame["gradient"]
    assert 0.4 < post[-1] < 1
    assert pre[-1] < 0.9 * pre[0]
    post, pre = frame["stream"]
    assert post[1:] == pytest.approx([1] * layers, rel=1e-3)
    assert pre == sorted(pre)

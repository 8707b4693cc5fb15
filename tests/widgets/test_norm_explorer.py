"""The norm explorer against PyTorch's own norms, and against what the chapter says."""

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_lab.widgets import NormExplorer
from transformer_lab.widgets.norm_explorer import CAT, NEIGHBOURS

EXPLORER = NormExplorer()
CAT_ROW = 1
spans = {
    name: st.floats(control.low, control.high)
    for name, control in NormExplorer.controls().items()
    if name in ("x2", "times", "add", "gamma", "beta")
}


def after(**controls):
    return torch.tensor(NormExplorer(**controls).frame["after"])


@settings(max_examples=100)
@given(
    norm=st.sampled_from(NormExplorer.norm.stops),
    neighbours=st.sampled_from(NormExplorer.neighbours.stops),
    eps=st.sampled_from(NormExplorer.eps.stops),
    **spans,
)
def test_wherever_the_controls_stand_it_shows_pytorchs_norm(norm, neighbours, eps, **at):
    first, last = NEIGHBOURS[neighbours]
    cat = torch.tensor([CAT[0], at["x2"], *CAT[2:]], dtype=torch.float64)
    x = torch.stack([torch.tensor(first), at["times"] * cat + at["add"], torch.tensor(last)])
    gamma, beta = torch.ones(4).double(), torch.zeros(4).double()
    gamma[1], beta[1] = at["gamma"], at["beta"]
    expected = {
        "LayerNorm": lambda: F.layer_norm(x, (4,), gamma, beta, eps),
        "RMSNorm": lambda: F.rms_norm(x, (4,), gamma, eps),
        "BatchNorm": lambda: F.batch_norm(x, None, None, gamma, beta, training=True, eps=eps),
    }[norm]()
    frame = EXPLORER.frame_at(norm=norm, neighbours=neighbours, eps=eps, **at)
    assert frame["before"] == x.tolist()
    torch.testing.assert_close(torch.tensor(frame["after"]), expected.float(), rtol=1e-4, atol=1e-4)
    over = 0 if norm == "BatchNorm" else 1
    mean = torch.tensor(frame["mean"]).unsqueeze(over)
    root = torch.tensor(frame["root"]).unsqueeze(over)
    again = (x - mean) / root * gamma + (0 if norm == "RMSNorm" else beta)
    rounding = 2**-22 * float(x.abs().max() / root.min() * gamma.abs().max())  # mean is a float32
    torch.testing.assert_close(again.float(), expected.float(), rtol=1e-3, atol=1e-3 + rounding)


def test_it_starts_with_the_chapters_numbers():
    assert [round(x, 2) for x in NormExplorer().frame["after"][CAT_ROW]] == [
        -0.53, 1.12, -1.37, 0.77,
    ]  # fmt: skip


def test_it_shows_what_the_learners_function_does():
    def over_the_tokens(x, weight, bias, eps):
        mean, variance = x.mean(-2, True), x.var(-2, correction=0, keepdim=True)
        return (x - mean) / (variance + eps).sqrt() * weight + bias

    frame = NormExplorer(layer_norm=over_the_tokens).frame
    batch_norm = NormExplorer(norm="BatchNorm").frame["after"]
    torch.testing.assert_close(torch.tensor(frame["after"]), torch.tensor(batch_norm))
    assert frame["right"] == NormExplorer().frame["after"]
    other = NormExplorer(layer_norm=over_the_tokens, norm="RMSNorm").frame
    assert other == NormExplorer(norm="RMSNorm").frame

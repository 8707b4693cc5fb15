"""Norms and multi-head attention, ours beside those of torch.nn with the same weights."""

from collections.abc import Callable
from functools import partial
from statistics import median
from typing import NamedTuple

import torch
from torch import Tensor, nn

from benchmarks import clock, report
from transformer_lab import LayerNorm, MultiHeadAttention, RMSNorm, causal_mask, to_blocked

SIZES = [(1, 128, 512), (4, 512, 512)]
HEADS = 8
WHAT = """\
Each reads vectors (B, T, D) in float32 and has the weights of its counterpart in `torch.nn`.
Forward is without gradients; backward gives those of the input and of every weight, and holds the
forward pass that they need. Attention has {heads} heads and a causal mask; with weights, it also
returns those of each head. Ours checks its input, and gives zeros where a row is hidden wholly. All
take turns in a random order; a time is the median of a run's rounds, a ratio the median of {runs}
runs, with the smallest and the largest behind it."""


class Way(NamedTuple):
    """A module, and how to call it on vectors."""

    module: nn.Module
    call: Callable[[Tensor], Tensor]

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            return self.call(x)

    def backward(self, x: Tensor) -> tuple[Tensor, ...]:
        return torch.autograd.grad(self.call(x), [x, *self.module.parameters()], x.detach())


def ways(size: tuple[int, int, int]) -> dict[str, dict[str, Way]]:
    """Return every module, ours and torch's, with the same weights."""
    _, T, D = size
    alike = {"LayerNorm": (LayerNorm(d_model=D), nn.LayerNorm(D)),
             "RMSNorm": (RMSNorm(d_model=D), nn.RMSNorm(D, eps=1e-6))}  # fmt: skip
    found = {
        name: {"ours": Way(ours, ours), "PyTorch": Way(theirs, theirs)}
        for name, (ours, theirs) in alike.items()
    }
    attention = MultiHeadAttention(d_model=D, heads=HEADS)
    same = as_pytorch(attention)
    mask = causal_mask(T)
    blocked = to_blocked(mask)
    for name, wanted in {"with weights": True, "without": False}.items():
        found[f"attention {name}"] = {
            "ours": Way(attention, lambda x, w=wanted: attention(x, mask=mask, need_weights=w)[0]),
            "PyTorch": Way(
                same,
                lambda x, w=wanted: same(
                    x, x, x, attn_mask=blocked, need_weights=w, average_attn_weights=False
                )[0],
            ),
        }
    return found


def as_pytorch(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """Return PyTorch's module with our weights: query, key and value are in one matrix."""
    theirs = nn.MultiheadAttention(ours.query.in_features, ours.heads, batch_first=True)
    projections = (ours.query, ours.key, ours.value)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
        theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in projections]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return theirs


def measure(rounds: int = 15, runs: int = 5) -> str:
    """Time all modules at all sizes; return the report."""
    rows = []
    for size in SIZES:
        x = torch.randn(size, generator=torch.Generator().manual_seed(0)).requires_grad_()
        for name, both in ways(size).items():
            row = [f"{name} {size}"]
            for direction in (Way.forward, Way.backward):
                timed = {who: partial(direction, way, x) for who, way in both.items()}
                times = clock.runs(timed, rounds, runs)
                row += [f"{median(times['ours']):.2f}", clock.ratio(*times.values())]
            rows.append(row)
    header = ["module (B, T, D)", "forward, ms", "forward ÷ PyTorch's", "backward, ms",
              "backward ÷ PyTorch's"]  # fmt: skip
    return f"{report.table(header, rows)}\n\n{WHAT.format(heads=HEADS, runs=runs)}"

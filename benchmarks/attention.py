"""Attention, ours beside others': explicit paths and fused ones."""

import math
from collections.abc import Callable
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.models.llama.modeling_llama import eager_attention_forward

from benchmarks import clock, report
from transformer_lab import (
    causal_mask,
    fused_attention,
    scaled_dot_product_attention,
    to_additive,
)

SIZES = [(12, 4, 64, 32), (1, 8, 128, 64), (1, 8, 512, 64), (1, 8, 1024, 64), (1, 8, 2048, 64)]
WHAT = """\
Attention in float32 under a causal mask, without gradients. Explicit paths return output
and weights: ours, the textbook formula in plain PyTorch, and Hugging Face's eager path (Llama's).
Ours also checks its input and gives zeros where a row is hidden wholly; theirs give NaN, or an even
share. Fused paths return the output only: ours and `F.scaled_dot_product_attention`. All take turns
in a random order; a time is the median of a run's rounds, a ratio the median of {runs} runs, with
the smallest and the largest behind it."""


def explicit_ways(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Callable[[], tuple]]:
    """Return ways to compute output and weights."""
    mask = causal_mask(q.size(-2))
    additive = to_additive(mask)[None, None]
    module = nn.Module().eval()
    module.num_key_value_groups = 1

    def plain():
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        weights = F.softmax(scores.masked_fill(mask.logical_not(), -math.inf), dim=-1)
        return torch.matmul(weights, v), weights

    def eager():
        scale = q.size(-1) ** -0.5
        output, weights = eager_attention_forward(module, q, k, v, additive, scale)
        return output.transpose(1, 2), weights

    return {
        "ours": lambda: scaled_dot_product_attention(q, k, v, mask),
        "plain": plain,
        "Hugging Face": eager,
    }


def fused_ways(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Callable[[], Tensor]]:
    """Return ways to compute the output alone."""
    mask = causal_mask(q.size(-2))
    return {
        "ours": lambda: fused_attention(q, k, v, mask),
        "PyTorch": lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
    }


@torch.no_grad()
def measure(rounds: int = 15, runs: int = 5) -> str:
    """Time all ways at all sizes; return the report."""
    rows = []
    for size in SIZES:
        q, k, v = torch.randn(3, *size, generator=torch.Generator().manual_seed(0))
        explicit = clock.runs(explicit_ways(q, k, v), rounds, runs)
        fused = clock.runs(fused_ways(q, k, v), rounds, runs)
        rows.append(
            [
                str(size),
                f"{median(explicit['ours']):.2f}",
                clock.ratio(explicit["ours"], explicit["plain"]),
                clock.ratio(explicit["ours"], explicit["Hugging Face"]),
                f"{median(fused['ours']):.2f}",
                clock.ratio(fused["ours"], fused["PyTorch"]),
            ]
        )
    header = [
        "attention (B, H, T, K)",
        "explicit, ms",
        "÷ plain PyTorch",
        "÷ Hugging Face eager",
        "fused, ms",
        "÷ PyTorch's",
    ]
    return f"{report.table(header, rows)}\n\n{WHAT.format(runs=runs)}"

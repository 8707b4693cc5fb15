"""Attention, ours beside others': explicit paths, fused paths, and whole multi-head modules."""

import math
from collections.abc import Callable
from statistics import median

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.models.llama.modeling_llama import eager_attention_forward

from benchmarks import clock, report
from transformer_lab import (
    MultiHeadAttention,
    causal_mask,
    fused_attention,
    scaled_dot_product_attention,
    to_additive,
    to_blocked,
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
    """Give ways to compute output and weights."""
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
    """Give ways to compute the output alone."""
    mask = causal_mask(q.size(-2))
    return {
        "ours": lambda: fused_attention(q, k, v, mask),
        "PyTorch": lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
    }


def module_ways(size: tuple[int, int, int, int]) -> dict[str, Callable[[], tuple]]:
    """Give multi-head attention with the weights of each head, ours and torch's, alike inside."""
    B, H, T, K = size
    D = H * K
    ours = MultiHeadAttention(d_model=D, heads=H)
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([ours.query.weight, ours.key.weight, ours.value.weight])
        )
        theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    x, mask = torch.randn(B, T, D), causal_mask(T)
    blocked = to_blocked(mask)
    return {
        "ours": lambda: ours(x, mask=mask),
        "PyTorch": lambda: theirs(x, x, x, attn_mask=blocked, average_attn_weights=False),
    }


@torch.no_grad()
def measure(rounds: int = 15, runs: int = 5) -> str:
    """Time all ways at all sizes; give the report."""
    rows = []
    for size in SIZES:
        q, k, v = torch.randn(3, *size, generator=torch.Generator().manual_seed(0))
        explicit = clock.runs(explicit_ways(q, k, v), rounds, runs)
        fused = clock.runs(fused_ways(q, k, v), rounds, runs)
        module = clock.runs(module_ways(size), rounds, runs)
        rows.append(
            [
                str(size),
                f"{median(explicit['ours']):.2f}",
                clock.ratio(explicit["ours"], explicit["plain"]),
                clock.ratio(explicit["ours"], explicit["Hugging Face"]),
                f"{median(fused['ours']):.2f}",
                clock.ratio(fused["ours"], fused["PyTorch"]),
                clock.ratio(module["ours"], module["PyTorch"]),
            ]
        )
    header = [
        "attention (B, H, T, K)",
        "explicit, ms",
        "÷ plain PyTorch",
        "÷ Hugging Face eager",
        "fused, ms",
        "÷ PyTorch's",
        "`MultiHeadAttention` ÷ `nn.MultiheadAttention`",
    ]
    return f"{report.table(header, rows)}\n\n{WHAT.format(runs=runs)}"

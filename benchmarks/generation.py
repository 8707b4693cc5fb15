"""Generation with and without a cache, and beside Hugging Face with the same weights."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks import clock, report
from tests.parity.problems import rename
from tests.parity.test_llama import NAMES, llama_config
from transformer_lab import Cache, DecoderModel, MultiHeadAttention, generate
from transformer_lab.positional_encoding import HalfSplitRotaryPositions

SIZES = [(16, 48), (16, 128), (128, 48)]  # tokens of prompt, new tokens
LLAMA = LlamaConfig(
    vocab_size=1000,
    hidden_size=512,
    intermediate_size=1365,
    num_hidden_layers=6,
    num_attention_heads=8,
    num_key_value_heads=2,
)
WHAT = """\
A decoder of Llama's type writes greedily in float32: d_model 512, 6 layers, 8 heads over 2 heads of
keys and values, a vocabulary of 1,000, one text at a time. Hugging Face has the same weights and a
cache too. All must write the same tokens. They take turns in a random order; a time is the median
of a run's rounds, a ratio the median of {runs} runs, with the smallest and the largest behind it.
The last column is what the cache holds at the end; {full:.0f} times as much if each head had keys
and values of its own."""


def ways(prompt: Tensor, new: int) -> dict[str, Callable[[], Tensor]]:
    """Return ways to write `new` tokens, after checking that all write the same."""
    torch.manual_seed(0)
    theirs = LlamaForCausalLM(LLAMA).eval()
    ours = DecoderModel(llama_config(LLAMA)).eval()
    ours.load_state_dict(rename(theirs.state_dict(), NAMES))
    write = partial(generate, ours, prompt, max_new_tokens=new)
    found = {
        "cached": write,
        "uncached": lambda: write(use_cache=False),
        "Hugging Face": partial(write_theirs, theirs, prompt, new),
    }
    expected = write()
    for name, way in found.items():
        if not torch.equal(way(), expected):
            raise AssertionError(f"{name} writes other tokens")
    return found


def write_theirs(theirs: LlamaForCausalLM, prompt: Tensor, new: int) -> Tensor:
    """Return `new` tokens that Hugging Face's model generates greedily, with its cache."""
    written = theirs.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=new,
        min_new_tokens=new,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    return written[:, prompt.size(1) :]


@torch.no_grad()
def cache_bytes(tokens: int, **parts) -> int:
    """Return the size of the cache after so many tokens."""
    model, cache = DecoderModel(replace(llama_config(LLAMA), **parts)), Cache()
    model(torch.zeros(1, tokens, dtype=torch.long), cache=cache)
    return cache.nbytes


def measure(rounds: int = 5, runs: int = 5) -> str:
    """Time all ways at all lengths; return the report."""
    rows = []
    for length, new in SIZES:
        prompt = torch.randint(1000, (1, length), generator=torch.Generator().manual_seed(0))
        times = clock.runs(ways(prompt, new), rounds, runs)
        rows.append(
            [
                f"{length} + {new}",
                f"{median(times['cached']):.0f}",
                f"{median(times['uncached']):.0f}",
                clock.ratio(times["uncached"], times["cached"]),
                clock.ratio(times["cached"], times["Hugging Face"]),
                f"{cache_bytes(length + new - 1) / 1000:.0f}",
            ]
        )
    header = [
        "tokens: prompt + new",
        "cached, ms",
        "uncached, ms",
        "uncached ÷ cached",
        "cached ÷ Hugging Face",
        "cache, KB",
    ]
    every_head = partial(MultiHeadAttention, bias=False, positions=HalfSplitRotaryPositions())
    full = cache_bytes(64, attention=every_head) / cache_bytes(64)
    return f"{report.table(header, rows)}\n\n{WHAT.format(runs=runs, full=full)}"

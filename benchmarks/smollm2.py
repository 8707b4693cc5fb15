"""SmolLM2 writes and reads, in our parts and in Hugging Face's, with the same weights."""

from collections.abc import Callable
from functools import partial
from statistics import median

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks import clock, report
from benchmarks.generation import write_theirs
from tests.parity.problems import rename
from tests.parity.test_llama import NAMES
from tests.pretrained.test_smollm2 import AS_LLAMA
from transformer_lab import DecoderModel, generate
from transformer_lab.pretrained import load_smollm2

SIZES = [(16, 48), (512, 1)]  # tokens of prompt, new tokens: writing, and reading
LLAMA = LlamaConfig(**AS_LLAMA)
WHAT = """\
SmolLM2-135M-Instruct in float32 goes on from a prompt of its tokens, greedily, one text at a time,
with a cache. Hugging Face's Llama has the same weights and its fused attention, and writes the same
tokens, or nothing is timed. With one new token, what is timed is the reading of the prompt. Both
take turns in a random order; a time is the median of a run's rounds, a ratio the median of {runs}
runs, with the smallest and the largest behind it."""


def as_llama(ours: DecoderModel, config: LlamaConfig) -> LlamaForCausalLM:
    """Return Hugging Face's model with our weights."""
    theirs = LlamaForCausalLM(config).eval()
    theirs.load_state_dict(rename(ours.state_dict(), {ours: name for name, ours in NAMES.items()}))
    return theirs


def ways(
    ours: DecoderModel, theirs: LlamaForCausalLM, prompt: Tensor, new: int
) -> dict[str, Callable[[], Tensor]]:
    """Return both ways to write `new` tokens, after checking that they write the same."""
    found = {
        "ours": partial(generate, ours, prompt, max_new_tokens=new),
        "Hugging Face": partial(write_theirs, theirs, prompt, new),
    }
    if not torch.equal(*(way() for way in found.values())):
        raise AssertionError("Hugging Face writes other tokens")
    return found


def measure(rounds: int = 3, runs: int = 3) -> str:
    """Time both at all lengths; return the report."""
    ours = load_smollm2().model
    theirs = as_llama(ours, LLAMA)
    rows = []
    for length, new in SIZES:
        dice = torch.Generator().manual_seed(0)
        prompt = torch.randint(LLAMA.vocab_size, (1, length), generator=dice)
        times = clock.runs(ways(ours, theirs, prompt, new), rounds, runs)
        rows.append(
            [
                f"{length} + {new}",
                f"{median(times['ours']):.0f}",
                f"{1000 * new / median(times['ours']):.1f}",
                clock.ratio(times["ours"], times["Hugging Face"]),
            ]
        )
    header = ["tokens: prompt + new", "ours, ms", "new tokens a second", "ours ÷ Hugging Face"]
    return f"{report.table(header, rows)}\n\n{WHAT.format(runs=runs)}"

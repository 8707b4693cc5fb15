"""The chapter on positional encoding: what its own cells cannot check."""

import math
import re

import pytest
import torch

from tests.book.chapters import Chapter
from transformer_lab import sinusoidal_encoding

CHAPTER = Chapter("positional_encoding")


def test_what_the_answers_tell_is_so():
    (slowest,) = re.findall(r"Rounded to a step, (\d\d,\d{3})", CHAPTER.prose)
    steps = 2 * math.pi * 10_000 ** (510 / 512)
    assert steps == pytest.approx(int(slowest.replace(",", "")), abs=0.5)
    (third,) = re.findall(r"its sine after one step is (0\.\d{4})\.", CHAPTER.prose)
    assert sinusoidal_encoding(torch.tensor([1]), 4)[0, 2].item() == pytest.approx(
        float(third), abs=5e-5
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_small_words_are_drowned_by_their_positions_whatever_the_seed(seed):
    words = 0.02 * torch.randn(1000, 512, generator=torch.Generator().manual_seed(seed))
    encoding = sinusoidal_encoding(torch.arange(64), 512)

    def alike(scale):
        a, b = scale * words[:500] + encoding[3], scale * words[500:] + encoding[3]
        return torch.cosine_similarity(a, b, dim=-1).mean().item()

    assert alike(1) == pytest.approx(0.999, abs=5e-4)
    assert 0.6 < alike(math.sqrt(512)) < 0.8

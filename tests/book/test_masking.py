"""The masking chapter: what its own cells cannot check."""

import math
import re

import torch

from tests.book.chapters import Chapter
from transformer_lab import causal_mask

CHAPTER = Chapter("masking")


def numbers_told(words):
    (text,) = [alt for alt in CHAPTER.alts.values() if words in alt]
    return torch.tensor([float(number) for number in re.findall(r"\d\.\d\d", text)])


def test_the_masked_heat_map_says_in_words_what_it_shows():
    scores = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    masked = scores.masked_fill(~causal_mask(3), -math.inf).softmax(-1)
    shown = torch.cat([masked[0, :1], masked[1, :2], masked[2]])
    told = numbers_told("Three tables of three queries by three keys")
    torch.testing.assert_close(told, shown, atol=0.006, rtol=0)

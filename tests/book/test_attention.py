"""The attention chapter: what its own cells cannot check."""

import re

import torch

from tests.book.chapters import Chapter

CHAPTER = Chapter("attention")


def test_the_heat_map_says_in_words_what_it_shows():
    scores = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    (text,) = [alt for alt in CHAPTER.alts.values() if "three queries by three keys" in alt]
    told = [float(number) for number in re.findall(r"0\.\d\d", text)]
    torch.testing.assert_close(torch.tensor(told), scores.softmax(-1).flatten(), atol=0.006, rtol=0)

"""The masking chapter: what its own cells cannot check."""

import math
import re

import pytest
import torch

from tests.book.chapters import Chapter
from transformer_lab import (
    DecoderModel,
    EncoderDecoderModel,
    EncoderModel,
    ModelConfig,
    causal_mask,
    scaled_dot_product_attention,
    shift_right,
    show,
    sliding_window_mask,
)

CHAPTER = Chapter("masking")


def numbers_told(words):
    (text,) = [alt for alt in CHAPTER.alts.values() if words in alt]
    return torch.tensor([float(number) for number in re.findall(r"\d\.\d\d", text)])


def test_the_masked_heat_map_says_in_words_what_it_shows():
    scores = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    masked = scores.masked_fill(~causal_mask(3), -math.inf).softmax(-1)
    shown = torch.cat([scores.softmax(-1).flatten(), masked[0, :1], masked[1, :2]])
    told = numbers_told("Two heat maps, three queries by three keys")
    torch.testing.assert_close(told, shown, atol=0.006, rtol=0)


@pytest.mark.parametrize("shown", [causal_mask, sliding_window_mask, scaled_dot_product_attention])
def test_the_source_that_is_shown_fits_a_screen(shown):
    assert f"show.source({shown.__name__})" in "\n".join(cell.source for cell in CHAPTER.code)
    assert [
        line for line in show.source(shown).data.splitlines() if len(line) > 76 and line[0] != "["
    ] == []


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("layers", "moves"), [(1, False), (2, True), (4, True)])
def test_leaving_the_mask_off_moves_the_last_word_of_deep_models_whatever_the_seed(
    seed, layers, moves
):
    torch.manual_seed(seed)
    config = ModelConfig(vocabulary=9, d_model=64, heads=4, d_ff=128, layers=layers)
    masked, unmasked = DecoderModel(config), EncoderModel(config)
    weights = masked.state_dict().items()
    unmasked.load_state_dict({name.replace("decoder.", "encoder."): w for name, w in weights})
    read = torch.tensor([[1, 4, 5, 7, 8]])
    moved = (masked(read) - unmasked(read))[0, -1].abs().max()
    assert moved > 0.05 if moves else moved < 1e-5


@pytest.mark.slow  # trains with other seeds than the chapter, whose own cells assert it
def test_the_leak_does_not_hang_on_the_seed():
    torch.manual_seed(1)
    model = EncoderDecoderModel(
        ModelConfig(vocabulary=11, d_model=48, heads=2, d_ff=96, layers=1, start_id=10)
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(250):
        text = torch.randint(10, (32, 12))
        loss = model.loss(text, text)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert sum(losses[-20:]) / 20 < 0.2
    text = torch.randint(10, (1000, 12))
    read = shift_right(text, 10)
    with torch.no_grad():
        right = [
            model(text[:, :n], read[:, : n + 1])[:, -1].argmax(-1) == text[:, n]
            for n in range(1, 12)
        ]
    assert 0.07 < torch.stack(right).double().mean() < 0.13

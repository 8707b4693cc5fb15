"""transformer_lab.masking: the masks' patterns, their converters, and rows that see nothing."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_lab.masking import (
    causal_mask,
    cross_mask,
    padding_mask,
    sliding_window_mask,
    to_additive,
    to_blocked,
)

lengths = st.integers(0, 9)
quick = settings(max_examples=50)


@given(lengths, lengths)
@quick
def test_causal_mask_with_a_past_is_the_end_of_the_whole_one(past, length):
    assert torch.equal(causal_mask(length, past=past), causal_mask(past + length)[past:])
    assert torch.equal(causal_mask(length), torch.ones(length, length).tril().bool())


@given(lengths, st.integers(1, 12), lengths)
@quick
def test_sliding_window_sees_itself_and_the_tokens_just_before(length, window, past):
    mask = sliding_window_mask(length, window=window, past=past)
    assert mask.shape == (length, past + length)
    for row in range(length):
        here = past + row
        seen = list(range(max(0, here - window + 1), here + 1))
        assert mask[row].nonzero().flatten().tolist() == seen


REAL = torch.tensor([[True, True, True], [True, False, False]])


def test_padding_mask_hides_padding_from_every_query():
    mask = padding_mask(REAL)
    assert mask.shape == (2, 1, 3)
    assert mask.expand(2, 4, 3)[1].tolist() == [[True, False, False]] * 4


def test_cross_mask_joins_the_real_tokens_of_both_sides():
    target = torch.tensor([[True, True], [True, False]])
    assert cross_mask(target, REAL).int().tolist() == [
        [[1, 1, 1], [1, 1, 1]],
        [[1, 0, 0], [0, 0, 0]],
    ]


masks = st.lists(st.booleans(), min_size=1, max_size=12).map(torch.tensor)


@given(masks, st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64]))
@quick
def test_converters_say_the_same_in_another_form(mask, dtype):
    additive = to_additive(mask, dtype)
    assert additive.dtype == dtype
    assert (additive[mask] == 0).all()
    assert (additive[~mask] == -torch.inf).all()
    assert torch.equal(to_blocked(mask), mask.logical_not())

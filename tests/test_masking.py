"""transformer_lab.masking: the masks' patterns, their converters, and rows that see nothing."""

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_lab import scaled_dot_product_attention
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


def test_causal_mask_of_four_words():
    assert causal_mask(4).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


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


def test_combined_mask_is_their_conjunction():
    mask = causal_mask(3) & padding_mask(REAL)
    assert mask.int().tolist() == [
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        [[1, 0, 0], [1, 0, 0], [1, 0, 0]],
    ]


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


def test_converted_masks_mean_the_same_to_pytorch():
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 3, 4), torch.randn(2, 3, 4)
    mask = causal_mask(3) & padding_mask(REAL)
    ours, _ = scaled_dot_product_attention(q, k, v, mask)
    theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=to_additive(mask))
    torch.testing.assert_close(ours, theirs)
    nn_attention = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    blocked = nn_attention(q, k, v, attn_mask=to_blocked(mask))[1]
    additive = nn_attention(q, k, v, attn_mask=to_additive(mask))[1]
    torch.testing.assert_close(blocked, additive)
    assert (blocked[~mask] == 0).all()


def test_a_row_that_sees_nothing_is_zero_here_and_nan_with_minus_infinity():
    x = torch.randn(1, 2, 4)
    mask = torch.tensor([[True, True], [False, False]])
    output, weights = scaled_dot_product_attention(x, x, x, mask)
    assert not weights[0, 1].any()
    assert not output[0, 1].any()
    by_addition = (x @ x.mT / 2 + to_additive(mask)).softmax(-1)
    assert by_addition[0, 1].isnan().all()
    torch.testing.assert_close(by_addition[0, 0], weights[0, 0])

"""transformer_lab.masking: the masks' patterns, their converters, and rows that see nothing."""

import pytest
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
    assert causal_mask(4).int().tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
    ]


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


def test_a_window_as_wide_as_the_text_is_causal():
    assert torch.equal(sliding_window_mask(5, window=5), causal_mask(5))
    assert torch.equal(sliding_window_mask(5, window=1), torch.eye(5).bool())


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


@pytest.mark.parametrize("sizes", [dict(length=-1), dict(length=2, past=-1)])
def test_negative_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match=rf"{[*sizes][-1]} must be at least 0, but is -1"):
        causal_mask(**sizes)


def test_a_window_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"window must be at least 1, but is 0"):
        sliding_window_mask(3, window=0)


IDS, FLOATS = torch.tensor([[5, 6, 0]]), torch.tensor([[0.0, -torch.inf]])
NOT_BOOLEAN = {
    "padding": (lambda: padding_mask(IDS), r"real must be boolean, but is torch.int64.*ids != PAD"),
    "cross": (lambda: cross_mask(IDS, IDS > 0), r"real must be boolean.*ids != PAD"),
    "memory": (lambda: cross_mask(IDS > 0, IDS), r"real must be boolean.*ids != PAD"),
    "to_blocked": (lambda: to_blocked(FLOATS), "mask must be boolean"),
    "to_additive": (lambda: to_additive(FLOATS), "mask must be boolean"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "message"), NOT_BOOLEAN.values(), ids=NOT_BOOLEAN.keys())
def test_a_mask_of_another_kind_is_refused(as_readers_run_it, call, message):
    with pytest.raises(TypeError, match=message):
        call()

"""transformer_lab.multi_head: packed heads are separate heads, and grouped ones share."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel

from transformer_lab.cache import Cache
from transformer_lab.masking import causal_mask, padding_mask
from transformer_lab.multi_head import (
    GroupedQueryAttention,
    MultiHeadAttention,
    merge_heads,
    separate_heads,
    split_heads,
)
from transformer_lab.positional_encoding import ALiBi, HalfSplitRotaryPositions, RotaryPositions

some = settings(max_examples=60)


@st.composite
def problems(draw):
    heads, d_k = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    B, T, S = (draw(st.integers(1, 5)) for _ in range(3))
    torch.manual_seed(draw(st.integers(0, 2**16)))
    kv_heads = draw(st.sampled_from([n for n in range(1, heads + 1) if heads % n == 0]))
    attention = GroupedQueryAttention(
        d_model=heads * d_k, heads=heads, kv_heads=kv_heads, bias=draw(st.booleans())
    ).double()
    x, memory = (torch.randn(B, length, heads * d_k).double() for length in (T, S))
    mask_shape = draw(st.sampled_from([None, (T, S), (1, S), (B, 1, S), (B, T, S)]))
    mask = None if mask_shape is None else torch.rand(mask_shape) < 0.6
    return attention, x, memory, mask


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 4), st.lists(st.integers(1, 3)))
@some
def test_split_gives_each_head_its_own_columns(heads, d_k, length, leading):
    x = torch.randn(*leading[:2], length, heads * d_k)
    split = split_heads(x, heads)
    assert split.shape == (*leading[:2], heads, length, d_k)
    for h in range(heads):
        assert torch.equal(split[..., h, :, :], x[..., h * d_k : (h + 1) * d_k])
    assert torch.equal(merge_heads(split), x)


@given(problems())
@some
def test_packed_heads_equal_separate_heads(problem):
    attention, x, memory, mask = problem
    output, weights = attention(x, memory, mask)
    alone = [head(x, memory, mask) for head in separate_heads(attention)]
    assert len(alone) == attention.heads
    torch.testing.assert_close(weights, torch.stack([w for _, w in alone], dim=1))
    torch.testing.assert_close(output, attention.output(torch.cat([y for y, _ in alone], -1)))


def test_self_attention_asks_itself_and_one_sentence_needs_no_batch():
    torch.manual_seed(0)
    attention, x = MultiHeadAttention(d_model=6, heads=3), torch.randn(2, 4, 6)
    torch.testing.assert_close(attention(x), attention(x, x))
    output, weights = attention(x[1])
    torch.testing.assert_close(output, attention(x)[0][1])
    assert weights.shape == (3, 4, 4)


def test_positions_act_in_self_attention_only():
    torch.manual_seed(0)
    rotary = MultiHeadAttention(d_model=8, heads=2, positions=RotaryPositions())
    plain = MultiHeadAttention(d_model=8, heads=2)
    plain.load_state_dict(rotary.state_dict())
    x, memory = torch.randn(1, 4, 8), torch.randn(1, 5, 8)
    torch.testing.assert_close(rotary(x, memory), plain(x, memory))
    assert not torch.allclose(rotary(x)[0], plain(x)[0], atol=1e-3)


RELATIVE = [None, RotaryPositions(), HalfSplitRotaryPositions(), ALiBi()]


@pytest.mark.parametrize("positions", RELATIVE)
@given(size=st.integers(1, 4), seed=st.integers(0, 2**16))
@settings(max_examples=8)
def test_with_a_cache_of_its_own_attention_reads_bit_by_bit_as_at_once(positions, size, seed):
    """No model is there to say how much was read before: the keys that are kept say it."""
    torch.manual_seed(seed)
    attention = GroupedQueryAttention(d_model=8, heads=4, kv_heads=2, positions=positions).double()
    x, cache = torch.randn(2, 6, 8).double(), Cache()
    expected, weights = attention(x, mask=causal_mask(6))
    for start in range(0, 6, size):
        piece = x[:, start : start + size]
        mask = causal_mask(piece.size(1), past=start)
        output, seen = attention(piece, mask=mask, cache=cache)
        torch.testing.assert_close(output, expected[:, start : start + size])
        torch.testing.assert_close(seen, weights[:, :, start : start + size, : seen.size(-1)])


@pytest.mark.parametrize("mask", [None, (1, 4), (4, 4), (2, 4, 4)])
def test_alibi_refuses_to_see_the_future(mask):
    attention = MultiHeadAttention(d_model=8, heads=2, positions=ALiBi())
    x = torch.randn(2, 4, 8)
    mask = None if mask is None else torch.ones(mask, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"mask=causal_mask\(4\)"):
        attention(x, mask=mask)
    real = torch.tensor([[True] * 4, [True, True, False, False]])
    assert attention(x, mask=causal_mask(4) & padding_mask(real))[0].isfinite().all()
    assert attention(x, x)[0].isfinite().all()  # of another sequence there is no distance
    assert attention(x[:, :1])[0].isfinite().all()


@given(problems())
@some
def test_without_need_for_weights_the_output_is_the_same(problem):
    attention, x, memory, mask = problem
    output, weights = attention(x, memory, mask, need_weights=False)
    assert weights is None
    torch.testing.assert_close(output, attention(x, memory, mask)[0])


MASKS = {
    "none": None,
    "two axes": causal_mask(3),
    "three axes": causal_mask(3).expand(2, 3, 3),
    "a row for all": torch.ones(2, 1, 3).bool(),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_without_weights_every_mask_is_for_the_quick_kernel(mask):
    """PyTorch takes its slow one for masks of three axes, without a word."""
    attention = MultiHeadAttention(d_model=8, heads=2)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # no other one
        attention(torch.randn(2, 3, 8), mask=mask, need_weights=False)[0].sum().backward()


@pytest.mark.parametrize("need_weights", [True, False])
def test_attention_compiles_to_one_graph(as_readers_run_it, need_weights):
    attention, x = MultiHeadAttention(d_model=8, heads=2), torch.randn(2, 3, 8)
    compiled = torch.compile(attention, backend="eager", fullgraph=True)
    found = compiled(x, mask=causal_mask(3), need_weights=need_weights)
    torch.testing.assert_close(found, attention(x, mask=causal_mask(3), need_weights=need_weights))


def test_values_given_as_a_third_argument_are_not_taken_for_a_mask(as_readers_run_it):
    q, k, v = torch.randn(3, 2, 4, 8)
    with pytest.raises(TypeError, match="mask"):
        MultiHeadAttention(d_model=8, heads=2)(q, k, v)


def test_a_cache_keeps_to_its_texts_and_to_its_memory(as_readers_run_it):
    attention, x = MultiHeadAttention(d_model=8, heads=2), torch.randn(2, 3, 8)
    cache = Cache()
    attention(x, cache=cache)
    with pytest.raises(RuntimeError, match="Sizes"):
        attention(torch.randn(3, 1, 8), cache=cache)
    cache = Cache()
    expected, _ = attention(x, x, cache=cache)
    torch.testing.assert_close(attention(x, x.clone(), cache=cache)[0], expected)
    for memory in (x + 1, x[:1], x.double()):
        with pytest.raises(ValueError, match=r"new Cache\(\)"):
            attention(x, memory, cache=cache)


def test_autocast_is_named_where_it_makes_alibi_count_too_coarsely():
    attention = MultiHeadAttention(d_model=8, heads=2, positions=ALiBi())
    x, mask = torch.randn(1, 260, 8), causal_mask(260)
    with torch.autocast("cpu", torch.bfloat16):
        with pytest.raises(ValueError, match="enabled=False"):
            attention(x, mask=mask)
        with torch.autocast("cpu", enabled=False):
            attention(x, mask=mask)
    with pytest.raises(ValueError, match="float"):
        attention.bfloat16()(x.bfloat16(), mask=mask)
    attention.float()(x, mask=mask)

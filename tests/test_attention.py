"""transformer_lab.attention against PyTorch's own attention, on shapes nobody would choose."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_lab import AttentionHead, fused_attention, scaled_dot_product_attention

# bfloat16 keeps 8 bits of each number; PyTorch rounds at other places than we do.
TOLERANCE = {
    torch.float64: dict(rtol=1e-12, atol=1e-12),
    torch.float32: dict(rtol=1e-5, atol=1e-6),
    torch.float16: dict(rtol=1e-2, atol=1e-2),
    torch.bfloat16: dict(rtol=5e-2, atol=2e-2),
}
MASKS = ["none", "causal", "random", "one row for all", "a hidden row"]


@st.composite
def problems(draw, dtypes=tuple(TOLERANCE)):
    """Queries, keys, values and a mask with unequal sizes, on leading axes that broadcast."""
    size = st.integers(1, 6)
    T, S, K, K_v = (draw(size) for _ in range(4))
    leading = draw(st.lists(st.integers(1, 3), max_size=2))
    dtype = draw(st.sampled_from(dtypes))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))

    def normal(length, width):
        axes = [draw(st.sampled_from([1, n])) for n in leading]
        return torch.randn(*axes, length, width, generator=generator).to(dtype)

    kind = draw(st.sampled_from(MASKS))
    if kind == "none":
        mask = None
    elif kind == "causal":
        mask = torch.ones(T, S, dtype=torch.bool).tril()
    else:
        rows = 1 if kind == "one row for all" else T
        mask = torch.rand(rows, S, generator=generator) < 0.6
        mask[:, 0] = True
        if kind == "a hidden row":
            mask[0] = False
    return normal(T, K), normal(S, K), normal(S, K_v), mask


def theirs(q, k, v, mask):
    """PyTorch's answer: it wants leading axes that are already equal."""
    leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (x.expand(*leading, *x.shape[-2:]) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@given(problems())
@settings(max_examples=300)
def test_output_equals_pytorch(problem):
    q, k, v, mask = problem
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(output, theirs(q, k, v, mask), **TOLERANCE[q.dtype])
    assert output.dtype == weights.dtype == q.dtype
    assert weights.shape[-2:] == (q.size(-2), k.size(-2))


@given(problems())
@settings(max_examples=100)
def test_fused_gives_the_same_output(problem):
    output, _ = scaled_dot_product_attention(*problem)
    torch.testing.assert_close(fused_attention(*problem), output, **TOLERANCE[output.dtype])


@pytest.mark.parametrize("shape", [(4, 1, 4), (4, 1, 1, 4), (4, 4), (1, 4, 4)])
def test_fused_takes_no_lengths_for_a_causal_mask(shape):
    """Four texts of 1 to 4 real tokens have the numbers of a causal mask, over another axis."""
    mask = torch.ones(4, 4, dtype=torch.bool).tril().reshape(shape)
    heads = (2,) * (len(shape) == 4)
    q, k, v = (torch.randn(4, *heads, 4, 3) for _ in range(3))
    output, _ = scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(fused_attention(q, k, v, mask), output)


@given(problems(dtypes=[torch.float64]))
@settings(max_examples=100)
def test_weights_are_shares_of_what_is_allowed(problem):
    q, k, v, mask = problem
    _, weights = scaled_dot_product_attention(q, k, v, mask)
    allowed = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool) if mask is None else mask
    allowed = allowed.expand_as(weights)
    assert (weights[~allowed] == 0).all()
    torch.testing.assert_close(weights.sum(-1), allowed.any(-1).double())
    assert (weights >= 0).all()


@given(problems(dtypes=[torch.float64]))
@settings(max_examples=60)
def test_gradients_equal_pytorch(problem):
    *tensors, mask = problem
    for tensor in tensors:
        tensor.requires_grad_()
    ours = torch.autograd.grad(scaled_dot_product_attention(*tensors, mask)[0].sum(), tensors)
    expected = torch.autograd.grad(theirs(*tensors, mask).sum(), tensors)
    for mine, theirs_ in zip(ours, expected, strict=True):
        torch.testing.assert_close(mine, theirs_, rtol=1e-10, atol=1e-10)


def test_fused_rows_that_may_attend_to_nothing_are_zero_and_so_are_their_gradients():
    q, k, v = (torch.randn(2, 3, 4, 8, requires_grad=True) for _ in range(3))
    mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)
    output = fused_attention(q, k, v, mask)
    assert not output[..., 0, :].any()
    explicit, _ = scaled_dot_product_attention(q, k, v, mask)
    expected = torch.autograd.grad(explicit.square().sum(), (q, k, v))
    for ours, theirs_ in zip(
        torch.autograd.grad(output.square().sum(), (q, k, v)), expected, strict=True
    ):
        torch.testing.assert_close(ours, theirs_)


def test_scores_too_large_for_exp_stay_finite():
    x = 1e4 * torch.eye(3)
    output, weights = scaled_dot_product_attention(x, x, x)
    assert torch.equal(weights, torch.eye(3))
    assert torch.equal(output, x)


def test_what_is_hidden_loses_to_scores_however_low():
    q, k = torch.tensor([[1e3]]), torch.tensor([[-1e3], [-2e3], [5.0]])
    mask = torch.tensor([True, True, False])
    _, weights = scaled_dot_product_attention(q, k, torch.randn(3, 2), mask)
    assert weights.tolist() == [[1.0, 0.0, 0.0]]


def test_nan_in_one_query_stays_in_its_row():
    q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
    q[1] = torch.nan
    output, _ = scaled_dot_product_attention(q, k, v)
    for result in (output, fused_attention(q, k, v)):
        assert result[1].isnan().all()
        assert result[[0, 2]].isfinite().all()


@pytest.mark.parametrize("shape", [(), (5,), (3, 5), (2, 3, 5), (1, 1, 3, 5)])
def test_both_take_the_same_masks(shape):
    q, k, v = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4)
    mask = torch.ones(shape, dtype=torch.bool)
    output, _ = scaled_dot_product_attention(q, k, v, mask)
    torch.testing.assert_close(fused_attention(q, k, v, mask), output)


@pytest.mark.parametrize("mask", [None, torch.ones(3, 5).bool().tril(2)])
def test_groups_of_queries_read_one_head_of_keys_and_values(mask):
    """Forward and backward."""
    torch.manual_seed(0)
    shapes = (2, 6, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)
    q, k, v = given = [torch.randn(shape, requires_grad=True) for shape in shapes]
    each = [x.repeat_interleave(3, dim=1) for x in (k, v)]
    expected, _ = scaled_dot_product_attention(q, *each, mask)
    output = fused_attention(q, k, v, mask, grouped=True)
    torch.testing.assert_close(output, expected)
    upstream = torch.randn_like(output)
    gradients = torch.autograd.grad(output, given, upstream)
    torch.testing.assert_close(gradients, torch.autograd.grad(expected, given, upstream))


def test_head_asks_itself_or_a_memory():
    torch.manual_seed(0)
    head = AttentionHead(d_model=8, d_k=4, d_v=5)
    x, memory = torch.randn(2, 3, 8), torch.randn(2, 6, 8)
    output, weights = head(x)
    assert output.shape == (2, 3, 5)
    assert weights.shape == (2, 3, 3)
    cross, weights = head(x, memory)
    assert cross.shape == (2, 3, 5)
    assert weights.shape == (2, 3, 6)
    by_hand = F.scaled_dot_product_attention(
        x @ head.query.weight.mT, memory @ head.key.weight.mT, memory @ head.value.weight.mT
    )
    torch.testing.assert_close(cross, by_hand)
    assert torch.equal(head(x, x)[0], output)


def test_head_respects_a_mask_and_has_no_biases_unless_asked():
    head = AttentionHead(d_model=8, d_k=4)
    _, weights = head(torch.randn(3, 8), mask=torch.ones(3, 3, dtype=torch.bool).tril())
    assert not weights.triu(1).any()
    assert sorted(name for name, _ in head.named_parameters()) == [
        "key.weight", "query.weight", "value.weight",
    ]  # fmt: skip
    assert sum(p.numel() for p in AttentionHead(d_model=8, d_k=4, bias=True).parameters()) == 108

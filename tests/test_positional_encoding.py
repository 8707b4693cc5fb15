"""transformer_lab.positional_encoding: the formulas by hand, and what they promise."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer_lab import scaled_dot_product_attention
from transformer_lab.masking import causal_mask
from transformer_lab.positional_encoding import (
    ALiBi,
    HalfSplitRotaryPositions,
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_slopes,
    position_angles,
    rotate_halves,
    rotate_pairs,
    sinusoidal_encoding,
    token_positions,
)
from transformer_lab.pretrained.bergamot import (
    HalfSplitSinusoidalPositions,
    half_split_sinusoidal_encoding,
)

some = settings(max_examples=50)
exact = partial(torch.tensor, dtype=torch.float64)
widths, bases = st.integers(1, 9), st.sampled_from([100.0, 10_000.0])


def test_positions_count_real_tokens():
    real = torch.tensor([[1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 0, 1, 1]]).bool()
    positions = token_positions(real)
    assert positions[0].tolist() == [0, 1, 2, 3]
    assert [row[keep].tolist() for row, keep in zip(positions, real, strict=True)] == [
        [0, 1, 2, 3], [0, 1], [0, 1], [0, 1, 2],
    ]  # fmt: skip
    assert (positions >= 0).all()


@given(st.integers(0, 5000), widths, bases)
@some
def test_sinusoidal_encoding_is_the_papers_formula(position, width, base):
    by_hand = [
        (math.cos if i % 2 else math.sin)(position / base ** ((i - i % 2) / width))
        for i in range(width)
    ]
    here = torch.tensor([position])
    encoding = sinusoidal_encoding(here, width, base=base, dtype=torch.float64)
    torch.testing.assert_close(encoding[0], exact(by_hand), atol=1e-10, rtol=0)
    split = half_split_sinusoidal_encoding(here, width, base=base, dtype=torch.float64)
    assert torch.equal(split, torch.cat([encoding[:, 0::2], encoding[:, 1::2]], dim=-1))


@pytest.mark.parametrize("kind", [SinusoidalPositions, HalfSplitSinusoidalPositions])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_absolute_encodings_are_added(kind, dtype):
    torch.manual_seed(0)
    x, positions = torch.randn(2, 3, 5).to(dtype), torch.tensor([[0, 1, 2], [700, 0, 4]])
    added = kind(d_model=5, base=50.0)(x, positions)
    assert added.dtype == dtype
    expected = x + kind.encode(positions, 5, base=50.0, dtype=torch.float64).to(dtype)
    tolerance = 1e-2 if dtype == torch.bfloat16 else 1e-4
    torch.testing.assert_close(added, expected, atol=tolerance, rtol=0)
    assert not list(kind(d_model=5).parameters())


def test_learned_positions_are_looked_up_and_end_somewhere():
    positions = LearnedPositions(d_model=5, max_length=3)
    x, where = torch.randn(2, 3, 5), torch.tensor([[0, 1, 2], [0, 0, 1]])
    torch.testing.assert_close(positions(x, where), x + positions.table.weight[where])
    with pytest.raises(ValueError, match=r"3 positions.*4.*at most 3"):
        positions(x, where + 1)


@given(st.integers(1, 4), st.integers(0, 500), bases)
@some
def test_rotation_is_multiplication_by_a_complex_number(pairs, position, base):
    x = torch.randn(2, 1, 2 * pairs).double()
    radians = position_angles(torch.tensor([position]), 2 * pairs, base, torch.float64)
    by_hand = exact([position * base ** (-i / pairs) for i in range(pairs)])
    torch.testing.assert_close(radians[0], by_hand)
    unit = torch.polar(torch.ones(pairs).double(), by_hand)
    turned = torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (pairs, 2))) * unit)
    torch.testing.assert_close(rotate_pairs(x, radians), turned.flatten(-2), atol=1e-10, rtol=0)
    # The half-split form pairs other features; put in that order, it is the same rotation.
    interleaved = torch.arange(2 * pairs).unflatten(0, (2, pairs)).mT.flatten()
    torch.testing.assert_close(
        rotate_halves(x, radians)[..., interleaved], rotate_pairs(x[..., interleaved], radians)
    )


@pytest.mark.parametrize("kind", [RotaryPositions, HalfSplitRotaryPositions])
@given(start=st.integers(0, 1000), seed=st.integers(0, 2**16))
@some
def test_rotated_scores_depend_on_distance_alone(kind, start, seed):
    torch.manual_seed(seed)
    q, k = torch.randn(2, 3, 5, 8).double(), torch.randn(2, 1, 5, 8).double()
    at_start, later = kind()(q, k), kind()(q, k, start=start)
    torch.testing.assert_close(at_start[0] @ at_start[1].mT, later[0] @ later[1].mT)
    torch.testing.assert_close(at_start[0].norm(dim=-1), q.norm(dim=-1))
    torch.testing.assert_close(at_start[0][..., 0, :], q[..., 0, :])
    assert not torch.allclose(at_start[0][..., 1:, :], q[..., 1:, :])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    ("kind", "rotate"), [(RotaryPositions, rotate_pairs), (HalfSplitRotaryPositions, rotate_halves)]
)
def test_queries_and_keys_turn_as_the_formula_says(kind, rotate, dtype):
    torch.manual_seed(0)
    q, k = torch.randn(2, 4, 5, 8).to(dtype), torch.randn(2, 2, 8, 5).to(dtype).mT
    radians = position_angles(torch.arange(3, 8), 8, 10_000.0, dtype)
    for turned, x in zip(kind()(q, k, 3), (q, k), strict=True):
        assert torch.equal(turned, rotate(x, radians))


def test_rotation_in_half_precision_keeps_its_angles():
    torch.manual_seed(0)
    q = torch.randn(1, 1, 4, 8)
    exact, _ = RotaryPositions()(q.double(), q.double(), start=3001)
    rounded, _ = RotaryPositions()(q.bfloat16(), q.bfloat16(), start=3001)
    assert rounded.dtype == torch.bfloat16
    torch.testing.assert_close(rounded.double(), exact, atol=0.05, rtol=0)


def test_angles_are_not_kept_for_another_base_size_or_place():
    positions, other = RotaryPositions(base=77.0), RotaryPositions(base=50.0)
    q = torch.randn(1, 2, 3, 4)
    positions(q, q, 3)
    for like in (q[:, :, :2], q[..., :2], q.double()):
        length, width = like.shape[-2:]
        angles = position_angles(torch.arange(3, 3 + length), width, 77.0, dtype=like.dtype)
        expected = rotate_pairs(like, angles)
        torch.testing.assert_close(positions(like, like, 3)[0], expected, rtol=0, atol=0)
    expected = other(q, q, 3)[0]
    assert not torch.equal(positions(q, q, 3)[0], expected)
    positions.base = 50.0
    torch.testing.assert_close(positions(q, q, 3)[0], expected, rtol=0, atol=0)
    places = torch.tensor([5, 6, 7])
    before = positions(q, q, places)[0]
    assert not torch.equal(positions(q, q, places.zero_())[0], before)


def test_angles_kept_from_inference_serve_training():
    positions, q = RotaryPositions(), torch.randn(1, 2, 3, 4)
    with torch.inference_mode():
        positions(q, q, 9)
    q.requires_grad_()
    positions(q, q, 9)[0].sum().backward()
    assert q.grad.isfinite().all()


@pytest.mark.parametrize("kind", [RotaryPositions, HalfSplitRotaryPositions])
def test_each_token_may_say_where_it_stands(kind):
    """Two texts in one row, and rows whose texts begin at different places."""
    torch.manual_seed(0)
    q, k = torch.randn(2, 4, 5, 8).double(), torch.randn(2, 2, 5, 8).double()
    packed = torch.tensor([0, 1, 2, 0, 1])
    parts = [kind()(q[..., at, :], k[..., at, :]) for at in (slice(0, 3), slice(3, 5))]
    for ours, *pieces in zip(kind()(q, k, packed), *parts, strict=True):
        torch.testing.assert_close(ours, torch.cat(pieces, dim=-2))
    starts = torch.tensor([0, 7])
    rows = kind()(q, k, starts[:, None] + torch.arange(5))
    for row, start in enumerate(starts.tolist()):
        alone = kind()(q[row], k[row], start)
        torch.testing.assert_close([side[row] for side in rows], [*alone])


def test_alibi_slopes_of_the_paper():
    assert alibi_slopes(8).tolist() == [2**-i for i in range(1, 9)]
    expected = [2**-i for i in range(1, 9)] + [2 ** -(i + 0.5) for i in range(4)]
    torch.testing.assert_close(alibi_slopes(12), torch.tensor(expected))
    assert alibi_slopes(1).tolist() == [2**-8]


def test_alibi_is_exact_in_the_dtype_of_its_queries():
    """With twelve heads, four slopes are no powers of two, and float32 would show."""
    q = torch.zeros(1, 12, 2, 1).double()
    wider, _ = ALiBi()(q, q)
    slopes = exact([2**-i for i in range(1, 9)] + [2 ** -(i + 0.5) for i in range(4)])
    torch.testing.assert_close(wider[0, :, 0, 1] / math.sqrt(2), slopes, rtol=1e-15, atol=0)
    assert torch.equal(alibi_slopes(12, dtype=torch.float64), slopes)


@pytest.mark.parametrize(("dtype", "longest"), [(torch.bfloat16, 257), (torch.float16, 2049)])
def test_alibi_refuses_positions_that_half_precision_runs_together(dtype, longest):
    last = torch.arange(longest - 2, longest + 1).to(dtype)
    assert last.unique().numel() < 3 > last[:2].unique().numel() == 2
    x = torch.zeros(1, 1, 1, 2, dtype=dtype)
    ALiBi()(x, x, start=longest - 1)
    with pytest.raises(ValueError, match=rf"up to {longest}.*float32"):
        ALiBi()(x, x, start=longest)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 8])
@given(length=st.integers(1, 9), d_k=st.integers(1, 6), start=st.integers(0, 50))
@settings(max_examples=15)
def test_alibi_is_a_penalty_on_distance(heads, length, d_k, start):
    q, k, v = (torch.randn(2, heads, length, d_k).double() for _ in range(3))
    mask = causal_mask(length)
    output, weights = scaled_dot_product_attention(*ALiBi()(q, k, start=start), v, mask)
    distance = torch.arange(length)[:, None] - torch.arange(length)
    scores = q @ k.mT / math.sqrt(d_k) - alibi_slopes(heads)[:, None, None] * distance
    expected = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    torch.testing.assert_close(weights, expected, atol=1e-10, rtol=0)
    torch.testing.assert_close(output, expected @ v)

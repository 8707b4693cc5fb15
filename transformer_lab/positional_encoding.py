"""Telling a Transformer where each token stands.

Attention alone is permutation-equivariant: shuffle the tokens and it gives the same vectors,
shuffled. Two families mend that. *Absolute* encodings are added to the embeddings, once:
sinusoidal, learned. *Relative* ones change queries and keys inside every self-attention, so that
scores depend on distances: rotary, ALiBi.
"""

import math
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import (
    check_axes,
    check_boolean,
    check_integers,
    check_kind,
    check_positive,
)
from transformer_lab._position_checks import (
    check_counts,
    check_halves,
    check_learned,
    check_pair,
    check_places,
    check_radians,
)
from transformer_lab._rotation import position_angles as position_angles  # public, and taught here
from transformer_lab._rotation import turn_halves, turn_pairs, turns_for


def token_positions(real: Bool[Tensor, "*B T"]) -> Int[Tensor, "*B T"]:
    """Count the real tokens before each; padding moves nobody. Refuses what is not boolean."""
    check_boolean("real", real, "Ids become it by `ids != PAD`.")
    return (real.cumsum(dim=-1) - 1).clamp(min=0)


def sinusoidal_encoding(
    positions: Int[Tensor, "*B T"],
    d_model: int,
    *,
    base: float = 10_000.0,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*B T D"]:
    """Interleave sines and cosines: features 2i and 2i + 1 are the sine and cosine of angle i.

    An odd d_model ends with a sine. Source: Vaswani et al. 2017, section 3.5.
    """
    radians = position_angles(positions, d_model, base, dtype)
    pairs = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model].to(dtype)


def half_split_sinusoidal_encoding(
    positions: Int[Tensor, "*B T"],
    d_model: int,
    *,
    base: float = 10_000.0,
    dtype: torch.dtype = torch.float32,
) -> Float[Tensor, "*B T D"]:
    """Return the numbers of `sinusoidal_encoding`, all sines first, then all cosines: Marian's."""
    radians = position_angles(positions, d_model, base, dtype)
    return torch.cat([radians.sin(), radians.cos()], dim=-1)[..., :d_model].to(dtype)


class SinusoidalPositions(nn.Module):
    """Add `sinusoidal_encoding` to embeddings. Nothing is learned and no position is too far."""

    encode = staticmethod(sinusoidal_encoding)

    def __init__(self, *, d_model: int, base: float = 10_000.0):
        """Make an encoding for vectors of width d_model whose slowest hand takes 2π·base steps."""
        super().__init__()
        check_integers(d_model=d_model)
        check_positive(base=base)
        self.d_model, self.base = d_model, base

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Add to each vector the encoding of its position. Refuses another width or length."""
        check_places(x, positions, self.d_model)
        encode = partial(self.encode, d_model=self.d_model, base=self.base)
        return x + encode(positions, dtype=x.dtype)


class HalfSplitSinusoidalPositions(SinusoidalPositions):
    """Add `half_split_sinusoidal_encoding` to embeddings, as Marian does."""

    encode = staticmethod(half_split_sinusoidal_encoding)


class LearnedPositions(nn.Module):
    """Add a learned vector per position, as GPT-2 and BERT do; there are max_length of them."""

    def __init__(self, *, d_model: int, max_length: int):
        """Make a table of max_length vectors of width d_model."""
        super().__init__()
        check_integers(d_model=d_model, max_length=max_length)
        self.table = nn.Embedding(max_length, d_model)
        self.d_model, self.max_length = d_model, max_length

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Add to each vector the one learned for its position. Refuses one that is not there."""
        check_places(x, positions, self.d_model)
        check_learned(positions, self.max_length)
        return x + self.table(positions)


class NoPositions(nn.Module):
    """Add nothing: for models whose attention knows distances, or that shall know none."""

    def __init__(self, *, d_model: int, max_length: int | None = None):
        """Need no width; with max_length, refuse longer texts than the model was trained on."""
        super().__init__()
        if max_length is not None:
            check_integers(max_length=max_length)
        self.max_length = max_length

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Return x as it is. With max_length, raises ValueError for a position beyond it."""
        check_axes(2, "length, width", x=x)
        check_places(x, positions, x.size(-1))
        if self.max_length is not None:
            check_learned(positions, self.max_length)
        return x


def rotate_pairs(
    x: Float[Tensor, "*B T K"], radians: Float[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Turn each pair of *neighbouring* features (2i, 2i + 1) by its angle, like a clock's hand.

    Source: Su et al. 2021 (RoFormer), equation 34. Also Llama's own files and GGUF. Raises
    ValueError where there is not an angle for each pair, TypeError for what are no floats.
    """
    check_radians(x, radians)
    cos, sin = radians.cos().to(x.dtype), radians.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(pairs, dim=-1).flatten(-2)


def rotate_halves(
    x: Float[Tensor, "*B T K"], radians: Float[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Turn features i and i + K/2 as a pair: the same rotation with the features in other places.

    Refuses what `rotate_pairs` refuses. Source: GPT-NeoX, and Llama as Hugging Face stores it.
    """
    check_radians(x, radians)
    cos, sin = radians.cos().to(x.dtype), radians.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


class RotaryPositions(nn.Module):
    """Rotate queries and keys by their positions: their dot product sees only the distance.

    It does what `rotate_pairs` does, but for rounding, by complex numbers, which is quicker.
    """

    turn = staticmethod(turn_pairs)

    def __init__(self, *, base: float = 10_000.0):
        """Make rotations whose slowest pair takes about 2π · base steps to come round."""
        super().__init__()
        check_positive(base=base)
        self.base = base

    def forward(
        self,
        q: Float[Tensor, "*B H T K"],
        k: Float[Tensor, "*B G T K"],
        start: int | Int[Tensor, "*#B T"] = 0,
    ) -> tuple[Float[Tensor, "*B H T K"], Float[Tensor, "*B G T K"]]:
        """Rotate q and k, whose first token stands at position `start`; a tensor says it of each.

        Raises ValueError where the width of a head is odd, and where q and k differ in length.
        """
        check_pair(q, k)
        check_halves(q.size(-1))
        exact = torch.promote_types(q.dtype, torch.float32)
        both = torch.cat([q, k], dim=-3).to(exact)
        turned = self.turn(both, turns_for(both, start, self.base))
        turned, H, G = turned.to(q.dtype), q.size(-3), k.size(-3)
        return turned.narrow(-3, 0, H), turned.narrow(-3, H, G)


class HalfSplitRotaryPositions(RotaryPositions):
    """Rotary positions that pair features i and i + K/2 (`rotate_halves`)."""

    turn = staticmethod(turn_halves)


def alibi_slopes(heads: int, *, dtype: torch.dtype = torch.float32) -> Float[Tensor, " {heads}"]:
    """Return the slope of each head: 2^(-8/H), 2^(-16/H), ... down to 2^-8.

    Where heads is no power of two, the next lower power's slopes come first and then every other
    slope of twice that power. Source: Press et al. 2022, section 3, and its code. Refuses 0 heads,
    and a dtype that is not one of floats.
    """
    check_integers(heads=heads)
    check_kind(dtype)
    power = 1 << (heads.bit_length() - 1)
    steps = [i + 1 for i in range(power)] + [i + 0.5 for i in range(heads - power)]
    return torch.tensor([2 ** (-8 * step / power) for step in steps], dtype=dtype)


class ALiBi(nn.Module):
    """Make attention fade with distance: score(i, j) gets slope · (j - i), for causal attention.

    A softmax ignores what all keys of a row have in common, so slope · j is enough; and that is a
    dot product: the query carries the slope in one more feature, the key its position. Under any
    other mask the key furthest ahead would count for most: `MultiHeadAttention` refuses that.

    Source: Press et al. 2022, section 3.
    """

    def forward(
        self,
        q: Float[Tensor, "*B H T K"],
        k: Float[Tensor, "*B G T K"],
        start: int = 0,
    ) -> tuple[Float[Tensor, "*B H T K1"], Float[Tensor, "*B G T K1"]]:
        """Widen q and k, whose first token stands at position `start`, by the one feature.

        Raises ValueError where their lengths differ, or their dtype cannot count so far: half
        precision rounds slope · j.
        """
        check_pair(q, k)
        check_integers(least=None, start=start)
        H, T, K = q.shape[-3:]
        check_counts(start + T - 1, k)
        slopes = alibi_slopes(H, dtype=q.dtype).to(q.device)[:, None, None]
        positions = torch.arange(start, start + T).to(k)[:, None]
        # Attention divides by sqrt(K + 1); scores want sqrt(K), slopes 1.
        q, slopes = q * math.sqrt((K + 1) / K), slopes * math.sqrt(K + 1)
        q = torch.cat([q, slopes.expand_as(q[..., :1])], dim=-1)
        return q, torch.cat([k, positions.expand_as(k[..., :1])], dim=-1)

"""Position encodings: how a Transformer knows where each token is.

Attention alone is permutation-equivariant: shuffle the tokens and it returns the same vectors,
shuffled. Two families of encodings change that. *Absolute* ones are added to the embeddings, once:
sinusoidal, learned. *Relative* ones change queries and keys inside every self-attention, so that
scores depend on distances: rotary, ALiBi.
"""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import (
    check_causal,
    check_counts,
    check_float_dtype,
    check_integers,
    check_mask,
    check_places,
    check_positions,
    check_positive,
    check_rotation,
    check_same_tokens,
)
from transformer_lab._decorators import in_float32, keep_latest
from transformer_lab.masking import causal_mask


def token_positions(real: Bool[Tensor, "*B T"]) -> Int[Tensor, "*B T"]:
    """Number the tokens of each sequence from 0; padding moves none of them.

    Raises TypeError for a mask that is not boolean.
    """
    check_mask("real", real, "`ids != PAD` is such a mask.")
    return (real.cumsum(dim=-1) - 1).clamp(min=0)


def position_angles(
    positions: Int[Tensor, "*B T"], width: int, base: float, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*B T pairs"]:
    """Return positions times frequencies, in radians: an angle for each pair of features.

    Pair i turns by base^(-2i / width) per step. For half precision the angles are in float32.
    Raises ValueError for a base that is not positive, TypeError for a padding mask in place of
    positions and for a dtype that is not one of floats.
    """
    check_positions(positions)
    check_positive(base=base)
    check_float_dtype(dtype)
    dtype = torch.promote_types(dtype, torch.float32)
    even = torch.arange(0, width, 2, dtype=dtype, device=positions.device)
    return positions.unsqueeze(-1) * base ** (-even / width)


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
    radians = position_angles(positions, d_model, base, dtype=dtype)
    pairs = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model].to(dtype)


class SinusoidalPositions(nn.Module):
    """Adds `sinusoidal_encoding` to embeddings. Nothing is learned; no position is too large."""

    encode = staticmethod(sinusoidal_encoding)

    def __init__(self, *, d_model: int, base: float = 10_000.0):
        """Create an encoding for vectors of width d_model; its slowest pair takes 2π·base steps."""
        super().__init__()
        check_positive(base=base)
        self.d_model, self.base = d_model, base

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Add to each vector the encoding of its position. Raises ValueError for other shapes."""
        check_places(x, positions, self.d_model)
        return x + self.encode(positions, self.d_model, base=self.base, dtype=x.dtype)


class LearnedPositions(nn.Module):
    """Adds a learned vector per position, as GPT-2 and BERT do; there are max_length of them."""

    def __init__(self, *, d_model: int, max_length: int):
        """Create a table of max_length vectors of width d_model."""
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)
        self.d_model, self.max_length = d_model, max_length

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Add to each vector the one learned for its position.

        Raises ValueError for other shapes and for a position beyond the table.
        """
        check_places(x, positions, self.d_model, self.max_length)
        return x + self.table(positions)


class NoPositions(nn.Module):
    """Adds nothing: for models whose attention has relative positions, or none at all."""

    def __init__(self, *, d_model: int, max_length: int | None = None):
        """Accept the width that others need; max_length is the longest training sequence."""
        super().__init__()
        self.max_length = max_length

    def forward(
        self, x: Float[Tensor, "*B T D"], positions: Int[Tensor, "*B T"]
    ) -> Float[Tensor, "*B T D"]:
        """Return x as it is. Raises ValueError for a position beyond max_length."""
        check_places(x, positions, x.size(-1), self.max_length)
        return x


@in_float32
def rotate_pairs(
    x: Float[Tensor, "*B T K"], radians: Float[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Rotate each pair of *neighbouring* features (2i, 2i + 1) by its angle, like a clock's hand.

    Half precision is computed in float32. Raises ValueError unless there is an angle for each pair.

    Source: Su et al. 2021 (RoFormer), equation 34. Also Llama's own files and GGUF.
    """
    check_rotation(x, radians)
    cos, sin = radians.cos(), radians.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(pairs, dim=-1).flatten(-2)


@in_float32
def rotate_halves(
    x: Float[Tensor, "*B T K"], radians: Float[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Rotate features i and i + K/2 as a pair: the same rotation, with the features reordered.

    Raises what `rotate_pairs` raises. Source: GPT-NeoX, and Llama as Hugging Face stores it.
    """
    check_rotation(x, radians)
    cos, sin = radians.cos(), radians.sin()
    first, second = x.chunk(2, dim=-1)
    pairs = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat(pairs, dim=-1)


class RotaryPositions(nn.Module):
    """Rotates queries and keys by their positions, so dot products depend on distances only."""

    rotate = staticmethod(rotate_pairs)

    def __init__(self, *, base: float = 10_000.0):
        """Create rotations whose slowest pair takes about 2π · base steps for a full turn."""
        super().__init__()
        check_positive(base=base)
        self.base = base

    def forward(
        self,
        q: Float[Tensor, "*B H T K"],
        k: Float[Tensor, "*B G T K"],
        start: int | Int[Tensor, "*#B T"] = 0,
    ) -> tuple[Float[Tensor, "*B H T K"], Float[Tensor, "*B G T K"]]:
        """Rotate q and k, whose first token is at position `start`; a tensor has all positions.

        Raises ValueError if the width of a head is odd, and if q and k differ in length.
        """
        check_same_tokens(q, k)
        T, K = q.shape[-2:]
        radians = self.angles(start, T, K, self.base, q.dtype, q.device)
        turned = self.rotate(torch.cat([q, k], dim=-3), radians)
        return turned.split([q.size(-3), k.size(-3)], dim=-3)

    @staticmethod
    @keep_latest
    def angles(
        start: int | Tensor,
        length: int,
        width: int,
        base: float,
        dtype: torch.dtype,
        device: torch.device,
    ) -> Tensor:
        """Return the angles of `length` tokens, which all layers of a step share."""
        if not isinstance(start, Tensor):
            start = torch.arange(start, start + length, device=device)
        radians = position_angles(start, width, base, dtype=dtype)
        return radians.unsqueeze(-3)  # the same for every head


class HalfSplitRotaryPositions(RotaryPositions):
    """Rotary positions that pair features i and i + K/2 (`rotate_halves`)."""

    rotate = staticmethod(rotate_halves)


def alibi_slopes(heads: int, *, dtype: torch.dtype = torch.float32) -> Float[Tensor, " {heads}"]:
    """Return the slope of each head: 2^(-8/H), 2^(-16/H), ... down to 2^-8.

    If heads is not a power of two, the next lower power's slopes come first and then every other
    slope of twice that power. Source: Press et al. 2022, section 3, and its code. Raises
    ValueError for 0 heads, TypeError for a dtype that is not one of floats.
    """
    check_integers(heads=heads)
    check_float_dtype(dtype)
    power = 1 << (heads.bit_length() - 1)
    steps = [i + 1 for i in range(power)] + [i + 0.5 for i in range(heads - power)]
    return torch.tensor([2 ** (-8 * step / power) for step in steps], dtype=dtype)


class ALiBi(nn.Module):
    """Makes attention fade with distance: score(i, j) gets slope · (j - i), for causal attention.

    A softmax ignores what all keys of a row have in common, so slope · j is enough; and that is a
    dot product: the query carries the slope in one more feature, the key its position. Under any
    other mask the last key would count most.

    Source: Press et al. 2022, section 3.
    """

    def forward(
        self,
        q: Float[Tensor, "*B H T K"],
        k: Float[Tensor, "*B G T K"],
        start: int = 0,
    ) -> tuple[Float[Tensor, "*B H T K1"], Float[Tensor, "*B G T K1"]]:
        """Append the one feature to q and k, whose first token is at position `start`.

        Raises ValueError if their lengths differ, or if their dtype cannot represent the positions:
        half precision rounds slope · j.
        """
        check_same_tokens(q, k)
        H, T, K = q.shape[-3:]
        check_counts(start + T - 1, k)
        slopes = alibi_slopes(H, dtype=q.dtype).to(q.device)[:, None, None]
        positions = torch.arange(start, start + T).to(k)[:, None]
        # Attention divides by sqrt(K + 1): scores need sqrt(K), slopes 1.
        q, slopes = q * math.sqrt((K + 1) / K), slopes * math.sqrt(K + 1)
        q = torch.cat([q, slopes.expand_as(q[..., :1])], dim=-1)
        return q, torch.cat([k, positions.expand_as(k[..., :1])], dim=-1)

    def check_mask(self, mask: Tensor | None, q: Tensor, k: Tensor) -> None:
        """Raise ValueError if a mask, or none, lets a query attend to a later key."""
        T, S = q.size(-2), k.size(-2)
        check_causal(mask, causal_mask(T, past=S - T, device=q.device))

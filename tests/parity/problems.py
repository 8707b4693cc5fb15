"""Shared by the parity tests: random problems, random weights, names mapped to names."""

from dataclasses import dataclass

import torch
from hypothesis import settings
from hypothesis import strategies as st

# What may differ on the logits: the order of additions, and nothing else.
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}

few = settings(max_examples=settings().max_examples // 4)  # each builds two models


@dataclass(frozen=True)
class Problem:
    """Sizes of a model and of its input, a dtype, and a source of randomness."""

    heads: int
    d_k: int
    d_ff: int
    layers: int
    vocabulary: int
    dtype: torch.dtype
    padding: str
    batch: int
    length: int
    source_length: int
    seed: int

    def __post_init__(self):
        object.__setattr__(self, "generator", torch.Generator().manual_seed(self.seed))

    @property
    def d_model(self):
        return self.heads * self.d_k

    def ids(self, length):
        return torch.randint(self.vocabulary, (self.batch, length), generator=self.generator)

    def real(self, length):
        lengths = torch.randint(1, length + 1, (self.batch, 1), generator=self.generator)
        if self.padding == "none":
            lengths = torch.full_like(lengths, length)
        right = torch.arange(length) < lengths
        return right.flip(-1) if self.padding == "left" else right

    def vectors(self, length):
        x = torch.randn(self.batch, length, self.d_model, generator=self.generator)
        return x.to(self.dtype)

    def random_weights(self, model):
        """Give what is learned a size that shows: γ around 1, no β or bias left at 0."""
        with torch.no_grad():
            for name, p in model.named_parameters():
                if not p.requires_grad:
                    continue
                noise = 0.25 * torch.randn(p.shape, generator=self.generator)
                is_gamma = p.dim() == 1 and name.endswith("weight")
                p.copy_(1 + noise if is_gamma else noise)
        return model.to(self.dtype).eval()


def problems(paddings=("none", "right", "left")):
    return st.builds(
        Problem,
        heads=st.integers(1, 4),
        d_k=st.sampled_from([4, 6, 8]),
        d_ff=st.integers(1, 24),
        layers=st.integers(1, 3),
        vocabulary=st.integers(3, 30),
        dtype=st.sampled_from(list(TOLERANCE)),
        padding=st.sampled_from(paddings),
        batch=st.integers(1, 3),
        length=st.integers(1, 12),
        source_length=st.integers(1, 12),
        seed=st.integers(0, 2**16),
    )


def rename(weights, table):
    """Replace pieces of names, in order.

    Loading is strict: a name without a counterpart, on either side, is an error.
    """
    renamed = {}
    for name, tensor in weights.items():
        for theirs, ours in table.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


def assert_same(ours, theirs, dtype):
    assert ours.shape == theirs.shape
    assert ours.dtype == dtype
    assert (ours - theirs).abs().max() <= TOLERANCE[dtype]

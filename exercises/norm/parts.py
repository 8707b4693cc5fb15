"""What several exercises on norms share."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

GENERAL = "It works with any axes before the last (batch, tokens), and keeps the dtype."
Pair = tuple[Tensor, Tensor]


def layer_general(draw: Draw) -> list[Inputs]:
    """Return batches, batches of batches, one vector, float64 and half precision."""
    tokens = (*token_vectors(draw, (2, 3, 4), (3, 2, 2, 5), (5,)), double_precision(draw))
    drawn = [(x, *gamma_and_beta(draw, x), 1e-5) for x in tokens]
    return [Inputs(case) for case in (*drawn, (*half_precision(draw), 1e-5))]


def wiring_values(draw: Draw) -> list[Inputs]:
    """Return tokens, a sublayer's matrix, γ and β, and an ε that is tiny or matters."""
    cases = zip(token_vectors(draw, (2, 3), (3, 4), (4, 5)), (1e-5, 0.25, 0.5), strict=True)
    return [wired(draw, x, eps) for x, eps in cases]


def wiring_silent(draw: Draw) -> list[Inputs]:
    """Return a sublayer that adds nothing to the first features, but to the last two."""
    cases = []
    for x in token_vectors(draw, (2, 3), (3, 4), (4, 3)):
        d, loud = x.size(-1), draw.normal(x.size(-1), 1)
        weight = torch.cat([torch.zeros(d, d - 2), loud, -loud], dim=-1)
        cases.append(Inputs((x, weight, *gamma_and_beta(draw, x), 1e-5)))
    return cases


def wiring_general(draw: Draw) -> list[Inputs]:
    """Return batches, float64, and half precision with a sublayer that adds nothing."""
    tokens = (*token_vectors(draw, (2, 3, 4), (3, 2, 2, 3)), double_precision(draw))
    half, *scale = half_precision(draw)
    silent = Inputs((half, half.new_zeros(4, 4), *scale, 1e-5))
    return [*(wired(draw, x) for x in tokens), silent]


def wiring_probes(draw: Draw) -> list[Inputs]:
    """Return as many tokens as features and sentences, and an ε that matters."""
    vectors = token_vectors(draw, (3, 3), (3, 3, 3), (4, 4, 4), (2, 3, 4))
    return [wired(draw, x, 0.25) for x in vectors]


def token_vectors(draw: Draw, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Draw vectors around 1, each with its own spread."""
    return [draw.normal(*shape) * (1 + draw.ids(*shape[:-1], 1, high=3)) + 1 for shape in shapes]


def far_vectors(draw: Draw, *counts: int) -> list[Tensor]:
    """Draw vectors of four features around 130, in 64ths.

    In float32 their means are exact and their squares aren't, so a variance computed as a
    difference of squares shows, while scaling or shifting all features doesn't.
    """
    return [(draw.normal(count, 4) * 64).round() / 64 + 130 for count in counts]


def double_precision(draw: Draw) -> Tensor:
    """Draw vectors in float64."""
    return draw.normal(3, 4, dtype=torch.float64) * 2 + 1


def half_precision(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Draw vectors and γ in half precision; mean and β are 0, as their rounding would show."""
    x = draw.normal(3, 2, dtype=torch.float16)
    return (
        torch.cat([x, -x], dim=-1),
        draw.normal(4, dtype=torch.float16),
        torch.zeros(4, dtype=torch.float16),
    )


def zeros_and_ones(draw: Draw, *shapes: tuple[int, ...]) -> Inputs:
    """Draw zeros and ones in half precision, whose products and sums it holds exactly."""
    return Inputs(tuple(draw.ids(*shape, high=2).to(torch.float16) for shape in shapes))


def gamma_and_beta(draw: Draw, x: Tensor) -> tuple[Tensor, Tensor]:
    """Draw γ and β for the features of x."""
    d = x.size(-1)
    return draw.normal(d, dtype=x.dtype) + 0.55, draw.normal(d, dtype=x.dtype) - 0.35


def wired(draw: Draw, x: Tensor, eps: float = 1e-5) -> Inputs:
    """Add a sublayer's matrix and a norm's parameters."""
    d = x.size(-1)
    return Inputs((x, draw.normal(d, d, dtype=x.dtype), *gamma_and_beta(draw, x), eps))


def divisor(square: Tensor, eps: float) -> Tensor:
    """Return the root of a variance or a mean square plus ε."""
    return (square + eps).sqrt()

"""What the exercises on norms are applied to: the small and the telling.

Means are not 0, γ and β are anything, ε is large enough to see where it stands; lengths and widths
differ, but for the probes, where a lost axis would pass without an error.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F16, F64 = torch.float16, torch.float64


def mean_values(draw: Draw) -> list[Inputs]:
    """Give (1, 2, 3) to do by hand, then tokens whose mean is not 0, or is large."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    tokens = _tokens(draw, (2, 4), (3, 5), (4, 2))
    far = [x + 1000 for x in _tokens(draw, (3, 4), (4, 5), (5, 6))]
    return [Inputs((x,)) for x in (by_hand, *tokens, *far)]


def mean_general(draw: Draw) -> list[Inputs]:
    """Give one vector, batches, float64 and half precision."""
    tokens = (draw.normal(5) + 1, *_tokens(draw, (2, 3, 4), (3, 2, 2, 5)))
    return [Inputs((x,)) for x in (*tokens, _double(draw), _half(draw)[0])]


def no_probes(draw: Draw) -> list[Inputs]:
    """Give nothing more."""
    return []


def layer_values(draw: Draw) -> list[Inputs]:
    """Give (1, 2, 3) with γ = 1 and β = 0, then any γ and β."""
    by_hand = (torch.tensor([[1.0, 2.0, 3.0]]), torch.ones(3), torch.zeros(3), 1e-5)
    drawn = [(x, *_scale(draw, x), 1e-5) for x in _tokens(draw, (2, 4), (3, 5), (4, 3))]
    return [Inputs(case) for case in (by_hand, *drawn)]


def layer_eps(draw: Draw) -> list[Inputs]:
    """Give vectors of equal numbers, small ones, and an ε that weighs as much as the variance."""
    equal = torch.tensor([[7.0, 7.0, 7.0, 7.0], [1.0, 2.0, 3.0, 4.0]])
    small, large_eps, other = _tokens(draw, (3, 4), (2, 5), (4, 3))
    cases = ((equal, 1e-5), (small * 1e-3, 1e-5), (large_eps, 0.5), (other, 0.25))
    return [Inputs((x, *_scale(draw, x), eps)) for x, eps in cases]


def layer_general(draw: Draw) -> list[Inputs]:
    """Give batches, batches of batches, float64 and half precision."""
    tokens = (*_tokens(draw, (2, 3, 4), (3, 2, 2, 5)), _double(draw))
    drawn = [(x, *_scale(draw, x), 1e-5) for x in tokens]
    return [Inputs(case) for case in (*drawn, (*_half(draw), 1e-5))]


def layer_probes(draw: Draw) -> list[Inputs]:
    """Give as many tokens as features."""
    tokens = _tokens(draw, (3, 3), (4, 4), (5, 5), (3, 3, 3))
    return [Inputs((x, *_scale(draw, x), 1e-5)) for x in tokens]


def rms_values(draw: Draw) -> list[Inputs]:
    """Give (1, 2, 2), whose mean square is 3, then any γ."""
    by_hand = (torch.tensor([[1.0, 2.0, 2.0]]), torch.ones(3), 1e-6)
    drawn = [(x, _scale(draw, x)[0], 1e-6) for x in _tokens(draw, (2, 4), (3, 5), (4, 3))]
    return [Inputs(case) for case in (by_hand, *drawn)]


def rms_eps(draw: Draw) -> list[Inputs]:
    """Give zeros, small vectors, and an ε that weighs as much as the mean square."""
    zeros = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    small, large_eps, other = _tokens(draw, (3, 4), (2, 5), (4, 3))
    cases = ((zeros, 1e-6), (small * 1e-3, 1e-6), (large_eps, 0.5), (other, 2.0))
    return [Inputs((x, _scale(draw, x)[0], eps)) for x, eps in cases]


def rms_general(draw: Draw) -> list[Inputs]:
    """Give batches, batches of batches, float64 and half precision."""
    return [Inputs((x, gamma, eps)) for (x, gamma, _, eps), _ in layer_general(draw)]


def mend_values(draw: Draw) -> list[Inputs]:
    """Give few features, where a wrong variance shows most, and several ε."""
    by_hand = (torch.tensor([[1.0, 2.0, 3.0]]), 1e-5)
    tokens = _tokens(draw, (2, 4), (3, 2), (4, 5), (2, 3, 4))
    return [Inputs(by_hand), *map(Inputs, zip(tokens, (0.1, 0.5, 0.25, 1e-5), strict=True))]


def wiring_values(draw: Draw) -> list[Inputs]:
    """Give tokens, a sublayer's matrix, γ and β."""
    return [_wired(draw, x) for x in _tokens(draw, (2, 3), (3, 4), (4, 5))]


def wiring_silent(draw: Draw) -> list[Inputs]:
    """Give a sublayer that has nothing to say."""
    tokens = _tokens(draw, (2, 3), (3, 4), (4, 2))
    return [
        Inputs((x, torch.zeros(x.size(-1), x.size(-1)), *_scale(draw, x), 1e-5)) for x in tokens
    ]


def wiring_general(draw: Draw) -> list[Inputs]:
    """Give batches, float64, and half precision with a sublayer that has nothing to say."""
    tokens = (*_tokens(draw, (2, 3, 4), (3, 2, 2, 3)), _double(draw))
    half, *scale = _half(draw)
    silent = Inputs((half, half.new_zeros(4, 4), *scale, 1e-5))
    return [*(_wired(draw, x) for x in tokens), silent]


def whole_values(draw: Draw) -> list[Inputs]:
    """Give two sublayers, each with its norm."""
    cases = []
    for x in _tokens(draw, (2, 3), (3, 4), (4, 5), (2, 3, 4)):
        d = x.size(-1)
        matrices = draw.normal(d, d), draw.normal(d, d)
        cases.append(Inputs((x, *matrices, draw.normal(2, d) + 1, draw.normal(2, d), 1e-5)))
    return cases


def network_values(draw: Draw) -> list[Inputs]:
    """Give one vector to do by hand, then widths that all differ."""
    x, b2 = torch.tensor([[1.0, 2.0]]), torch.tensor([10.0, 20.0])
    w1, b1 = torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]), torch.tensor([0.0, -3.0, 4.0])
    w2 = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    drawn = [_network(draw, *size) for size in ((2, 3, 5), (3, 4, 7), (4, 2, 6))]
    return [Inputs((x, w1, b1, w2, b2)), *drawn]


def network_general(draw: Draw) -> list[Inputs]:
    """Give batches, float64 and half precision."""
    return [
        _network(draw, 3, 4, 5, 2),
        _network(draw, 3, 2, 4, 2, 3),
        _network(draw, 2, 3, 4, dtype=F64),
        _whole(draw, (2, 3), (3, 4), (4,), (4, 3), (3,)),
    ]


def swiglu_values(draw: Draw) -> list[Inputs]:
    """Give widths that all differ."""
    return [_gated(draw, *size) for size in ((2, 2, 3), (3, 4, 7), (4, 3, 5), (2, 5, 4))]


def swiglu_general(draw: Draw) -> list[Inputs]:
    """Give batches, float64 and half precision."""
    return [
        _gated(draw, 3, 4, 5, 2),
        _gated(draw, 3, 2, 4, 2, 3),
        _gated(draw, 2, 3, 4, dtype=F64),
        _whole(draw, (2, 3), (3, 4), (3, 4), (4, 3)),
    ]


def count_values(draw: Draw) -> list[Inputs]:
    """Give a layer to count by hand, the paper's, and others."""
    d_ff = draw.ids(1, low=50, high=100).item()
    return [Inputs(case) for case in ((2, 2, 3), (512, 8, 2048), (12, 3, d_ff), (64, 4, 170))]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give sizes that all differ, and any others."""
    sizes = ((2, 3, 4, 16), (5, 7, 6, 9), (3, 2, 512, 2048))
    return [*map(Inputs, sizes), Inputs(tuple(draw.ids(4, low=2, high=100).tolist()))]


def _tokens(draw: Draw, *shapes: tuple[int, ...]) -> list[Tensor]:
    """Draw vectors that spread around 1, each by its own measure."""
    return [draw.normal(*shape) * (1 + draw.ids(*shape[:-1], 1, high=3)) + 1 for shape in shapes]


def _double(draw: Draw) -> Tensor:
    """Draw vectors in float64."""
    return draw.normal(3, 4, dtype=F64) * 2 + 1


def _half(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Draw vectors and γ in half precision; mean and β are 0, or their rounding would show."""
    x = draw.normal(3, 2, dtype=F16)
    return torch.cat([x, -x], dim=-1), draw.normal(4, dtype=F16), torch.zeros(4, dtype=F16)


def _whole(draw: Draw, *shapes: tuple[int, ...]) -> Inputs:
    """Draw zeros and ones in half precision, whose products and sums it holds exactly."""
    return Inputs(tuple(draw.ids(*shape, high=2).to(F16) for shape in shapes))


def _scale(draw: Draw, x: Tensor) -> tuple[Tensor, Tensor]:
    """Draw γ and β for the features of x."""
    d = x.size(-1)
    return draw.normal(d, dtype=x.dtype) + 0.55, draw.normal(d, dtype=x.dtype) - 0.35


def _wired(draw: Draw, x: Tensor) -> Inputs:
    """Add a sublayer's matrix and a norm's parameters."""
    d = x.size(-1)
    return Inputs((x, draw.normal(d, d, dtype=x.dtype), *_scale(draw, x), 1e-5))


def _network(
    draw: Draw, t: int, d: int, f: int, *lead: int, dtype: torch.dtype = torch.float32
) -> Inputs:
    """Draw tokens and two layers."""
    shapes = ((*lead, t, d), (d, f), (f,), (f, d), (d,))
    return Inputs(tuple(draw.normal(*shape, dtype=dtype) for shape in shapes))


def _gated(
    draw: Draw, t: int, d: int, f: int, *lead: int, dtype: torch.dtype = torch.float32
) -> Inputs:
    """Draw tokens and three matrices."""
    shapes = ((*lead, t, d), (d, f), (d, f), (f, d))
    return Inputs(tuple(draw.normal(*shape, dtype=dtype) for shape in shapes))

"""The feed-forward network: what each token computes on its own, after attention has mixed them.

The same network serves every position: an up-projection, a non-linearity, a down-projection.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class FeedForward(nn.Module):
    """Two linear layers with a non-linearity between them: W2 · act(W1 · x).

    ReLU is the paper's; BERT takes `F.gelu`, GPT-2 its tanh approximation,
    `partial(F.gelu, approximate="tanh")`.

    Source: Vaswani et al. 2017, section 3.3 (d_ff = 2048 for d_model = 512: four times).
    """

    def __init__(
        self,
        *,
        d_model: int,
        d_ff: int | None = None,
        activation: Callable[[Tensor], Tensor] = F.relu,
        bias: bool = True,
    ):
        """Create a network that is d_ff wide inside; four times d_model by default."""
        super().__init__()
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = activation

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Transform each vector of x."""
        return self.down(self.activation(self.up(x)))


class SwiGLU(nn.Module):
    """Three linear layers: up- and gate-projection are multiplied, the third projects down.

    With three matrices instead of two, d_ff = 8/3 d_model costs as much as the 4 d_model of
    `FeedForward`. Source: Shazeer 2020, equation 6; Llama.
    """

    def __init__(self, *, d_model: int, d_ff: int | None = None, bias: bool = False):
        """Create a network that is d_ff wide inside; 8/3 of d_model by default."""
        super().__init__()
        d_ff = 8 * d_model // 3 if d_ff is None else d_ff
        self.gate = nn.Linear(d_model, d_ff, bias=bias)
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Transform each vector of x."""
        return self.down(F.silu(self.gate(x)) * self.up(x))


class NoFeedForward(nn.Module):
    """Contribute nothing: for layers of attention only, in `PreNorm` wiring.

    Source: Elhage et al. 2021, who take such models apart.
    """

    def __init__(self, *, d_model: int, d_ff: int | None = None):
        """Accept the sizes that other networks need."""
        super().__init__()

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Return zeros."""
        return torch.zeros_like(x)

"""The feed-forward network: what each token does on its own, after attention has mixed them.

The same network serves every position: it widens the vector, bends it, and narrows it again.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer_lab._checks import check_floats, check_integers, check_read


class FeedForward(nn.Module):
    """Two linear layers with a bend between them: W2 · act(W1 · x).

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
        """Make a network that is d_ff wide inside; four times d_model unless told otherwise."""
        super().__init__()
        check_integers(d_model=d_model)
        d_ff = 4 * d_model if d_ff is None else d_ff
        check_integers(d_ff=d_ff)
        _check_activation(activation)
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = activation

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Transform each vector of x. Refuses another width (ValueError) or dtype (TypeError)."""
        check_read("this network", self.up, x=x)
        return self.down(self.activation(self.up(x)))


class SwiGLU(nn.Module):
    """Three linear layers: one opens a gate for what another lets through, the third narrows.

    With three matrices instead of two, d_ff = 8/3 d_model costs as much as the 4 d_model of
    `FeedForward`. Source: Shazeer 2020, equation 6; Llama.
    """

    def __init__(self, *, d_model: int, d_ff: int | None = None, bias: bool = False):
        """Make a network that is d_ff wide inside; 8/3 of d_model unless told otherwise."""
        super().__init__()
        check_integers(d_model=d_model)
        d_ff = 8 * d_model // 3 if d_ff is None else d_ff
        check_integers(d_ff=d_ff)
        self.gate = nn.Linear(d_model, d_ff, bias=bias)
        self.up = nn.Linear(d_model, d_ff, bias=bias)
        self.down = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Transform each vector of x. Refuses another width (ValueError) or dtype (TypeError)."""
        check_read("this network", self.up, x=x)
        return self.down(F.silu(self.gate(x)) * self.up(x))


class NoFeedForward(nn.Module):
    """Contribute nothing: for layers that shall be attention only, in `PreNorm` wiring.

    Source: Elhage et al. 2021, which take such models apart.
    """

    def __init__(self, *, d_model: int, d_ff: int | None = None):
        """Take the sizes that the others take, and need them not."""
        super().__init__()

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Return zeros. Refuses, with TypeError, what are no floats."""
        check_floats(x=x)
        return torch.zeros_like(x)


def _check_activation(activation: object) -> None:
    """Refuse a class of a module, such as nn.GELU, and what cannot be called."""
    if isinstance(activation, type) or not callable(activation):
        raise TypeError(
            f"activation must be a function of a tensor, such as F.gelu, or a made module, such as "
            f"nn.GELU(), but is {activation!r}."
        )

"""What several exercises on the whole model have in common: how a module is tried."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

from ..ready_made import ATTENTION

READY_MADE = ATTENTION | {
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
}
SHAPES = "number of its parameters of each shape"


def one_step(answer: type, x: torch.Tensor, weights: list, sizes: tuple) -> tuple:
    """Return the parameters' shapes of a module with these weights, and its output twice.

    Between the two it takes a step of gradient descent, so short that rounding does not grow. Each
    parameter takes the first weight of its shape that is left.
    """
    model = answer(*sizes).to(weights[0].dtype)
    shapes = [" × ".join(map(str, p.shape)) for p in model.parameters()]
    wanted = [" × ".join(map(str, w.shape)) for w in weights]
    counts = {shape: shapes.count(shape) for shape in sorted(shapes)}
    if sorted(shapes) != sorted(wanted):
        return counts, None, None
    left = list(weights)
    for parameter in model.parameters():
        place = next(n for n, weight in enumerate(left) if weight.shape == parameter.shape)
        parameter.data.copy_(left.pop(place))
    model(x[:, :2])  # a mask that is kept does not fit the next text
    before = model(x)
    if not isinstance(before, torch.Tensor) or not before.requires_grad:
        return counts, before, None
    direction = torch.arange(before.numel()).cos().to(before.dtype)
    (before.flatten() * direction).sum().backward()
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.data -= 0.03 * parameter.grad / (1 + parameter.grad.norm())
    return counts, before, model(x)


def attention_weights(draw: Draw, width: int, kept: int | None = None) -> list[Tensor]:
    """Draw the matrices of queries, keys, values and the output; `kept` is the keys' width."""
    rows = (width, kept or width, kept or width, width)
    return [draw.normal(count, width) / width**0.5 for count in rows]


def feed_forward_weights(draw: Draw, width: int, hidden: int) -> list[Tensor]:
    """Draw the matrices up, gate and down."""
    up, gate, down = draw.normal(3, hidden, width) / width**0.5
    return [up, gate, down.T.contiguous()]


def block_weights(
    draw: Draw, width: int, kept: int | None = None, hidden: int | None = None
) -> list[Tensor]:
    """Draw the weights of a block: its norms, attention and feed-forward network."""
    norms = [draw.normal(width) / 4 + 1 for _ in range(2)]
    network = feed_forward_weights(draw, width, hidden or 4 * width // 3)
    return [*norms, *attention_weights(draw, width, kept), *network]


def attention_inputs(draw: Draw, *shape: int, heads: int) -> Inputs:
    """Draw texts, and the weights of an attention of so many heads."""
    return Inputs((draw.normal(*shape), attention_weights(draw, shape[-1]), (shape[-1], heads)))

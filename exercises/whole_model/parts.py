"""What several exercises on the whole model have in common: how a module is tried."""

from collections import Counter
from collections.abc import Iterable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Explained, Inputs

from ..ready_made import ATTENTION

READY_MADE = ATTENTION | {
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
}
SHAPES = "number of its parameters of each shape"
LISTED = 6


def one_step(answer: type, x: torch.Tensor, weights: list, made_with: tuple) -> tuple:
    """Return a module's parameters, by name and shape, and its output with these weights, twice.

    Between the two, weights and x take a step of gradient descent, so short that rounding does not
    grow. Each parameter takes the first weight of its shape that is left. The second time it is in
    evaluation mode.
    """
    model = answer(*made_with).to(weights[0].dtype)
    named = [[name, list(parameter.shape)] for name, parameter in model.named_parameters()]
    if sorted(shape for _, shape in named) != sorted(list(weight.shape) for weight in weights):
        return named, None, None
    left = list(weights)
    for parameter in model.parameters():
        place = next(n for n, weight in enumerate(left) if weight.shape == parameter.shape)
        parameter.data.copy_(left.pop(place))
    x = x.clone().requires_grad_() if x.is_floating_point() else x
    model(x[:, :2])  # a mask that is kept does not fit the next text
    before = model(x)
    if not isinstance(before, torch.Tensor) or not before.requires_grad:
        return named, before, None
    direction = torch.arange(before.numel()).cos().to(before.dtype)
    (before.flatten() * direction).sum().backward()
    for tensor in (*model.parameters(), x):
        if tensor.grad is not None:
            tensor.data -= 0.03 * tensor.grad / (1 + tensor.grad.norm())
    return named, before, model.eval()(x)


def fitting(found: tuple, x: Tensor, weights: list[Tensor], made_with: tuple) -> Explained:
    """Count the parameters of each shape, and say which do not fit."""
    named, *outputs = found
    counts, words = fit(named, weights)
    return Explained((counts, *outputs), words)


def fit(named: list, weights: list[Tensor]) -> tuple[dict[str, int], str]:
    """Return how many parameters there are of each shape, and what is wrong with them, or ""."""
    wanted, held = Counter(_spelt(weight.shape) for weight in weights), dict[str, list[str]]()
    for name, shape in named:
        # A name is the learner's own text.
        held.setdefault(_spelt(shape), []).append(name if name.isprintable() else repr(name))
    counts = {shape: len(names) for shape, names in sorted(held.items())}
    wrong = [s for s in sorted({*wanted, *held}) if counts.get(s, 0) != wanted[s]]
    told = [
        f"of shape {shape} there should be {wanted[shape]}, but there "
        f"{'is' if counts.get(shape, 0) == 1 else 'are'} {_listed(held.get(shape, []))}"
        for shape in wrong
    ]
    words = f"Its parameters do not fit: {'; '.join(told)}." if told else ""
    if any(name.endswith("bias") for shape in wrong for name in held.get(shape, ())):
        words += " `nn.Linear` has a bias unless you say `bias=False`."
    elif told and all(counts.get(shape, 0) < wanted[shape] for shape in wrong):
        words += (
            " A module finds its attributes and what is in an `nn.ModuleList`, but nothing in a "
            "plain list. What is used twice has one set of weights."
        )
    elif told:
        words += " Make each of the layers that are asked for by itself, in the sizes given."
    return counts, words


def _spelt(shape: Iterable[int]) -> str:
    return " × ".join(map(str, shape))


def _listed(names: list[str]) -> str:
    """Return the number of some names, and the first of them."""
    first = ", ".join(names[:LISTED]) + ", …" * (len(names) > LISTED)
    return f"{len(names)} ({first})" if names else "none"


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

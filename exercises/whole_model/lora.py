"""LoRA: a frozen linear layer, and a small correction that is trained."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Explained, Inputs

from .parts import fit


class LoRA(nn.Module):
    """A frozen linear layer, plus a correction of low rank."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        layer.requires_grad_(False)
        self.layer = layer
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x))


def tuned(
    answer: type, x: torch.Tensor, layer: torch.Tensor, weights: list, rank: int
) -> tuple[object, ...]:
    """Wrap a layer; return what is trained, and what it gives at first, then, and after a step.

    Then what is trained has these weights. x takes the step too: other layers may stand before
    it. Last comes the layer's own matrix.
    """
    inside = nn.Linear(layer.size(1), layer.size(0)).to(layer.dtype)
    inside.weight.data.copy_(layer)
    inside.bias.data.zero_()
    model = answer(inside, rank).to(layer.dtype)
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    trained = [parameter for _, parameter in named]
    begun = [[name, parameter.detach().clone()] for name, parameter in named]
    x = x.clone().requires_grad_()
    first = model(x).detach()
    if sorted(list(p.shape) for p in trained) != sorted(list(w.shape) for w in weights):
        return begun, first, None, None, inside.weight.detach()
    left = list(weights)
    for parameter in trained:
        place = next(n for n, weight in enumerate(left) if weight.shape == parameter.shape)
        parameter.data.copy_(left.pop(place))
    before = model(x)
    if not before.requires_grad:
        return begun, first, before, None, inside.weight.detach()
    before.square().sum().backward()
    for tensor in (*trained, x):
        if tensor.grad is not None:
            tensor.data -= tensor.grad / (1 + tensor.grad.norm())
    return begun, first, before.detach(), model(x).detach(), inside.weight.detach()


def compared(found: tuple, x: Tensor, layer: Tensor, weights: list[Tensor], rank: int) -> Explained:
    """Return what is compared: of what chance has drawn, only what is asked of it."""
    begun, first, *others = found
    if not isinstance(first, Tensor):
        raise ValueError("It should return a tensor.")
    alone = x @ layer.mT
    same = first.shape == alone.shape and torch.allclose(first.to(x.dtype), alone, atol=1e-5)
    counts, words = fit([(name, weight.shape) for name, weight in begun], weights)
    is_first = {tuple(weight.shape): bool(weight.any()) for _, weight in begun}
    down, up = (is_first.get(tuple(weight.shape)) for weight in weights)
    return Explained((counts, (down, up) == (True, False), same, *others), words)


EXERCISE = Exercise(
    __name__,
    LoRA,
    results={
        "number of what is trained, of each shape": "",
        "claim that the first of them is not zero, and the second is": "",
        "equality with the layer's output at first": "",
        "output": "texts, tokens, features",
        "output after a step": "texts, tokens, features",
        "the layer's own weight": "outputs, inputs",
    },
    section="book/after_pretraining#Fine-tuning",
    driver=tuned,
    effect=compared,
    seconds=10.0,
)


@EXERCISE.requires(
    "At first it gives the layer's output; only the two small matrices train, and add to it.",
    points=4,
)
def values(draw: Draw) -> list[Inputs]:
    """Return layers of several widths, and ranks."""
    cases = ((1, 3, 4, 5, 1), (2, 3, 6, 4, 2), (2, 2, 5, 7, 3), (1, 4, 8, 6, 2))
    return [_inputs(draw, *case) for case in cases]


def _inputs(draw: Draw, texts: int, tokens: int, inputs: int, outputs: int, rank: int) -> Inputs:
    """Draw what a layer reads, its matrix, and two small ones."""
    layer = draw.normal(outputs, inputs) / inputs**0.5
    weights = [draw.normal(rank, inputs) / inputs**0.5, draw.normal(outputs, rank)]
    return Inputs((draw.normal(texts, tokens, inputs), layer, weights, rank))


#: How the second matrix begins.
BEGUN = "nn.init.zeros_(self.up.weight)"

EXERCISE.edit(
    "the layer itself is trained, too",
    {"layer.requires_grad_(False)": ""},
    {"layer.requires_grad_": "layer.weight.requires_grad_"},
    why="It is frozen.\nrequires_grad_(False) on each of its parameters, its bias too. Only the "
    "two small matrices are left to be trained.",
)
EXERCISE.edit(
    "the correction is not zero at the start",
    {BEGUN: ""},
    why="Tuning begins from the unchanged model.\nSet the second matrix to zeros.",
)
EXERCISE.edit(
    "the first matrix begins at zero",
    {BEGUN: f"{BEGUN}\n        nn.init.zeros_(self.down.weight)"},
    {"self.up.weight": "self.down.weight"},
    why="*up* begins at zero, and *down* does not. The gradient of each is a product with the "
    "other: if both are zero, neither ever moves.",
)
EXERCISE.edit(
    "the layer's own output is missing",
    {"self.layer(x) + ": ""},
    why="The correction is added to the layer's output.\nlayer(x) + up(down(x)).",
)
EXERCISE.edit(
    "the correction is never added",
    {" + self.up(self.down(x))": ""},
    why="It returns what the frozen layer returns, and nothing can be trained.\nAdd up(down(x)).",
)

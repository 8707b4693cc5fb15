"""LoRA: a frozen linear layer, and a small correction that is trained."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs


class LoRA(nn.Module):
    """A frozen linear layer, plus a correction of low rank."""

    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__()
        self.layer = layer
        self.freeze()
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        self.begin()

    def freeze(self) -> None:
        for parameter in self.layer.parameters():
            parameter.requires_grad_(False)

    def begin(self) -> None:
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x))


def tuned(
    answer: type, x: torch.Tensor, layer: torch.Tensor, weights: list, rank: int
) -> tuple[object, ...]:
    """Wrap a layer; return what is trained, and what it gives at first, then, and after a step.

    Then what is trained has these weights. Last comes the layer's own matrix.
    """
    inside = nn.Linear(layer.size(1), layer.size(0)).to(layer.dtype)
    inside.weight.data.copy_(layer)
    inside.bias.data.zero_()
    model = answer(inside, rank).to(layer.dtype)
    trained = [p for p in model.parameters() if p.requires_grad]
    begun = [parameter.detach().clone() for parameter in trained]
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
    for parameter in trained:
        if parameter.grad is not None:
            parameter.data -= parameter.grad / (1 + parameter.grad.norm())
    return begun, first, before.detach(), model(x).detach(), inside.weight.detach()


def compared(found: tuple, x: Tensor, layer: Tensor, weights: list[Tensor], rank: int) -> tuple:
    """Return what is compared: of what chance has drawn, only what is asked of it."""
    begun, first, *others = found
    if not all(isinstance(one, Tensor) for one in (first, *begun)):
        raise ValueError("It should return a tensor.")
    alone = x @ layer.mT
    same = first.shape == alone.shape and torch.allclose(first.to(x.dtype), alone, atol=1e-5)
    shapes = sorted(list(weight.shape) for weight in begun)
    is_first = {tuple(weight.shape): bool(weight.any()) for weight in begun}
    down, up = (is_first.get(tuple(weight.shape)) for weight in weights)
    return shapes, (down, up) == (True, False), same, *others


EXERCISE = Exercise(
    __name__,
    LoRA,
    results={
        "shapes of what is trained": "",
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
    "At first it gives what the layer gives; only the two small matrices are trained, and what "
    "they make of x is added.",
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


@EXERCISE.mistake(
    "the layer itself is trained, too",
    why="It is frozen: requires_grad_(False) on each of its parameters. Only the two small "
    "matrices are left to be trained.",
)
class NotFrozen(LoRA):
    def freeze(self) -> None:
        pass


@EXERCISE.mistake(
    "the correction is not zero at the start",
    why="Tuning begins from the unchanged model: set the second matrix to zeros.",
)
class NotZero(LoRA):
    def begin(self) -> None:
        pass


@EXERCISE.mistake(
    "both matrices begin at zero",
    why="The gradient of each is a product with the other, so neither would ever move. Only "
    "the second is zero.",
)
class BothZero(LoRA):
    def begin(self) -> None:
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.down.weight)


@EXERCISE.mistake(
    "the layer's own output is missing",
    why="The correction is added to the layer's output: layer(x) + up(down(x)).",
)
class NothingAdded(LoRA):
    def forward(self, x: Tensor) -> Tensor:
        return self.up(self.down(x))


@EXERCISE.mistake(
    "the correction is never added",
    why="It returns what the frozen layer returns, and nothing can be trained. Add up(down(x)).",
)
class LayerOnly(LoRA):
    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@EXERCISE.mistake(
    "there is a nonlinearity between the two matrices",
    why="The correction is a matrix of low rank, up times down, and so can be added into the "
    "layer's own when training is over. There is no activation between them.",
)
class Bent(LoRA):
    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x).relu())


@EXERCISE.mistake(
    "the correction reads the layer's output",
    why="Both read the same x: the correction stands beside the layer, not behind it.",
)
class Behind(LoRA):
    def __init__(self, layer: nn.Linear, rank: int) -> None:
        super().__init__(layer, rank)
        self.down = nn.Linear(layer.out_features, rank, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        found = self.layer(x)
        return found + self.up(self.down(found))

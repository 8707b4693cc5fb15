"""train: one step of the optimizer for each batch."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .loss import loss

Optimizer = torch.optim.Optimizer


Losses = tuple[list[float], list[float]]


def train(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    """Run one step of the optimizer for each batch, then measure the loss on held-out texts."""
    model.train()
    losses = [step(model, ids, optimizer) for ids in batches]
    return losses, measured(model, held_out)


def measured(model: nn.Module, held_out: list) -> list[float]:
    """Return the loss on each text, in evaluation mode and without learning from it."""
    model.eval()
    with torch.no_grad():
        return [loss(model, ids).item() for ids in held_out]


def step(model: nn.Module, ids: Tensor, optimizer: Optimizer) -> float:
    """Run one step, and return the loss before it."""
    value = loss(model, ids)
    optimizer.zero_grad()
    value.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return value.item()


def of_two_tables(
    answer: type, tables: torch.Tensor, batches: list, rate: float, held_out: list
) -> tuple[object, ...]:
    """Train a small model, and return its losses, those on held-out texts, and its weights.

    It begins in the mode of evaluation, and in that of training it does something else.
    """

    def numbers(values: object) -> object:
        if isinstance(values, list | tuple):
            return torch.tensor([float(value) for value in values]).to(tables.dtype)
        return values

    class Descent:
        """An optimizer with momentum, such as those of torch.optim, which take seconds to load."""

        def __init__(self, parameters: list) -> None:
            self.parameters = parameters
            self.speed = [torch.zeros_like(parameter) for parameter in parameters]

        def zero_grad(self, set_to_none: bool = True) -> None:
            for parameter in self.parameters:
                parameter.grad = None

        def step(self) -> None:
            for parameter, speed in zip(self.parameters, self.speed, strict=True):
                if parameter.grad is not None:
                    speed.mul_(0.5).add_(parameter.grad)
                    parameter.data -= rate * speed

    class Tables(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one, self.other = (nn.Parameter(table.clone()) for table in tables)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            position = torch.arange(ids.size(1)).to(tables.dtype)
            said = self.one[ids] * (1 + position[:, None]) + 3 * self.other[ids].sin()
            return said * (2 if self.training else 0.5)

    answer(Tables(), batches[:1], Descent([]), [])  # it may be called more than once
    model = Tables().eval()
    found = answer(model, batches, Descent(list(model.parameters())), held_out)
    pair = isinstance(found, list | tuple) and len(found) == 2
    losses, others = found if pair else (found, None)
    return numbers(losses), numbers(others), model.one.detach(), model.other.detach()


EXERCISE = Exercise(
    __name__,
    train,
    results={
        "losses": "",
        "losses on held-out texts": "",
        "first weights afterwards": "vocabulary, vocabulary",
        "second weights afterwards": "vocabulary, vocabulary",
    },
    section="book/whole_model#The training",
    driver=of_two_tables,
    seconds=10.0,
)


@EXERCISE.requires(
    "For each batch: loss, gradients that begin at zero, clipped to a length of 1, and one step.",
    points=4,
)
def values(draw: Draw) -> list[Inputs]:
    """Return one batch, several, of other shapes, and rates large and small."""
    return [
        _inputs(draw, 1, 4, 0.25),
        _inputs(draw, 2, 3, 1.0),
        _inputs(draw, 3, 4, 0.5),
        _inputs(draw, 5, 5, 0.125),
    ]


@EXERCISE.requires(
    "Held-out texts are measured at the end, in evaluation mode, and nothing is learned from them.",
    points=2,
)
def held_out(draw: Draw) -> list[Inputs]:
    """Return one held-out text, and several."""
    return [
        _inputs(draw, 1, 4, 0.25, texts=1),
        _inputs(draw, 2, 3, 0.5, texts=2),
        _inputs(draw, 4, 5, 0.25, texts=3),
    ]


@EXERCISE.requires("After many steps it has learned.", points=2)
def learns(draw: Draw) -> list[Inputs]:
    """Return one text, over and over until it is known by heart, and several."""
    ids = torch.tensor(draw.shuffled(range(5))).repeat(2, 1)
    by_heart = Inputs((draw.normal(2, 5, 5), [ids] * 25, 0.25, []))
    return [by_heart, _inputs(draw, 12, 4, 0.25)]


def _inputs(draw: Draw, batches: int, vocabulary: int, rate: float, texts: int = 0) -> Inputs:
    """Draw the tables of a model, batches of ids, and held-out texts."""
    drawn = [draw.ids(3, 3 + n % 2, high=vocabulary) for n in range(batches)]
    unseen = [draw.ids(1, 4 + n, high=vocabulary) for n in range(texts)]
    return Inputs((draw.normal(2, vocabulary, vocabulary), drawn, rate, unseen))


#: Lines that several mistakes leave out or move.
ZERO, STEP = "    optimizer.zero_grad()\n", "    optimizer.step()\n"
CLIP = "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"

EXERCISE.edit(
    "the gradients of all steps add up",
    {ZERO: ""},
    why="PyTorch adds each new gradient to the old one.\nCall optimizer.zero_grad() before each "
    "backward pass.",
    of=step,
)
EXERCISE.edit(
    "the gradients are not clipped when the step is taken",
    {CLIP: ""},
    why="One rare batch can throw the weights far away.\n"
    "nn.utils.clip_grad_norm_(model.parameters(), 1.0) shortens the gradient where it is longer "
    "than 1. Its place is between loss.backward() and optimizer.step().",
    of=step,
)
EXERCISE.edit(
    "each number of the gradient is clipped by itself",
    {"clip_grad_norm_": "clip_grad_value_"},
    why="That changes its direction. clip_grad_norm_ shortens the whole gradient and keeps its "
    "direction.",
    of=step,
)
EXERCISE.edit(
    "each parameter is clipped by itself",
    {CLIP: "    for one in model.parameters():\n        nn.utils.clip_grad_norm_([one], 1.0)\n"},
    why="That changes the direction of the whole step.\nGive clip_grad_norm_ all parameters at "
    "once.",
    of=step,
)
EXERCISE.edit(
    "the model is not in training mode",
    {"    model.train()\n": ""},
    why="A model may do something else in training, as dropout does. It is given in evaluation "
    "mode.\nCall model.train() first.",
)
EXERCISE.edit(
    "the step has no gradient, or is missing",
    {STEP: ""},
    why="The order is.\noptimizer.zero_grad(), the gradients by loss(...).backward(), clip, and "
    "then optimizer.step(), which changes the weights.",
    of=step,
)
EXERCISE.edit(
    "the step comes before its gradient",
    {STEP: "", ZERO: f"{STEP}{ZERO}"},
    why="First loss.backward(), then the step: otherwise each step uses the gradient of the batch "
    "before.",
    of=step,
)
EXERCISE.edit(
    "the losses are those after the steps",
    {"value.item()": "loss(model, ids).item()"},
    why="The loss of a batch is the one whose gradient is taken, before the step.",
    of=step,
)
EXERCISE.edit(
    "it learns from the held-out texts",
    {"measured(model, held_out)": "[step(model, ids, optimizer) for ids in held_out]"},
    why="They show how the model does on texts that it has not seen. If it trains on them, their "
    "loss falls and says nothing any more. Only measure.\nNo backward(), no step.",
)
EXERCISE.edit(
    "the held-out texts are measured in training mode",
    {"    model.eval()\n": ""},
    why="In training, dropout and the like make a model worse than it is.\nCall model.eval() after "
    "the last step.",
    of=measured,
)

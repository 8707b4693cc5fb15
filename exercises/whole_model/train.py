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
    optimizer.zero_grad()
    return stepped(model, ids, optimizer)


def stepped(model: nn.Module, ids: Tensor, optimizer: Optimizer) -> float:
    """Run one step with the gradients of a batch, added to those that exist."""
    value = loss(model, ids)
    value.backward()
    clip(model)
    optimizer.step()
    return value.item()


def clip(model: nn.Module) -> None:
    """Shorten the gradient of all parameters together to 1, if it is longer."""
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)


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
    """Return one text, over and over: at the end it is known by heart."""
    cases = []
    for steps in (20, 25):
        ids = torch.tensor(draw.shuffled(range(5))).repeat(2, 1)
        cases.append(Inputs((draw.normal(2, 5, 5), [ids] * steps, 0.25, [])))
    return [*cases, _inputs(draw, 12, 4, 0.25)]


def _inputs(draw: Draw, batches: int, vocabulary: int, rate: float, texts: int = 0) -> Inputs:
    """Draw the tables of a model, batches of ids, and held-out texts."""
    drawn = [draw.ids(3, 3 + n % 2, high=vocabulary) for n in range(batches)]
    unseen = [draw.ids(1, 4 + n, high=vocabulary) for n in range(texts)]
    return Inputs((draw.normal(2, vocabulary, vocabulary), drawn, rate, unseen))


@EXERCISE.mistake(
    "the gradients of all steps add up",
    why="PyTorch adds each new gradient to the old one. Call optimizer.zero_grad() before each "
    "backward pass.",
)
def adds_up(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    model.train()
    losses = [stepped(model, ids, optimizer) for ids in batches]
    return losses, measured(model, held_out)


@EXERCISE.mistake(
    "the gradients are not clipped when the step is taken",
    why="One rare batch can throw the weights far away. "
    "nn.utils.clip_grad_norm_(model.parameters(), 1.0) shortens the gradient where it is longer "
    "than 1. Its place is between loss.backward() and optimizer.step().",
    of=clip,
)
def not_clipped(model: nn.Module) -> None:
    pass


@EXERCISE.mistake(
    "each number of the gradient is clipped by itself",
    why="That changes its direction. clip_grad_norm_ shortens the whole gradient and keeps its "
    "direction.",
    of=clip,
)
def by_value(model: nn.Module) -> None:
    nn.utils.clip_grad_value_(model.parameters(), 1.0)


@EXERCISE.mistake(
    "each parameter is clipped by itself",
    why="That changes the direction of the whole step. Give clip_grad_norm_ all parameters at "
    "once.",
    of=clip,
)
def one_by_one(model: nn.Module) -> None:
    for parameter in model.parameters():
        nn.utils.clip_grad_norm_([parameter], 1.0)


@EXERCISE.mistake(
    "the model is not in training mode",
    why="A model may do something else in training, as dropout does. It is given in evaluation "
    "mode: call model.train() first.",
)
def not_training(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    losses = [step(model, ids, optimizer) for ids in batches]
    return losses, measured(model, held_out)


@EXERCISE.mistake(
    "the step has no gradient, or is missing",
    why="The order is: optimizer.zero_grad(), the gradients by loss(...).backward(), clip, and "
    "then optimizer.step(), which changes the weights.",
    of=stepped,
)
def no_step(model: nn.Module, ids: Tensor, optimizer: Optimizer) -> float:
    return loss(model, ids).item()


@EXERCISE.mistake(
    "the step comes before its gradient",
    why="First loss.backward(), then the step: otherwise each step uses the gradient of the batch "
    "before.",
)
def step_first(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    model.train()
    losses = []
    for ids in batches:
        value = loss(model, ids)
        optimizer.step()
        optimizer.zero_grad()
        value.backward()
        clip(model)
        losses.append(value.item())
    return losses, measured(model, held_out)


@EXERCISE.mistake(
    "it trains on the first batch only", why="Each step takes the next batch of the list."
)
def first_batch(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    return train(model, [batches[0]] * len(batches), optimizer, held_out)


@EXERCISE.mistake(
    "the losses are those after the steps",
    why="The loss of a batch is the one whose gradient is taken, before the step.",
    of=step,
)
def loss_after(model: nn.Module, ids: Tensor, optimizer: Optimizer) -> float:
    optimizer.zero_grad()
    stepped(model, ids, optimizer)
    return loss(model, ids).item()


@EXERCISE.mistake(
    "it learns from the held-out texts",
    why="They show how the model does on texts that it has not seen. If it trains on them, their "
    "loss falls and says nothing any more. Only measure: no backward(), no step.",
)
def leaks(model: nn.Module, batches: list, optimizer: Optimizer, held_out: list) -> Losses:
    losses, _ = train(model, batches, optimizer, [])
    model.train()
    return losses, [step(model, ids, optimizer) for ids in held_out]


@EXERCISE.mistake(
    "the held-out texts are measured in training mode",
    why="In training, dropout and the like make a model worse than it is: call model.eval() after "
    "the last step.",
    of=measured,
)
def measured_in_training(model: nn.Module, held_out: list) -> list[float]:
    return [loss(model, ids).item() for ids in held_out]


@EXERCISE.mistake(
    "the held-out texts are measured before the training",
    why="What counts is how the model does once it has trained: measure after the last step.",
)
def measured_before(
    model: nn.Module, batches: list, optimizer: Optimizer, held_out: list
) -> Losses:
    others = measured(model, held_out)
    return train(model, batches, optimizer, [])[0], others

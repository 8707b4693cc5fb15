"""largest_rate: train from the same start at each rate, and keep the largest that learns."""

from collections.abc import Callable
from itertools import takewhile

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.sandbox.values import Made

MakeModel = Callable[[], nn.Module]
RATES = [1.0, 2.0, 4.0, 40.0, 100.0]
STEPS = 10
GOAL = 4
CLEAR = 1.3  # a loss so much above or below the goal leaves no doubt


def largest_rate(make_model: MakeModel, rates: list, steps: int) -> float:
    """Train from the same start at each rate, and keep the largest that learns."""
    return largest([r for r in rates if learns(*losses(make_model(), r, steps))])


def losses(model: nn.Module, rate: float, steps: int) -> tuple[float, float]:
    """Train a model by gradient descent; give the first loss and that after the last step."""
    first = model().item()
    for _ in range(steps):
        gradients = slopes(model)
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter.sub_(rate * gradient)
    return first, model().item()


def slopes(model: nn.Module) -> tuple[Tensor, ...]:
    """Give the loss' gradient in each parameter."""
    return torch.autograd.grad(model(), list(model.parameters()))


def learns(first: float, last: float) -> bool:
    """Tell whether the loss has come down to a quarter; nan has not."""
    return last < first / GOAL


def largest(learning: list[float]) -> float:
    """Give the largest, or 0 where there is none."""
    return max(learning, default=0.0)


EXERCISE = Exercise(
    __name__,
    largest_rate,
    results={"rate": ""},
    section="By training",
    seconds=20.0,
)


@EXERCISE.requires("It is the largest rate at which the stack learns.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Give stacks of both wirings, and rates of which some are too large or too small."""
    kinds = (("post", 2), ("pre", 3), ("post", 4), ("pre", 2), ("post", 3))
    return [tried(draw, *kind, learning=3, others=1, turn=n) for n, kind in enumerate(kinds)]


@EXERCISE.requires(
    "Where no rate lets it learn it is 0.0, and where all do, the largest.", points=1
)
def ends(draw: Draw) -> list[Inputs]:
    """Give rates that are all too large or too small, and rates none of which is."""
    counts = (0, 2), (2, 0)
    return [tried(draw, "post", 3, learning=n, others=m, turn=0) for n, m in counts]


EXERCISE.untouched()


def tried(draw: Draw, wiring: str, layers: int, learning: int, others: int, turn: int) -> Inputs:
    """Make a stack and a task, and choose rates that clearly learn, and others that do not.

    There are so many of each.
    """
    while True:
        unit = 10 ** (draw.ids(1, low=-20, high=21).item() / 10)  # rates of any size
        given = (*task(draw, wiring, layers), unit)
        rates = [float(f"{unit * rate:.3g}") for rate in RATES]
        left = {rate: ratios(wiring, given, rate) for rate in rates}
        low = [rate for rate, found in left.items() if max(found) < 1 / GOAL / CLEAR][:learning]
        high = [rate for rate, found in left.items() if min(found) > CLEAR / GOAL][:others]
        if len(low) == learning and len(high) >= others:
            model = Made(f"a {wiring}-norm stack of {layers} layers", stack, (wiring, *given))
            return Inputs((model, mixed(low, high, turn), STEPS))


def mixed(low: list[float], high: list[float], turn: int) -> list[float]:
    """Mix rates, so that the largest that learns is neither the first nor the last to do so."""
    smaller, largest = low[:-1], low[-1:]
    if turn:
        return [*high[:1], *smaller[1:], *largest, *high[1:], *smaller[:1]]
    return [*smaller[:1], *largest, *high[:1], *smaller[1:], *high[1:]]


def task(draw: Draw, wiring: str, layers: int) -> tuple[Tensor, ...]:
    """Draw a stack's matrices, tokens, and what another stack of this kind makes of them."""
    start, other = draw.normal(2, layers, 6, 6) / 2
    x = draw.normal(8, 6)
    y = stack(wiring, other, x, x, 1.0)().streams()
    return start, x, y.detach()


def ratios(wiring: str, given: tuple, rate: float) -> list[float]:
    """Give what is left of the loss, and what in float64 from a start that differs by a hair."""
    *tensors, unit = given
    other = [tensor.double() for tensor in (tensors[0] * 1.0001, *tensors[1:])] + [unit]
    ends = (losses(stack(wiring, *start)(), rate, STEPS) for start in (given, other))
    return [last / first for first, last in ends]


def stack(
    wiring: str, matrices: torch.Tensor, x: torch.Tensor, y: torch.Tensor, unit: float
) -> type:
    """Make what makes a stack of residual layers, each time from the same numbers."""

    class Stack(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.matrices = nn.Parameter(matrices.clone())

        def streams(self) -> torch.Tensor:
            stream = x
            for matrix in self.matrices:
                if wiring == "pre":
                    stream = stream + torch.relu(F.layer_norm(stream, x.shape[-1:]) @ matrix)
                else:
                    stream = F.layer_norm(stream + torch.relu(stream @ matrix), x.shape[-1:])
            return F.layer_norm(stream, x.shape[-1:])

        def forward(self) -> torch.Tensor:
            return (self.streams() - y).square().mean() / unit

    return Stack


@EXERCISE.mistake(
    "each rate goes on from where the last one ended",
    why="A model that another rate has trained is no fair start. Call make_model() for each rate.",
)
def goes_on(make_model: MakeModel, rates: list, steps: int) -> float:
    model = make_model()
    return largest([r for r in rates if learns(*losses(model, r, steps))])


@EXERCISE.mistake(
    "the gradients of all steps add up",
    why="PyTorch adds each new gradient to the old one. Set them to zero, or to None, before each "
    "step.",
    of=losses,
)
def adds_up(model: nn.Module, rate: float, steps: int) -> tuple[float, float]:
    first = model().item()
    sums = [torch.zeros_like(parameter) for parameter in model.parameters()]
    for _ in range(steps):
        for one, gradient in zip(sums, slopes(model), strict=True):
            one += gradient
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), sums, strict=True):
                parameter.sub_(rate * gradient)
    return first, model().item()


@EXERCISE.mistake(
    "no rate ever learns",
    why="The steps go uphill, or are too few, or never reach the model. Take the rate times the "
    "gradient off each parameter itself, under torch.no_grad(), `steps` times.",
    of=slopes,
)
def uphill(model: nn.Module) -> tuple[Tensor, ...]:
    return tuple(-gradient for gradient in slopes(model))


@uphill.within(slopes)
def nowhere(model: nn.Module) -> tuple[Tensor, ...]:
    return tuple(torch.zeros_like(gradient) for gradient in slopes(model))


@EXERCISE.mistake(
    "too little counts as learning",
    why="Learned has a stack whose loss is below a *quarter* of the first. A loss that falls a "
    "little and stays there has learned next to nothing.",
    of=learns,
)
def any_fall(first: float, last: float) -> bool:
    return last < first


@any_fall.within(learns)
def half(first: float, last: float) -> bool:
    return last < first / 2


@any_fall.also
def largest_of_all(make_model: MakeModel, rates: list, steps: int) -> float:
    return max(rates)


@EXERCISE.mistake(
    "the smallest rate that learns is given",
    why="Small rates nearly always learn, if they have time. Asked for is the largest.",
    of=largest,
)
def smallest(learning: list[float]) -> float:
    return min(learning, default=0.0)


@EXERCISE.mistake(
    "the rate with the lowest loss is given",
    why="The best rate is not the largest at which the stack still learns, and where none learns "
    "it is no answer at all.",
)
def best(make_model: MakeModel, rates: list, steps: int) -> float:
    ends = {rate: losses(make_model(), rate, steps)[1] for rate in rates}
    return min(ends, key=lambda rate: ends[rate])


@EXERCISE.mistake(
    "the order of the list decides which rate is given",
    why="The rates stand in no order: neither the first nor the last that learns need be the "
    "largest, and behind one that fails another may learn. Try all, and keep the largest.",
    of=largest,
)
def first_that_learns(learning: list[float]) -> float:
    return learning[0] if learning else 0.0


@first_that_learns.within(largest)
def last_that_learns(learning: list[float]) -> float:
    return learning[-1] if learning else 0.0


@first_that_learns.also
def up_to_one_that_fails(make_model: MakeModel, rates: list, steps: int) -> float:
    return largest(list(takewhile(lambda r: learns(*losses(make_model(), r, steps)), rates)))

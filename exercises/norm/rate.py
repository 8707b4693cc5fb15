"""largest_rate: find the largest learning rate at which a model learns."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs, Made

MakeModel = Callable[[], nn.Module]
GOAL = 4
CLEAR = 1.3  # the margin around the goal that leaves no doubt
RATES = [10 ** (n / 16) for n in range(-24, 25)]
FEWEST, MOST = 3, 9  # steps


def largest_rate(make_model: MakeModel, rates: list, steps: int) -> float:
    """Return the largest rate that learns, training from the same start at each."""
    return largest([r for r in rates if learns(losses(make_model(), r, steps))])


def losses(model: nn.Module, rate: float | Tensor, steps: int) -> Tensor:
    """Train a model by gradient descent; return the first loss and the loss after each step."""
    found = [model().detach()]
    for _ in range(steps):
        gradients = slopes(model)
        with torch.no_grad():
            for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                parameter.sub_(rate * gradient)
        found.append(model().detach())
    return torch.stack(found)


def slopes(model: nn.Module) -> tuple[Tensor, ...]:
    """Return the gradient of the loss in each parameter."""
    return torch.autograd.grad(model().sum(), list(model.parameters()))


def learns(losses: Tensor) -> bool:
    """Return whether the loss has fallen to a quarter (nan hasn't)."""
    return bool(losses[-1] < losses[0] / GOAL)


def largest(learning: list[float]) -> float:
    """Return the largest rate, or 0 if there is none."""
    return max(learning, default=0.0)


EXERCISE = Exercise(
    __name__, largest_rate, results={"rate": ""}, section="Which of them trains?", seconds=20.0
)


@EXERCISE.requires("It returns the largest rate at which the stack learns.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return stacks of each wiring, with rates that mislead hasty answers."""
    kinds = (
        ("post", 3, "between"),
        ("without", 4, "between"),
        ("pre", 3, "last"),
        ("post", 2, "last"),
        ("post", 4, "again"),
        ("pre", 2, "half"),
        ("without", 3, "nan"),
    )
    found = [stack_and_rates(draw, *kind) for kind in kinds]
    cases = (found[-1], *found)  # nan twice, so that a search that ends there is named
    return [Inputs((made, mixed(draw, on, off), steps)) for made, on, off, steps in cases]


@EXERCISE.requires("If no rate lets it learn the result is 0.0; if all do, the largest.", points=1)
def ends(draw: Draw) -> list[Inputs]:
    """Return rates that are all too large or too small, and rates that all learn."""
    kinds = ("post", 4, "again"), ("post", 3, "half"), ("without", 3, "nan")
    none = [stack_and_rates(draw, *kind) for kind in kinds]
    model, rates, _, steps = stack_and_rates(draw, "post", 3, "between")
    return [
        *(Inputs((made, draw.shuffled(off), n)) for made, _, off, n in none),
        Inputs((model, rates, steps)),
    ]


EXERCISE.untouched()

Found = tuple[Made, list[float], list[float], int]


def stack_and_rates(draw: Draw, wiring: str, layers: int, kind: str) -> Found:
    """Draw a stack and its task, rates at which it clearly learns, others, and a number of steps.

    The largest rate that learns isn't beside the smaller ones.
    """
    while True:
        unit = 10 ** (draw.ids(1, low=-20, high=21).item() / 10)  # rates of any size
        given = (*task(draw, wiring, layers), unit)
        rates = [float(f"{unit * rate:.3g}") for rate in RATES]
        left = course(wiring, given, rates)
        for steps in draw.shuffled(range(FEWEST, MOST + 1)):
            if places := chosen(draw, kind, left[: steps + 1]):
                says = f"a stack of {layers} layers, {wiring}{'-' * (wiring != 'without')} norm"
                on, off = ([rates[place] for place in some] for some in places)
                return Made(says, stack, (wiring, *given), trained=True), on, off, steps


def mixed(draw: Draw, on: list[float], off: list[float]) -> list[float]:
    """Mix rates, so that the largest that learns is neither the first nor the last to do so.

    If no other learns, it comes after the larger ones, which may give nan.
    """
    below, *above = off
    if len(on) == 1:
        return [*above, *draw.shuffled([*on, below])]
    return [on[0], below, *on[1:-1], *above, on[-1]]


def task(draw: Draw, wiring: str, layers: int) -> tuple[Tensor, ...]:
    """Draw a stack's matrices, tokens, and the outputs of another stack as targets."""
    start, other = draw.normal(2, layers, 6, 6) / (4 if wiring == "without" else 2)
    x = draw.normal(8, 6)
    y = stack(wiring, other, x, x, 1.0)().streams()
    return start, x, y.detach()


def course(wiring: str, given: tuple, rates: list[float]) -> Tensor:
    """Return the relative loss (steps + 1, rates, 3), from the start and from two points near it.

    What all three show isn't due to rounding.
    """
    *tensors, unit = given
    start, x, y = (tensor.double() for tensor in tensors)
    hair = 0.001 * start.flip(-1)
    starts = torch.stack([start, start + hair, start - hair]).expand(len(rates), 3, *start.shape)
    rate = torch.tensor(rates, dtype=torch.double).view(-1, 1, 1, 1)
    found = losses(stack(wiring, starts, x, y, unit)(), rate, MOST)
    return found / found[0]


def chosen(draw: Draw, kind: str, left: Tensor) -> tuple[list[int], list[int]] | None:
    """Choose rates of a kind at which a stack learns, and others, if there are any.

    One that fails lies below the largest that learns; one to three lie above it, at random, so that
    the largest can't be found by its place.
    """
    on = (left < 1 / GOAL / CLEAR).all(dim=-1)
    off = ~(left < CLEAR / GOAL).any(dim=-1)  # nan, too
    learns, fails = on[-1], off[-1]
    smaller = learns.cumsum(dim=0)
    beneath = fails & (smaller == 0)
    low, top, high = {
        "between": (fails & (smaller >= 2), learns, fails),
        "last": (beneath, learns & off[-2], fails),
        "again": (beneath, learns, fails & on.any(dim=0)),
        "half": (beneath, learns, fails & (left[-1] < 0.45).all(dim=-1)),
        "nan": (beneath, learns, left[-1].isnan().all(dim=-1)),
    }[kind]
    lows, tops, highs, others = (
        draw.shuffled(mask.nonzero().flatten().tolist()) for mask in (low, top, high, learns)
    )
    for place in tops:
        below, above = [n for n in lows if n < place], [n for n in highs if n > place]
        if below and above:
            less = [n for n in others if n < below[0]][:2]
            count = int(draw.ids(1, low=1, high=4))
            return [*less[:1], place, *less[1:]], [below[0], *above[:count]]
    return None


def stack(
    wiring: str, matrices: torch.Tensor, x: torch.Tensor, y: torch.Tensor, unit: float
) -> type:
    """Return a class that builds a stack of residual layers, always from the same numbers."""

    class Stack(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for number, matrix in enumerate(matrices.unbind(-3)):
                setattr(self, f"matrix_{number}", nn.Parameter(matrix.clone()))

        def streams(self) -> torch.Tensor:
            stream = x
            for matrix in self.parameters():
                normal = F.layer_norm(stream, x.shape[-1:]) if wiring == "pre" else stream
                stream = stream + torch.relu(normal @ matrix)
                if wiring == "post":
                    stream = F.layer_norm(stream, x.shape[-1:])
            return stream if wiring == "without" else F.layer_norm(stream, x.shape[-1:])

        def forward(self) -> torch.Tensor:
            return (self.streams() - y).square().mean((-2, -1)) / unit

    return Stack


EXERCISE.edit(
    "each rate goes on from where the last one ended",
    "model = make_model(); return largest([r for r in rates if learns(losses(model, r, steps))])",
    why="A model already trained at another rate is no fair start.\nCall make_model() for each "
    "rate.",
)
EXERCISE.edit(
    "the gradients of all steps add up",
    {
        "gradients = slopes(model)": "gradients = slopes(model) if len(found) == 1 else [old + new "
        "for old, new in zip(gradients, slopes(model))]"
    },
    why="PyTorch adds each new gradient to the old one.\nSet them to zero, or to None, before each "
    "step.",
)
EXERCISE.edit(
    "no rate ever learns",
    "tuple(-gradient for gradient in slopes(model))",
    "tuple(torch.zeros_like(gradient) for gradient in slopes(model))",
    why="The steps go uphill, or are too few, or never reach the model.\nSubtract the rate times "
    "the gradient from each parameter in place, under torch.no_grad(), `steps` times.",
    of=slopes,
)
EXERCISE.edit(
    "too little counts as learning",
    {"GOAL": "2"},
    {"losses[-1] < losses[0] / GOAL": "not losses[-1] >= losses[0]"},
    why="A stack has learned if its loss is below a *quarter* of the first. A loss that falls a "
    "little and stays there has learned next to nothing.",
)
EXERCISE.edit(
    "the rate with the lowest loss is returned",
    "ends = {rate: losses(make_model(), rate, steps)[-1] for rate in rates}; "
    "return min(ends, key=lambda rate: ends[rate])",
    why="The best rate is not the largest at which the stack still learns, and if none learns it "
    "is no answer at all.",
)
EXERCISE.edit(
    "the order of the list decides which rate is given",
    {"max(learning, default=0.0)": "learning[-1] if learning else 0.0"},
    "from itertools import takewhile; "
    "return largest([*takewhile(lambda r: learns(losses(make_model(), r, steps)), rates)])",
    "from itertools import takewhile; "
    "learning = takewhile(lambda r: learns(losses(make_model(), r, steps)), rates); "
    "return [0.0, *learning][-1]",
    why="The rates are in no particular order: neither the first nor the last that learns need be "
    "the largest.\nTry all, and keep the largest.",
)
EXERCISE.edit(
    "the search ends at the first rate that fails",
    "from itertools import takewhile; "
    "return largest([*takewhile(lambda r: learns(losses(make_model(), r, steps)), sorted(rates))])",
    "works = [learns(losses(make_model(), r, steps)) for r in sorted(rates)]; "
    "first = [*works, True].index(True); end = first + [*works[first:], False].index(False); "
    "return largest(sorted(rates)[first:end])",
    why="Even in order of size, a rate that fails may be below one that learns: a small one is too "
    "slow, and above one that fails another may happen to learn.\nTry all of them.",
)
EXERCISE.edit(
    "the last step is missing",
    "learns(losses[:-1])",
    why="The loss after *all* the steps counts. A loss computed before a step does not include "
    "it.\nCall model() once more after the loop.",
    of=learns,
)
EXERCISE.edit(
    "a loss that has risen again counts as learned",
    {"losses[-1] < losses[0] / GOAL)": "(losses < losses[0] / GOAL).any())"},
    why="At a rate that is too large, the loss may fall below a quarter and rise again.\nCompare "
    "it once, after the last step.",
)
EXERCISE.edit(
    "a loss that is nan counts as learned",
    {"bool(losses[-1] <": "not (losses[-1] >="},
    why="Comparisons with nan are always False, so `not loss >= border` is True.\nAsk whether the "
    "loss *is* below the border: `loss < border`.",
)

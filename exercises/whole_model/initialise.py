"""initialise: the numbers that a model begins with, judged by their statistics."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

SPREAD = 0.02


def initialise(model: nn.Module) -> None:
    """Draw each matrix from a normal distribution, and set each vector to ones."""
    for parameter in model.parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=0.02)
        else:
            nn.init.ones_(parameter)


def begun(answer: type, sizes: tuple) -> list[torch.Tensor]:
    """Initialise a model, and return its parameters.

    Tokens, two matrices of the same shape, the second of them frozen, one of another, the output;
    and a norm's weight. They are 0 where it changed whether they are trained.
    """
    vocabulary, width, hidden = sizes

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.Parameter(torch.full((width,), 3.0))
            self.tokens = nn.Embedding(vocabulary, width)
            self.up = nn.Linear(width, hidden, bias=False)
            self.gate = nn.Linear(width, hidden, bias=False)
            self.down = nn.Linear(hidden, width, bias=False)
            self.output = nn.Linear(width, vocabulary, bias=False)

    model = Model()
    model.gate.requires_grad_(False)
    before = [parameter.requires_grad for parameter in model.parameters()]
    answer(model)
    pairs = zip(model.parameters(), before, strict=False)
    return [parameter * (parameter.requires_grad == trains) for parameter, trains in pairs]


def statistics(found: list[Tensor], sizes: tuple) -> tuple:
    """Return what is compared of the parameters, so rounded that chance does not show."""
    vocabulary, width, hidden = sizes
    shapes = [(width,), (vocabulary, width), (hidden, width), (hidden, width), (width, hidden)]
    shapes.append((vocabulary, width))
    if [tuple(parameter.shape) for parameter in found] != shapes:
        raise ValueError("The shapes of the parameters have changed: write into what is there.")
    norm, *matrices = (parameter.double() for parameter in found)
    spreads = [matrix.std().item() for matrix in matrices]
    pairs = list(zip(matrices, spreads, strict=True))
    means = [round(matrix.mean().item() / (spread or 1.0), 1) + 0.0 for matrix, spread in pairs]
    tails = [round(((m - m.mean()) / (s or 1.0)).pow(4).mean().item()) for m, s in pairs]
    middle = round(norm.mean().item(), 1) + 0.0
    return (
        means,
        [_about(spread / SPREAD) for spread in spreads],
        tails,
        torch.equal(matrices[1], matrices[2]),
        (middle, bool(norm.std() > 1e-6)),
    )


def _about(ratio: float) -> float:
    """Round to one digit, unless it is 1 within a twentieth."""
    return 1.0 if 0.95 < ratio < 1.05 else float(f"{ratio:.0e}") + 0.1 * (f"{ratio:.0e}" == "1e+00")


EXERCISE = Exercise(
    __name__,
    initialise,
    results={
        "mean of each matrix, in standard deviations": "",
        "standard deviation of each matrix, about, in units of 0.02": "",
        "fourth moment of each matrix (3 if it is normal)": "",
        "equality of two matrices": "",
        "mean of the norm's weight, and inequality of its numbers": "",
    },
    section="book/whole_model#The training",
    driver=begun,
    effect=statistics,
    seconds=10.0,
)


@EXERCISE.requires(
    "Matrices are normal, around 0, with a standard deviation of 0.02; the vectors are ones.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return models of several sizes, so large that chance does not decide."""
    sizes = ((130, 120, 150), (140, 112, 130), (150, 128, 118), (160, 104, 140))
    return [Inputs((size,)) for size in sizes]


DRAWN = "nn.init.normal_(parameter, std=0.02)"

EXERCISE.edit(
    "0.02 is taken for the variance",
    {"0.02": "0.02**0.5"},
    why="normal_ wants the standard deviation, the root of the variance.\nstd=0.02.",
)
EXERCISE.edit(
    "the numbers are uniform, not normal",
    {DRAWN: "nn.init.uniform_(parameter, -0.02 * 3**0.5, 0.02 * 3**0.5)"},
    why="uniform_ draws each number of an interval equally often. normal_ draws small ones more "
    "often, and now and then a large one.",
)
EXERCISE.edit(
    "the norm's weights stay as they were",
    {"nn.init.ones_(parameter)": "pass"},
    why="\nInitialise all parameters: a vector, which here only norms have, is set to ones.",
)
EXERCISE.edit(
    "all matrices stay as they were",
    {DRAWN: "pass"},
    why="PyTorch has drawn them already, by its own rules.\nDraw them again, in place: "
    "nn.init.normal_(parameter, std=0.02).",
)
EXERCISE.edit(
    "each matrix is drawn from the same seed",
    {DRAWN: f"torch.manual_seed(0)\n            {DRAWN}"},
    why="With a seed set before each, matrices of the same shape hold the same numbers, and would "
    "learn the same.\nSet it once, before the model is made.",
)

"""angles: position times frequency, for each pair of features."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import some_positions, table_values


def angles(positions: Tensor, width: int, base: int) -> Tensor:
    """Return each position times each frequency."""
    exact = positions[..., None] * speeds(width, base)
    return exact if positions.is_floating_point() else exact.float()


def speeds(width: int, base: int) -> Tensor:
    """Return the frequencies."""
    return base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)


EXERCISE = Exercise(
    __name__, angles, results={"angles": "positions, hands"}, section="A clock with many hands"
)


@EXERCISE.requires("For even widths, hand i of position t is at t · base^(-2i / width).", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return the positions of the chapter's table, then positions in a long text."""
    width, base = draw.ids(2, low=10, high=100).tolist()
    return [
        *table_values(draw),
        Inputs((some_positions(draw, 4, high=5000), 2 * width, 100 * base)),
    ]


@EXERCISE.requires("The same holds with any width, and with positions of any shape.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return odd widths, and the positions of a batch."""
    return [
        Inputs((some_positions(draw, 4, high=1000), 5, 100)),
        Inputs((some_positions(draw, 2, 3), 7, 10_000)),
        Inputs((some_positions(draw, 3, 5), 3, 50)),
        Inputs((some_positions(draw, 2, 3, 4), 6, 1000)),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many positions as frequencies."""
    return [Inputs((some_positions(draw, n), 2 * n, 100)) for n in (2, 3, 4)]


EXERCISE.edit(
    "the exponent is doubled",
    {"torch.arange(0, width, 2, dtype=torch.float64)": "2 * torch.arange(0, width, 2)"},
    {"/ width": "/ ((width + 1) // 2)"},
    why="The formula's 2i is already 0, 2, 4, … if you count with torch.arange(0, width, 2). "
    "Doubled once more, every hand but the first is far too slow.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the exponent is halved",
    {"0, width, 2, dtype=torch.float64": "(width + 1) // 2"},
    why="Hand i has the exponent 2i / width, not i / width, which does not make the hands slow "
    "enough.\nThe last one of a wide vector should be nearly base times slower than the first.",
)
EXERCISE.edit(
    "there is a hand for every feature, not for every pair",
    {"2": "1"},
    why="Sine and cosine of a pair share one hand, so there are half as many hands as features. "
    "With one speed for each feature, a step is no longer a rotation.",
    section="What goes wrong",
)
EXERCISE.edit(
    "each hand is faster than the one before",
    {"-torch": "torch"},
    why="The exponent is negative: the first hand turns by one radian a step, and all others more "
    "slowly. Without the minus each is faster than the one before.",
)
EXERCISE.edit(
    "every hand has the same speed",
    "torch.ones_like(speeds(width, base))",
    why="Each hand has its own speed, and so its own angle.\nBase to the power of -2i / width. (// "
    "drops the fraction, so 2i // width is 0 for every hand.)",
    of=speeds,
)
EXERCISE.edit(
    "positions are counted from 1",
    {"positions[..., None]": "(positions + 1)[..., None]"},
    why="The first token is at position 0, where all hands point straight up.\nUse the positions "
    "as they are given.",
)
EXERCISE.edit(
    "the base is always 10,000",
    "speeds(width, 10_000)",
    why="That is the paper's, but here the base is an argument: in the small example of the "
    "chapter it is 100, and in models for long texts it is a million.",
    of=speeds,
)
EXERCISE.edit(
    "the given positions are not used",
    {"positions[..., None]": "torch.arange(positions.size(-1)).expand_as(positions)[..., None]"},
    why="It numbers the tokens 0, 1, 2, … itself. With padding on the left, or when a text is "
    "continued, a token's position is not its index in the tensor.",
    section="What goes wrong",
)
EXERCISE.edit(
    "an odd width loses its last hand",
    {"width)": "width)[: width // 2]"},
    why="Five features are two and a half pairs, and the half pair needs a hand too.",
    section="What goes wrong",
)
EXERCISE.edit(
    "an odd width is rounded up before it divides",
    {"/ width": "/ (width + width % 2)"},
    why="Half of a pair needs a hand as well, but makes the vector no wider.\nThe exponent is 2i / "
    "width, with the width as it is given. Only the number of hands is rounded up.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the hands are counted from 1",
    {"torch.arange(0, width, 2, dtype=torch.float64)": "(torch.arange(0, width, 2) + 2)"},
    why="The first hand has the exponent 0 and turns by one radian a step.",
)
EXERCISE.edit(
    "the last hand is exactly base times slower than the first",
    "count = (width + 1) // 2; return base ** (-torch.arange(count) / max(count - 1, 1))",
    why="The exponent 2i / width grows from 0 to nearly 1, but does not reach 1.\nDo not spread "
    "the hands evenly up to the base.",
    section="What goes wrong",
    of=speeds,
)
EXERCISE.edit(
    "the exponent is not divided by the width",
    {"(0, width, 2, dtype=torch.float64) / width": "(0, width, 2, dtype=torch.float64)"},
    "float(base) ** -torch.arange(0, width, 2, dtype=torch.float64) / width",
    why="The exponent runs from 0 to nearly 1, whatever the width is.\n2i, divided by the width.",
    of=speeds,
)
EXERCISE.edit(
    "the angles are multiplied by 2π",
    {"return": "return 2 * math.pi *"},
    why="The formula gives radians already: the first hand turns by one radian a step, not by a "
    "full turn.",
    of=speeds,
)
EXERCISE.edit(
    "full turns are subtracted",
    {"float()": "float() % (2 * math.pi)"},
    why="A hand that has gone round once points in the same direction, but its angle has grown by "
    "2π, and the task asks for the angle: sine and cosine come later.",
)

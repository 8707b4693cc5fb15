"""rotate_pairs: rotate each pair of neighbouring features."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import GENERAL, interleaved, neighbours, rotated, turn_general, turn_probes, turn_values
from .parts import halves as halves
from .parts import joined as joined

Pair = tuple[Tensor, Tensor]


def rotate_pairs(x: Tensor, radians: Tensor) -> Tensor:
    """Rotate each pair of neighbouring features."""
    return interleaved(*rotated(*neighbours(x), radians))


EXERCISE = Exercise(
    __name__,
    rotate_pairs,
    results={"turned vectors": "tokens, features"},
    section="RoPE: turn queries and keys",
)


@EXERCISE.requires("Feature 2i turns towards 2i + 1 by angle i of its token.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return turn_values(draw)


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    return turn_general(draw)


EXERCISE.untouched()
EXERCISE.trains(constant="radians")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return turn_probes(draw)


EXERCISE.edit(
    "it pairs features i and i + K / 2",
    {"interleaved": "joined", "neighbours": "halves"},
    why="That is the other convention, which is also right, but for other weights. Here the pairs "
    "are neighbours.\n0 with 1, 2 with 3.",
    section="What goes wrong",
)
EXERCISE.edit(
    "it rotates the wrong way",
    "rotated(first, second, -radians)",
    why="A positive angle rotates from the first feature of a pair towards the second: (1, 0) "
    "becomes (cos, sin). If queries and keys both rotate backwards, they still fit each other, "
    "but not other code.",
    of=rotated,
)
EXERCISE.edit(
    "the minus is missing",
    {"first * cos - second": "first * cos + second"},
    why="One of the four products is subtracted.\nFirst · cos - second · sin. With a plus it is "
    "not a rotation, and vectors change their length.",
)
EXERCISE.edit(
    "it reflects instead of rotating",
    {"+ second": "- second"},
    why="Only the first of the two has a minus. With a minus in the second as well, it is a "
    "reflection: two such steps bring you back to where you were.",
)
EXERCISE.edit(
    "the second of a pair uses the new first",
    {"return first * cos - second * sin": "first = first * cos - second * sin; return first"},
    why="Both results need both old numbers. If the first is overwritten before the second is "
    "computed, the second uses the new one.\nKeep the old pair until both are done.",
)
EXERCISE.edit(
    "the results stand side by side, not interleaved",
    {"-1": "-2"},
    why="The numbers are right, but all firsts come before all seconds.\nPut each where it came "
    "from, next to the other of its pair.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the angles are laid out for the other pairing",
    "twice = torch.cat([radians, radians], dim=-1); across = torch.stack([-x[..., 1::2], "
    "x[..., 0::2]], dim=-1).flatten(-2); return x * twice.cos() + across * twice.sin()",
    why="Neighbours are rotated, but the angles were repeated as 0, 1, 2, 0, 1, 2, which fits "
    "pairs i and i + K / 2.\nNeighbours need 0, 0, 1, 1, 2, 2.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the two of each pair are swapped",
    "rotated(first, second, radians)[::-1]",
    why="The features stay where they are; they are only rotated.",
    of=rotated,
)

"""sliding_window: each token attends to the last few, itself included."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import between


def sliding_window(length: int, window: int) -> Tensor:
    """Return the mask that lets each token attend to the last few, itself included."""
    back = steps_back(length)
    return not_future(back) & not_too_far(back, window)


def steps_back(length: int) -> Tensor:
    """Return how far each key (column) lies behind each query (row)."""
    positions = torch.arange(length)
    return positions[:, None] - positions


def not_future(back: Tensor) -> Tensor:
    """Return which keys don't lie ahead."""
    return back >= 0


def not_too_far(back: Tensor, window: int) -> Tensor:
    """Return which keys lie within the window, on either side."""
    return back.abs() < window


EXERCISE = Exercise(
    __name__,
    sliding_window,
    results={"mask": "queries, keys"},
    section="True means keep. Or block.",
)


@EXERCISE.requires("Each token may attend to the last `window` tokens, including itself.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return windows shorter than the text, once a long one, and one that is longer."""
    drawn = zip(between(draw, 5, 9, 3), between(draw, 2, 4, 3), strict=True)
    longest = (*between(draw, 513, 530), *between(draw, 10, 500))
    return [Inputs(sizes) for sizes in ((4, 2), (3, 1), (3, 5), (1, 1), *drawn, longest)]


EXERCISE.edit(
    "the window is one token too long",
    {"< window": "<= window"},
    why="A window of `window` tokens includes the token itself, so it reaches window - 1 steps "
    "back. Here it reaches one step more.",
)
EXERCISE.edit(
    "the token itself is not in its window",
    {"not_too_far(back, window)": "((back > 0) & (back <= window))"},
    why="The window ends with the token itself. Here it ends one token earlier, so the first "
    "token has nothing to read.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the window extends to both sides",
    {"back >= 0": "torch.ones_like(back, dtype=torch.bool)"},
    why="The window also extends to the right, where the future is. A causal window looks back "
    "only.",
    section="The causal mask",
)
EXERCISE.edit(
    "the mask is inverted",
    "~sliding_window(length, window)",
    why="True is where a token may not look. In this book True means: may attend.",
)
EXERCISE.edit(
    "the future is in sight: only the far past is hidden",
    {"not_future(back) & not_too_far(back, window)": "steps_back(length) < window"},
    why="One border hides what is too far back, and a second one what is still to come. Here only "
    "the first is there.",
    section="The causal mask",
)
EXERCISE.edit(
    "only the far past is in sight",
    {"< window": ">= window"},
    why="The window should hold the last tokens, but it hides them.\nTokens fewer than `window` "
    "steps back are visible.",
)
EXERCISE.edit(
    "the text is cut into blocks",
    "block = torch.arange(length) // window; "
    "return not_future(steps_back(length)) & (block[:, None] == block)",
    why="Each token has a window of its own, which ends with itself. In blocks, the first token "
    "of a block sees nothing of what came before.",
)
EXERCISE.edit(
    "the first tokens are in sight, not the last",
    {"not_too_far(back, window)": "(torch.arange(length) < window)"},
    why="The window moves along with the token that asks.\nCompare `window` with the distance to "
    "the key, not with the key's position.",
)
EXERCISE.edit(
    "the last tokens of the whole text are in sight",
    {"not_too_far(back, window)": "(torch.arange(length) >= length - window)"},
    why="Each token has a window of its own, which ends with itself.\nCompare `window` with the "
    "distance to the key, not with the distance from the end of the text.",
)


@EXERCISE.mistake(
    "a slice begins before the text, and so at its end",
    why="A negative index counts from the end: row 0 of a window of 3 begins at -2.\nBegin at "
    "max(0, i - window + 1).",
)
def negative_slice(length: int, window: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for row in range(length):
        mask[row, row - window + 1 : row + 1] = True
    return mask

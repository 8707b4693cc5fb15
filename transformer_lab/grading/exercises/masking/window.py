"""sliding_window: let each token see the last few, itself among them."""

import torch
from torch import Tensor

from transformer_lab import masking
from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.masking.parts import between, triangle


def sliding_window(length: int, window: int) -> Tensor:
    """Let each token see the last few, itself among them."""
    return masking.sliding_window_mask(length, window=window)


EXERCISE = Exercise(
    __name__, sliding_window, results={"mask": "queries, keys"}, section='True means "may attend"'
)


@EXERCISE.requires(
    "Each token may attend to the last `window` tokens, itself among them.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give windows shorter than the text, once a long one, and one that is longer."""
    drawn = zip(between(draw, 5, 9, 3), between(draw, 2, 4, 3), strict=True)
    longest = (*between(draw, 513, 530), *between(draw, 10, 500))
    return [Inputs(sizes) for sizes in ((4, 2), (3, 1), (3, 5), (1, 1), *drawn, longest)]


def steps_back(length: int) -> Tensor:
    """Count how far each key (column) lies behind each query (row)."""
    positions = torch.arange(length)
    return positions[:, None] - positions


@EXERCISE.mistake(
    "the window is one token too long",
    why="A window of `window` tokens includes the token itself, so it reaches window - 1 steps "
    "back. Here it reaches one more.",
)
def too_long(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back <= window)


@EXERCISE.mistake(
    "the window is one token too short",
    why="A window of `window` tokens reaches window - 1 steps back, itself included. Here the last "
    "of them is missing.",
)
def too_short(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back < max(window - 1, 1))


@too_short.also
def too_short_down_to_nothing(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back < window - 1)


@EXERCISE.mistake(
    "the token itself is not in its window",
    why="The window ends with the token that asks. Here it ends one earlier, so the first token "
    "has nothing to read.",
    section="What goes wrong",
)
def without_itself(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back > 0) & (back <= window)


@without_itself.also
def without_itself_but_as_far(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back > 0) & (back < window)


@EXERCISE.mistake(
    "the window reaches to both sides",
    why="It also opens to the right, where the future is. A causal window looks back only.",
    section="The causal mask",
)
def both_sides(length: int, window: int) -> Tensor:
    return steps_back(length).abs() < window


@EXERCISE.mistake(
    "the window opens towards the future",
    why="Query minus key is how far back a key lies. Taken the other way round, each token sees "
    "the tokens after it.",
    section="The causal mask",
)
def forwards(length: int, window: int) -> Tensor:
    back = -steps_back(length)
    return (back >= 0) & (back < window)


@EXERCISE.mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
)
def window_inverted(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back < 0) | (back >= window)


@EXERCISE.mistake(
    "the window has no far end",
    why="This is the whole past, whatever `window` says. What lies `window` or more steps back is "
    "out of sight.",
)
def endless(length: int, window: int) -> Tensor:
    return triangle(length)


@EXERCISE.mistake(
    "the future is in sight: only the far past is hidden",
    why="One border hides what is too long ago, and a second what has not come yet. Here only the "
    "first is there.",
    section="The causal mask",
)
def open_future(length: int, window: int) -> Tensor:
    return steps_back(length) < window

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


@EXERCISE.mistake(
    "the window is one token too long",
    why="A window of `window` tokens includes the token itself, so it reaches window - 1 steps "
    "back. Here it reaches one step more.",
    of=not_too_far,
)
def too_long(back: Tensor, window: int) -> Tensor:
    return back.abs() <= window


@EXERCISE.mistake(
    "the window is one token too short",
    why="A window of `window` tokens reaches window - 1 steps back, itself included. Here the "
    "earliest one is missing.",
    of=not_too_far,
)
def too_short(back: Tensor, window: int) -> Tensor:
    return back.abs() < max(window - 1, 1)


@too_short.within(not_too_far)
def too_short_down_to_nothing(back: Tensor, window: int) -> Tensor:
    return back.abs() < window - 1


@EXERCISE.mistake(
    "the token itself is not in its window",
    why="The window ends with the token itself. Here it ends one token earlier, so the first "
    "token has nothing to read.",
    section="What goes wrong",
)
def without_itself(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back > 0) & (back <= window)


@without_itself.within(not_future)
def without_itself_but_as_far(back: Tensor) -> Tensor:
    return back > 0


@EXERCISE.mistake(
    "the window extends to both sides",
    why="The window also extends to the right, where the future is. A causal window looks back "
    "only.",
    section="The causal mask",
    of=not_future,
)
def both_sides(back: Tensor) -> Tensor:
    return torch.ones_like(back, dtype=torch.bool)


@EXERCISE.mistake(
    "the window opens towards the future",
    why="Query minus key is how far back a key lies. Taken the other way round, each token sees "
    "the tokens after it.",
    section="The causal mask",
    of=not_future,
)
def forwards(back: Tensor) -> Tensor:
    return back <= 0


@EXERCISE.mistake(
    "the mask is inverted",
    why="True is where a token may not look. In this book True means: may attend.",
)
def window_inverted(length: int, window: int) -> Tensor:
    return ~sliding_window(length, window)


@EXERCISE.mistake(
    "the window has no far end",
    why="This is the whole past, whatever `window` says. Tokens `window` or more steps back must "
    "be hidden.",
    of=not_too_far,
)
def endless(back: Tensor, window: int) -> Tensor:
    return torch.ones_like(back, dtype=torch.bool)


@EXERCISE.mistake(
    "the future is in sight: only the far past is hidden",
    why="One border hides what is too far back, and a second one what is still to come. Here only "
    "the first is there.",
    section="The causal mask",
)
def open_future(length: int, window: int) -> Tensor:
    return steps_back(length) < window


@EXERCISE.mistake(
    "only the far past is in sight",
    why="The window should hold the last tokens, but it hides them. Tokens fewer than `window` "
    "steps back are visible.",
    of=not_too_far,
)
def far_only(back: Tensor, window: int) -> Tensor:
    return back >= window


@EXERCISE.mistake(
    "one border or the other is enough",
    why="| lets a token see what either border allows. A visible token lies within both: use &.",
    section="The causal mask",
)
def either(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return not_future(back) | not_too_far(back, window)


@EXERCISE.mistake(
    "the text is cut into blocks",
    why="Each token has a window of its own, which ends with itself. In blocks, the first token "
    "of a block sees nothing of what came before.",
)
def blocks(length: int, window: int) -> Tensor:
    block = torch.arange(length) // window
    return not_future(steps_back(length)) & (block[:, None] == block)


@EXERCISE.mistake(
    "the first tokens are in sight, not the last",
    why="The window moves along with the token that asks. Compare `window` with the distance to "
    "the key, not with the key's position.",
)
def first_tokens(length: int, window: int) -> Tensor:
    return not_future(steps_back(length)) & (torch.arange(length) < window)


@EXERCISE.mistake(
    "the last tokens of the whole text are in sight",
    why="Each token has a window of its own, which ends with itself. Compare `window` with the "
    "distance to the key, not with the distance from the end of the text.",
)
def last_of_all(length: int, window: int) -> Tensor:
    return not_future(steps_back(length)) & (torch.arange(length) >= length - window)


@EXERCISE.mistake(
    "a slice begins before the text, and so at its end",
    why="A negative index counts from the end: row 0 of a window of 3 begins at -2. Begin at "
    "max(0, i - window + 1).",
)
def negative_slice(length: int, window: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for row in range(length):
        mask[row, row - window + 1 : row + 1] = True
    return mask

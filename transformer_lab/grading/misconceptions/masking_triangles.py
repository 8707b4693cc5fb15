# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to let tokens see the past only: all of it, or a window."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

CAUSAL = "book/masking#The causal mask"
TRUE = 'book/masking#True means "may attend"'
WRONG = "book/masking#What goes wrong"
PAST = "book/masking#Who masks when the model writes?"


def triangle(length: int, past: int = 0, *, ahead: int = 0) -> Tensor:
    """Let every token see itself and what came before, and so many tokens more."""
    return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past + ahead)


@mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend. The triangle "
    "of True is below the diagonal.",
    section=TRUE,
)
def inverted(length: int, past: int = 0) -> Tensor:
    return ~triangle(length, past)


@mistake(
    "each token sees one token of the future",
    why="The border runs one column too far to the right: each token sees the very answer it must "
    "give. The diagonal itself is the last that is allowed.",
    section=WRONG,
)
def one_ahead(length: int, past: int = 0) -> Tensor:
    return triangle(length, past, ahead=1)


@mistake(
    "no token sees itself",
    why="The diagonal is hidden too, so the first token has nothing to read. A token has just been "
    "read and may know itself.",
    section=WRONG,
)
def not_itself(length: int, past: int = 0) -> Tensor:
    return triangle(length, past, ahead=-1)


@mistake(
    "the triangle is the wrong way up: only the future is seen",
    why="triu keeps what is on and above the diagonal, where the keys come later than the query. "
    "Rows are queries: row i may see the columns up to i.",
    section=CAUSAL,
)
def upper(length: int, past: int = 0) -> Tensor:
    return torch.ones(length, past + length, dtype=torch.bool).triu(diagonal=past)


@mistake(
    "it holds numbers, not True and False",
    why="A boolean mask is clear to everyone; numbers are added to the scores by some functions "
    "and refused by others. Compare positions, or end with .bool().",
    section=TRUE,
)
def numbers(length: int, past: int = 0) -> Tensor:
    return triangle(length, past).float()


@numbers.also
def whole_numbers(length: int, past: int = 0) -> Tensor:
    return triangle(length, past).long()


@mistake(
    "the past is left out",
    why="With `past` tokens already read there are past + length keys: the new tokens ask all "
    "of them, so the table is wider than it is high.",
    section=PAST,
)
def past_left_out(length: int, past: int = 0) -> Tensor:
    return triangle(length)


@mistake(
    "the triangle sits at the left, as if nothing had come before",
    why="The first new token is token number `past`, not number 0: it may see the whole past and "
    "itself. The triangle belongs at the right end of the table.",
    section=PAST,
)
def at_the_left(length: int, past: int = 0) -> Tensor:
    return torch.ones(length, past + length, dtype=torch.bool).tril()


@mistake(
    "the old tokens have rows too",
    why="Only the new tokens ask: `length` rows. The old ones asked when they were new, and their "
    "answers are kept.",
    section=PAST,
)
def rows_for_the_past(length: int, past: int = 0) -> Tensor:
    return triangle(past + length)


CAUSAL_MISTAKES = (
    inverted,
    one_ahead,
    not_itself,
    upper,
    numbers,
    whole_numbers,
    past_left_out,
    at_the_left,
    rows_for_the_past,
)


def steps_back(length: int) -> Tensor:
    """Count how far each key (column) lies behind each query (row)."""
    positions = torch.arange(length)
    return positions[:, None] - positions


@mistake(
    "the window is one token too long",
    why="A window of `window` tokens includes the token itself, so it reaches window - 1 steps "
    "back. Here it reaches one more.",
    section=TRUE,
)
def too_long(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back <= window)


@mistake(
    "the window is one token too short",
    why="A window of `window` tokens reaches window - 1 steps back, itself included. Here the last "
    "of them is missing.",
    section=TRUE,
)
def too_short(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back < max(window - 1, 1))


@too_short.also
def too_short_down_to_nothing(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back >= 0) & (back < window - 1)


@mistake(
    "the token itself is not in its window",
    why="The window ends with the token that asks. Here it ends one earlier, so the first token "
    "has nothing to read.",
    section=WRONG,
)
def without_itself(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back > 0) & (back <= window)


@without_itself.also
def without_itself_but_as_far(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back > 0) & (back < window)


@mistake(
    "the window reaches to both sides",
    why="It also opens to the right, where the future is. A causal window looks back only.",
    section=CAUSAL,
)
def both_sides(length: int, window: int) -> Tensor:
    return steps_back(length).abs() < window


@mistake(
    "the window opens towards the future",
    why="Query minus key is how far back a key lies. Taken the other way round, each token sees "
    "the tokens after it.",
    section=CAUSAL,
)
def forwards(length: int, window: int) -> Tensor:
    back = -steps_back(length)
    return (back >= 0) & (back < window)


@mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
    section=TRUE,
)
def window_inverted(length: int, window: int) -> Tensor:
    back = steps_back(length)
    return (back < 0) | (back >= window)


@mistake(
    "the window has no far end",
    why="This is the whole past, whatever `window` says. What lies `window` or more steps back is "
    "out of sight.",
    section=TRUE,
)
def endless(length: int, window: int) -> Tensor:
    return triangle(length)


@mistake(
    "the future is in sight: only the far past is hidden",
    why="One border hides what is too long ago, and a second what has not come yet. Here only the "
    "first is there.",
    section=CAUSAL,
)
def open_future(length: int, window: int) -> Tensor:
    return steps_back(length) < window


WINDOW_MISTAKES = (
    too_long,
    too_short,
    too_short_down_to_nothing,
    without_itself,
    without_itself_but_as_far,
    both_sides,
    forwards,
    window_inverted,
    endless,
    open_future,
)

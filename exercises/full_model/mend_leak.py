"""decoder: a stack with a causal mask and a padding mask."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Function, Inputs

from .given import Encoder
from .parts import holding, real_tokens, stack


def decoder(x: Tensor, encoder: Encoder, real: Tensor) -> Tensor:
    """Apply the layers under a causal mask and a padding mask."""
    return encoder(x, past(x) & real.unsqueeze(-2))


def past(x: Tensor) -> Tensor:
    """Return the causal mask."""
    return torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()


def with_encoder(
    answer: "Function", x: torch.Tensor, encoder: dict, real: torch.Tensor
) -> torch.Tensor:
    """Call an answer with an encoder that holds the drawn weights."""
    return answer(x, holding(Encoder(*encoder["sizes"]), encoder), real)


EXERCISE = Exercise(
    __name__,
    decoder,
    results={"stream": "tokens, features"},
    section="Three models from the same parts",
    driver=with_encoder,
)


@EXERCISE.requires("A token reads itself and the tokens before it, but no padding.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return texts with padding at the end."""
    cases = []
    for lengths, d, heads in (([2, 3], 4, 2), ([4, 2], 4, 1), ([5, 3, 2], 6, 3), ([3, 4], 4, 2)):
        real = real_tokens(lengths)
        encoder = stack(draw, d, heads, 2)
        cases.append(Inputs((draw.normal(*real.shape, d), encoder, real)))
    return cases


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def in_front(draw: Draw) -> list[Inputs]:
    """Return texts with padding in front, and a single layer, so that no nan spreads."""
    cases = []
    for lengths in ([2, 4], [3, 1], [2, 3, 4]):
        real = real_tokens(lengths).flip(-1)
        cases.append(Inputs((draw.normal(*real.shape, 4), stack(draw, 4, 2, 1), real)))
    return cases


EXERCISE.edit(
    "the mistake is still in it",
    {"& real": "| real"},
    why="Write down the mask for three tokens, the last of which is padding. May the first read "
    "the second?",
    section="What goes wrong",
)
EXERCISE.edit(
    "padding is read now",
    {"(x) & real.unsqueeze(-2)": "(x)"},
    why="The future is hidden, and that is most of it. But `real` is not used any more. A pair is "
    "allowed only if both masks allow it.",
)
EXERCISE.edit(
    "the future is still read",
    {"past(x) & real": "real"},
    why="Only padding is hidden now. Without the causal mask this is an encoder.",
)
EXERCISE.edit(
    "the triangle is upside down",
    {"(x)": "(x).mT"},
    why="Rows are queries, columns are keys. Now each token sees itself and what comes *after* it.",
    section="What goes wrong",
)
EXERCISE.edit(
    "one sentence's padding is used for all",
    {"real.": "real[:1]."},
    why="Each sentence is padded in its own way.\nKeep the first axis of real.",
)
EXERCISE.edit(
    "each token sees one token of the future",
    {"tril()": "tril(1)"},
    why="The diagonal is the last entry that is allowed. One column more, and each token sees the "
    "very answer it must give.",
    section="What goes wrong",
)
EXERCISE.edit(
    "padding is hidden as a query, not as a key",
    {"-2": "2"},
    why="real must say which *keys* may be read.\nA row for all queries, unsqueeze(-2). As a "
    "column it empties the rows of padding, whose softmax is nan.",
    section="book/masking#A row that sees nothing",
)
EXERCISE.edit(
    "padding can be read by all now",
    {"& real": "| ~real"},
    why="The padding mask is inverted, and | still allows a pair if either mask does. A pair is "
    "allowed only if both masks allow it: &.",
)
EXERCISE.edit(
    "padding is set to zero, but still read",
    "encoder(x * real.unsqueeze(-1), past(x))",
    why="A vector of zeros has a score of 0, and gets its share like the others.\nHide padding "
    "with the mask.",
    section="book/masking#What goes wrong",
)
EXERCISE.edit(
    "padding is hidden as a query, too",
    {"real.unsqueeze(-2)": "(real.unsqueeze(-2) & real.unsqueeze(-1))"},
    why="The rows of padding are empty now, and a softmax over nothing is 0 / 0. What padding asks "
    "does no harm, because its output is never read.\nOnly keep padding from being read.",
    section="book/masking#A row that sees nothing",
)

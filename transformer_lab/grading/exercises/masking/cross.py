"""cross_mask: let real tokens ask real tokens of another text."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.masking.parts import real_tokens


def cross_mask(real: Tensor, memory_real: Tensor) -> Tensor:
    """Let real tokens ask real tokens of another text."""
    return real.unsqueeze(-1) & memory_real.unsqueeze(-2)


EXERCISE = Exercise(
    __name__, cross_mask, results={"mask": "queries, keys"}, section="Which mask for which task?"
)


@EXERCISE.requires(
    "Real tokens may attend to real tokens of the other text, and nothing else may.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give which tokens of two texts are real."""
    by_hand = torch.tensor([[True, True, False]]), torch.tensor([[True, True, False, True]])
    sizes = ((2, 3, 4), (3, 4, 2), (2, 5, 3))
    full, none = torch.ones(2, 3, dtype=torch.bool), torch.zeros(2, 3, dtype=torch.bool)
    return [
        Inputs(by_hand),
        *(Inputs((real_tokens(draw, b, t), real_tokens(draw, b, s))) for b, t, s in sizes),
        Inputs((real_tokens(draw, 2, 4), torch.cat([full[:1], none[:1]]))),
        Inputs((full[:, :1], full)),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give squares."""
    return [Inputs((real_tokens(draw, n, n), real_tokens(draw, n, n))) for n in (3, 4, 4)]


@EXERCISE.mistake(
    "the two texts have changed places",
    why="Rows are the text that asks, columns the one that is asked: (B, T, S). Here the columns "
    "belong to the asking text.",
)
def swapped(real: Tensor, memory_real: Tensor) -> Tensor:
    return cross_mask(memory_real, real)


@EXERCISE.mistake(
    "the padding of the text that is asked is not hidden",
    why="Only the rows of padding are closed. What must not be read are the columns: the padding "
    "of the other text.",
)
def asked_open(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1).expand(-1, -1, memory_real.size(-1))


@asked_open.also
def asked_open_by_broadcasting(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1)


@EXERCISE.mistake(
    "the padding of the text that asks may ask",
    why="Only the columns are hidden. Here padding is to ask nothing, so its rows are False "
    "throughout.",
)
def asking_open(real: Tensor, memory_real: Tensor) -> Tensor:
    return memory_real.unsqueeze(-2).expand(-1, real.size(-1), -1)


@asking_open.also
def asking_open_by_broadcasting(real: Tensor, memory_real: Tensor) -> Tensor:
    return memory_real.unsqueeze(-2)


@EXERCISE.mistake(
    "one real token is enough",
    why="With |, a real token may read the other text's padding. Both have to be real.",
)
def either(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1) | memory_real.unsqueeze(-2)


@EXERCISE.mistake(
    "the other text's future is hidden",
    why="There is no future in the other text: it is complete before the first word is written. "
    "Cross-attention has no causal mask.",
)
def causal(real: Tensor, memory_real: Tensor) -> Tensor:
    open_ = cross_mask(real, memory_real)
    return open_ & torch.ones_like(open_[0]).tril()


@EXERCISE.mistake(
    "the mask is turned round",
    why="True stands where a token may not look. In this book True means: may attend.",
    section="True means keep. Or block.",
)
def inverted(real: Tensor, memory_real: Tensor) -> Tensor:
    return ~cross_mask(real, memory_real)


@EXERCISE.mistake(
    "what asks is asked: the mask is of one text only",
    why="Rows belong to the text that asks, columns to the other, whose padding is given as the "
    "second argument.",
)
def one_text(real: Tensor, memory_real: Tensor) -> Tensor:
    return cross_mask(real, real)


@one_text.also
def other_text(real: Tensor, memory_real: Tensor) -> Tensor:
    return cross_mask(memory_real, memory_real)


@EXERCISE.mistake(
    "padding may ask padding",
    why="Equal is not enough: False equals False too. Both have to be real.",
)
def equal(real: Tensor, memory_real: Tensor) -> Tensor:
    return real.unsqueeze(-1) == memory_real.unsqueeze(-2)

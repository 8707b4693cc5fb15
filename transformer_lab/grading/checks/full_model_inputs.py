"""What the exercises on layers and on learning are applied to: the small and the telling.

Lengths, widths and batches differ; padding stands behind or in front, and its id is not 0; weights
are small, so that no softmax is sure of itself.
"""

import torch
from torch import Tensor

from transformer_lab.grading.checks.full_model_weights import (
    attention_weights,
    encoder_layer_weights,
    norm_weights,
    stack_weights,
)
from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64
LOW, HIGH = 30, 60  # between these lie the ids of padding, start and mask: words below and above
SURE = 200.0  # a logit whose exponential float32 cannot hold


def shift_values(draw: Draw) -> list[Inputs]:
    """Give two texts to shift by hand, then others with another start."""
    by_hand = torch.tensor([[5, 6, 7], [8, 9, 4]])
    drawn = (draw.ids(*shape, low=3, high=60) for shape in ((1, 5), (3, 4)))
    return [Inputs((by_hand, 0)), *(Inputs((ids, 2)) for ids in drawn)]


def shift_general(draw: Draw) -> list[Inputs]:
    """Give texts of one token, and longer ones."""
    shapes = ((2, 1), (1, 9), (4, 6))
    return [Inputs((draw.ids(*shape, low=3, high=60), 1)) for shape in shapes]


def writing_values(draw: Draw) -> list[Inputs]:
    """Give texts without padding."""
    return [_writing(draw, lengths) for lengths in ([3, 3], [5], [4, 4, 4])]


def writing_padding(draw: Draw) -> list[Inputs]:
    """Give texts of unequal length."""
    return [_writing(draw, lengths) for lengths in ([2, 4], [5, 1, 3], [6, 2])]


def masked_values(draw: Draw) -> list[Inputs]:
    """Give texts and which of their words to hide, some and never all."""
    by_hand = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[False, True, False, False]]), 2
    shapes = ((2, 3), (3, 5), (1, 7))
    drawn = [(_words(draw, *shape), draw.mask(*shape), _special(draw)) for shape in shapes]
    return [Inputs(case) for case in (by_hand, *drawn)]


def translation_values(draw: Draw) -> list[Inputs]:
    """Give pairs of texts, all of them long."""
    return [_pair(draw, *sizes) for sizes in (([4], [3]), ([3, 3], [5, 5]), ([2, 2, 2], [4, 4, 4]))]


def translation_padding(draw: Draw) -> list[Inputs]:
    """Give pairs of unequal lengths."""
    sizes = (([4, 2], [1, 3]), ([1, 3, 2], [5, 2, 4]), ([5, 3], [4, 2]))
    return [_pair(draw, *size) for size in sizes]


def loss_values(draw: Draw) -> list[Inputs]:
    """Give chances of 1/2 and 1/4 to do by hand, then texts without padding, one guess sure."""
    chances = torch.tensor([[[0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]])
    by_hand = chances.log(), torch.tensor([[0, 1, 0]]), torch.ones(1, 3, dtype=torch.bool)
    drawn = [_scored(draw, _real(lengths)) for lengths in ([5], [4, 4], [3, 3, 3])]
    for logits, ids, _ in drawn:
        logits[0, 0, ids[0, 1]] = SURE
    return [Inputs(case) for case in (by_hand, *drawn)]


def loss_padding(draw: Draw) -> list[Inputs]:
    """Give texts of unequal length, padded behind or in front, and float64."""
    behind = [_real(lengths) for lengths in ([2, 5], [6, 3, 4], [7, 2])]
    in_front = [_real(lengths).flip(-1) for lengths in ([2, 4], [5, 3, 2], [3, 6])]
    drawn = [_scored(draw, real) for real in (*behind, *in_front)]
    return [Inputs(case) for case in (*drawn, _scored(draw, _real([3, 5]), dtype=F64))]


def encoder_layer_values(draw: Draw) -> list[Inputs]:
    """Give a layer that hides nothing."""
    return [
        _layer_case(draw, *size) for size in ((1, 2, 4, 1, 3), (1, 3, 4, 2, 6), (2, 4, 4, 2, 5))
    ]


def encoder_layer_masked(draw: Draw) -> list[Inputs]:
    """Give masks: of causality, of padding, of each sentence its own, and float64."""
    causal = torch.ones(3, 3, dtype=torch.bool).tril()
    cases = [
        _layer_case(draw, 1, 3, 4, 2, 6, mask=causal),
        _layer_case(draw, 2, 4, 4, 2, 5, mask=_real([4, 2]).unsqueeze(-2)),
        _layer_case(draw, 2, 3, 6, 3, 4, mask=draw.mask(2, 3, 3)),
    ]
    return [*cases, _layer_case(draw, 1, 4, 4, 2, 5, mask=draw.mask(4, 4), dtype=F64)]


def encoder_values(draw: Draw) -> list[Inputs]:
    """Give stacks of two and three layers that hide nothing."""
    return [_stack_case(draw, *size) for size in ((1, 2, 4, 1, 3, 2), (2, 3, 4, 2, 5, 3))]


def encoder_masked(draw: Draw) -> list[Inputs]:
    """Give stacks with padding, with causality, and in float64."""
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    return [
        _stack_case(draw, 2, 3, 4, 2, 6, 2, mask=_real([2, 3]).unsqueeze(-2)),
        _stack_case(draw, 1, 4, 4, 2, 3, 3, mask=causal),
        _stack_case(draw, 2, 4, 4, 2, 5, 2, mask=_real([4, 2]).unsqueeze(-2)),
        _stack_case(draw, 1, 4, 4, 1, 3, 2, mask=draw.mask(4, 4), dtype=F64),
    ]


def decoder_layer_values(draw: Draw) -> list[Inputs]:
    """Give a layer that writes causally about a memory without padding."""
    sizes = ((1, 2, 3, 4, 1, 2), (1, 3, 2, 4, 2, 6), (2, 3, 4, 4, 2, 5))
    return [_decoder_case(draw, *size) for size in sizes]


def decoder_layer_masked(draw: Draw) -> list[Inputs]:
    """Give memories with padding, and float64."""
    return [
        _decoder_case(draw, 2, 3, 4, 4, 2, 5, lengths=[4, 2]),
        _decoder_case(draw, 2, 2, 3, 4, 1, 6, lengths=[1, 3]),
        _decoder_case(draw, 2, 4, 3, 6, 3, 4, lengths=[3, 2]),
        _decoder_case(draw, 2, 3, 4, 4, 2, 3, lengths=[3, 4], dtype=F64),
    ]


def leak_values(draw: Draw) -> list[Inputs]:
    """Give texts with padding at their ends."""
    cases = []
    for lengths, d, heads in (([2, 3], 4, 2), ([4, 2], 4, 1), ([5, 3, 2], 6, 3), ([3, 4], 4, 2)):
        real = _real(lengths)
        weights = stack_weights(draw, d, 5, 2)
        cases.append(Inputs((draw.normal(*real.shape, d), weights, heads, 2, real)))
    return cases


def _special(draw: Draw) -> int:
    """Draw the id of padding, of the start or of a mask."""
    return int(draw.ids(1, low=LOW, high=HIGH))


def _words(draw: Draw, *shape: int) -> Tensor:
    """Draw ids of words, half of them below what is special, half above."""
    words = draw.ids(*shape, high=2 * LOW)
    return torch.where(words < LOW, words, words + HIGH - LOW)


def _texts(draw: Draw, lengths: list[int], pad_id: int) -> tuple[Tensor, Tensor]:
    """Draw padded texts, and tell which ids are real."""
    real = _real(lengths)
    return _words(draw, *real.shape).masked_fill(~real, pad_id), real


def _writing(draw: Draw, lengths: list[int]) -> Inputs:
    """Draw texts, which of their ids are real, and what begins them."""
    return Inputs((*_texts(draw, lengths, _special(draw)), _special(draw)))


def _real(lengths: list[int]) -> Tensor:
    """Tell which places hold a token if texts of these lengths are padded at the end."""
    return torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)


def _pair(draw: Draw, source: list[int], target: list[int]) -> Inputs:
    """Draw texts in two languages, the id that pads them, and the one that begins them."""
    pad_id, start_id = _special(draw), _special(draw)
    return Inputs((*(_texts(draw, t, pad_id)[0] for t in (source, target)), pad_id, start_id))


def _scored(
    draw: Draw, real: Tensor, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw what a model thinks of texts, and the texts."""
    logits = draw.normal(*real.shape, 6, dtype=dtype) * 2
    return logits, draw.ids(*real.shape, high=6), real


def _layer_case(
    draw: Draw,
    b: int,
    t: int,
    d: int,
    heads: int,
    f: int,
    *,
    mask: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors and a layer."""
    x, weights = draw.normal(b, t, d, dtype=dtype), encoder_layer_weights(draw, d, f, dtype)
    return Inputs((x, weights, heads, mask))


def _stack_case(
    draw: Draw,
    b: int,
    t: int,
    d: int,
    heads: int,
    f: int,
    layers: int,
    *,
    mask: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors and a stack."""
    x, weights = draw.normal(b, t, d, dtype=dtype), stack_weights(draw, d, f, layers, dtype)
    return Inputs((x, weights, heads, layers, mask))


def _decoder_case(
    draw: Draw,
    b: int,
    t: int,
    s: int,
    d: int,
    heads: int,
    f: int,
    *,
    lengths: list[int] | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors, a memory and a layer."""
    weights = (
        encoder_layer_weights(draw, d, f, dtype)
        | attention_weights(draw, "cross_attention", d, dtype)
        | norm_weights(draw, "around_cross_attention.norm", d, dtype)
    )
    x, memory = draw.normal(b, t, d, dtype=dtype), draw.normal(b, s, d, dtype=dtype)
    causal = torch.ones(t, t, dtype=torch.bool).tril()
    memory_mask = None if lengths is None else _real(lengths).unsqueeze(-2)
    return Inputs((x, memory, weights, heads, causal, memory_mask))

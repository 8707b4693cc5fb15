"""What the exercises on writing are applied to: small vocabularies, and texts that mislead."""

import torch
from torch import Tensor

from transformer_lab.grading.checks.full_model_weights import attention_weights
from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64
CHAIN = (3, 4, 0, 1, 2)  # what follows on 0, 1, 2, 3 and 4: no token comes back before five steps


def greedy_values(draw: Draw) -> list[Inputs]:
    """Give as many steps as there are, without an end."""
    cases = (([0], 3, 2), ([1, 2], 2, 4), ([4, 3], 3, 0), ([0, 2, 1], 3, 3))
    return [Inputs((_chain(draw), *case)) for case in cases]


def greedy_end(draw: Draw) -> list[Inputs]:
    """Give an end that comes before the last step."""
    cases = (([0], 8, 2), ([4, 1], 6, 0), ([2, 3], 5, 2), ([0, 1, 4], 4, 2))
    return [Inputs((_chain(draw), *case)) for case in cases]


def top_k_values(draw: Draw) -> list[Inputs]:
    """Give logits without ties, and k from 1 to all."""
    by_hand = torch.tensor([[0.5, 2.0, -1.0, 1.0]])
    cases = ((2, 5, 1), (3, 6, 3), (4, 4, 2), (2, 3, 3))
    return [Inputs((by_hand, 2)), *(Inputs((_ranked(draw, b, v), k)) for b, v, k in cases)]


def top_p_values(draw: Draw) -> list[Inputs]:
    """Give chances of 0.15, 0.5, 0.05 and 0.3 to do by hand, then others, unsorted."""
    by_hand = torch.tensor([[0.15, 0.5, 0.05, 0.3]]).log()
    cases = (
        (_ranked(draw, 2, 5), 0.75),
        (_ranked(draw, 3, 6), 0.6),
        (_ranked(draw, 2, 7), 0.9),
        (_ranked(draw, 1, 8).double(), 0.85),
    )
    return [Inputs((by_hand, 0.6)), Inputs((by_hand, 0.9)), *map(Inputs, cases)]


def top_p_few(draw: Draw) -> list[Inputs]:
    """Give a p that the likeliest token alone exceeds."""
    return [
        Inputs((_ranked(draw, b, v), p)) for b, v, p in ((1, 4, 0.1), (3, 5, 0.05), (2, 6, 0.2))
    ]


def beam_values(draw: Draw) -> list[Inputs]:
    """Give the chapter's table, in which the likelier first word is the worse one, and others.

    One beam loses the best text, and so do two where it is third for a while.
    """
    chances = torch.full((6, 6), 1e-6)
    chances[0, [1, 2]] = torch.tensor([0.6, 0.4])
    chances[1, [3, 4, 5]] = torch.tensor([0.4, 0.3, 0.3])
    chances[2, [3, 4]] = torch.tensor([0.9, 0.1])
    by_hand = [Inputs((chances.log(), 0, beams, 2)) for beams in (2, 1)]
    drawn = [(*_from_anywhere(draw, _trap(draw)), beams, 2) for beams in (2, 3, 1)]
    return [*by_hand, *map(Inputs, drawn), Inputs((*_from_anywhere(draw, _third(draw)), 2, 3))]


def beam_deep(draw: Draw) -> list[Inputs]:
    """Give texts that are second or third at the second step, and win at the third."""
    traps = ((_deep_trap, 2), (_deep_trap, 3), (_deep_trap, 2), (_third, 3), (_third, 2))
    return [Inputs((*_from_anywhere(draw, trap(draw)), beams, 3)) for trap, beams in traps]


def cache_values(draw: Draw) -> list[Inputs]:
    """Give one new token, and what is kept of those before it."""
    return [_cache(draw, *size) for size in ((1, 2, 2), (1, 3, 4), (2, 5, 3))]


def cache_general(draw: Draw) -> list[Inputs]:
    """Give an empty cache, a batch, and float64."""
    return [_cache(draw, 1, 0, 3), _cache(draw, 3, 4, 5), _cache(draw, 2, 3, 4, dtype=F64)]


def places_values(draw: Draw) -> list[Inputs]:
    """Give new tokens, one or several, behind others."""
    cases = ((1, 1, 3), (2, 2, 4), (1, 3, 2), (3, 2, 5))
    return [
        Inputs((draw.ids(b, t, high=7), past, draw.normal(7, 4), draw.normal(9, 4)))
        for b, t, past in cases
    ]


def _chain(draw: Draw) -> Tensor:
    """Draw logits of what follows on each token; the likeliest are those of the chain."""
    table = draw.normal(5, 5)
    table[torch.arange(5), torch.tensor(CHAIN)] = table.amax(dim=-1) + 1
    return table


def _ranked(draw: Draw, *shape: int) -> Tensor:
    """Draw logits without ties, in no order."""
    return draw.normal(*shape).argsort(dim=-1) * 0.7 - 1


def _trap(draw: Draw) -> Tensor:
    """Draw logits: 1 is likelier than 2, but on 1 anything follows, and on 2 surely 4."""
    table = _flat(draw)
    table[0, 1], table[0, 2] = 4.0, 3.5
    table[2, 4] = 5.0
    return table + draw.normal(6, 1)


def _flat(draw: Draw) -> Tensor:
    """Draw logits that are nearly equal, and no two quite."""
    return draw.normal(36).argsort().view(6, 6) / 150


def _deep_trap(draw: Draw) -> Tensor:
    """Draw logits: first 1; then 3 is likelier than 4, but on 4 surely 5 follows."""
    table = _flat(draw)
    table[0, 1] = 4.0
    table[1, 3], table[1, 4] = 4.0, 3.5
    table[4, 5] = 5.0
    return table + draw.normal(6, 1)


def _third(draw: Draw) -> Tensor:
    """Draw logits: 1, 3 and 1, 4 are likelier than 2, 5, but on 5 surely 0 follows."""
    table = _flat(draw)
    table[0, 1], table[0, 2] = 4.0, 3.5
    table[1, 3], table[1, 4] = 4.0, 3.5
    table[2, 5] = 1.5
    table[5, 0] = 5.0
    return table + draw.normal(6, 1)


def _from_anywhere(draw: Draw, table: Tensor) -> tuple[Tensor, int]:
    """Give the tokens of a table other ids, and the id of what was 0."""
    start = int(draw.ids(1, low=1, high=len(table)))
    return table.roll((start, start), dims=(0, 1)), start


def _cache(draw: Draw, b: int, s: int, d: int, *, dtype: torch.dtype = torch.float32) -> Inputs:
    """Draw a new token, s kept ones, and a head as wide as the model."""
    weights = {
        name.removeprefix("head."): weight
        for name, weight in attention_weights(draw, "head", d, dtype).items()
    }
    x, keys, values = (draw.normal(b, length, d, dtype=dtype) for length in (1, s, s))
    return Inputs((x, keys, values, weights))

"""Search for the most probable text, not the most probable token at each step.

A greedy choice cannot be undone, and a good text may begin with a token that is second best. Beam
search follows the best few texts at once. Finished texts must be compared with texts of other
lengths, and every further token makes a text less probable, so there is a length penalty.
"""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from transformer_lab._checks import check_integers, check_not_negative
from transformer_lab._shapes import Ids, Real
from transformer_lab.cache import Cache
from transformer_lab.generate import NEVER, Decoder, check_request, next_token_logits


def length_penalty(length: int, *, alpha: float = 0.6) -> float:
    """Return the divisor of a text's log-probability: 1 for one token, more for longer texts.

    alpha = 0 means no penalty. Sources: Wu et al. 2016, equation 14; alpha = 0.6 with 4 beams is
    what Vaswani et al. 2017, section 6.1, used. Raises ValueError for less than one token, and for
    a negative alpha, which would penalise longer texts twice.
    """
    check_integers(length=length)
    check_not_negative(alpha=alpha)
    return ((5 + length) / 6) ** alpha


class Hypotheses(NamedTuple):
    """The best texts found for each prompt, best first, each filled up with pad_id.

    A score is the natural logarithm of the text's probability, divided by its penalty; -inf where
    fewer texts than beams were found.
    """

    tokens: Int[Tensor, "B beams T_new"]
    scores: Float[Tensor, "B beams"]


def beam_search(
    model: Decoder,
    prompt: Ids,
    real: Real | None = None,
    *,
    beams: int,
    max_new_tokens: int,
    eos_id: int | None = None,
    pad_id: int = 0,
    penalty: Callable[[int], float] = length_penalty,
    use_cache: bool = True,
) -> Hypotheses:
    """Continue each prompt by `beams` texts at once, the likeliest found at each step.

    Of all that could come next, the best `beams` count: those that end with eos_id are put aside,
    the others continue, and the next best join them. A prompt's search is over when nothing that
    continues can still beat what was put aside, or after max_new_tokens. `penalty`, which must not
    fall with the length, gets the number of new tokens, eos_id included.
    Raises what `generate` raises, and ValueError for fewer beams than 1 or more than the
    vocabulary has tokens, and for a penalty that is not positive or falls.
    """
    prompt, real = check_request(model, prompt, real, max_new_tokens, eos_id, pad_id)
    check_integers(beams=beams)
    penalties = [penalty(length) for length in range(1, max_new_tokens + 1)]
    _check_penalties(penalties)
    B, T = prompt.shape
    batch = torch.arange(B, device=prompt.device).unsqueeze(-1)
    ids, cache = prompt, Cache() if use_cache else None
    end = NEVER if eos_id is None else eos_id
    live = torch.zeros(B, 1, device=prompt.device)  # log-probabilities; one text per prompt so far
    aside = Hypotheses(
        prompt.new_full((B, beams, T + max_new_tokens), pad_id),
        live.new_full((B, beams), -torch.inf),
    )
    for length, divisor in enumerate(penalties, start=1):
        new = next_token_logits(model, ids, real, cache).log_softmax(dim=-1)
        if beams > new.size(-1):
            raise ValueError(
                f"beams must be from 1 to the {new.size(-1)} tokens of the vocabulary, because "
                f"each begins with a different token, but is {beams}."
            )
        totals = live.unsqueeze(-1) + new.unflatten(0, live.shape)  # (B, texts, V)
        candidates, V = totals.flatten(1), new.size(-1)
        best, index = candidates.topk(min(2 * beams, candidates.size(-1)))
        rows = batch * live.size(-1) + index // V
        texts = torch.cat([ids[rows], (index % V).unsqueeze(-1)], dim=-1)  # (B, candidates, T + n)

        ends = (texts[..., -1] == end) | (length == max_new_tokens)
        counts = ends & (torch.arange(best.size(-1), device=best.device) < beams)
        scores = (best / divisor).masked_fill(~counts, -torch.inf)
        aside = _join(aside, texts, scores, pad_id)

        live, kept = best.masked_fill(ends, -torch.inf).topk(beams)
        if (live[:, 0] / penalties[-1] <= aside.scores[:, -1]).all():
            break
        ids, rows = texts[batch, kept].flatten(0, 1), rows[batch, kept].flatten()
        real = None if real is None else F.pad(real[rows], (0, 1), value=True)
        if cache is not None:
            cache.reorder(rows)
    return Hypotheses(aside.tokens[..., T : T + length], aside.scores)


def _join(aside: Hypotheses, texts: Tensor, scores: Tensor, pad_id: int) -> Hypotheses:
    """Keep the best of the finished texts and those that have just ended."""
    texts = F.pad(texts, (0, aside.tokens.size(-1) - texts.size(-1)), value=pad_id)
    texts = torch.cat([aside.tokens, texts], dim=1)
    best, index = torch.cat([aside.scores, scores], dim=1).topk(aside.scores.size(-1))
    return Hypotheses(texts.take_along_dim(index.unsqueeze(-1), dim=1), best)


def _check_penalties(penalties: list[float]) -> None:
    """Raise ValueError for penalties with which a search can't tell when to stop."""
    for length, (before, after) in enumerate(pairwise([0.0, *penalties]), start=1):
        if not (0 < after < math.inf and before <= after):
            raise ValueError(
                f"penalty must be positive and must not fall with the length, but for {length} "
                f"tokens it is {after}, and one token earlier {before}. For no penalty, pass "
                f"penalty=lambda length: 1.0."
            )

"""The exercises on writing: choosing a token, following several texts, reading with a cache."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.checks import full_model_writing_inputs as inputs
from transformer_lab.grading.checks.full_model_given import linear, part
from transformer_lab.grading.exercise import Exercise, Property
from transformer_lab.grading.misconceptions.full_model_cache import (
    CACHE_MISTAKES,
    PLACES_MISTAKES,
)
from transformer_lab.grading.misconceptions.full_model_choosing import (
    GREEDY_MISTAKES,
    TOP_K_MISTAKES,
    TOP_P_MISTAKES,
)
from transformer_lab.grading.misconceptions.full_model_search import BEAM_MISTAKES


def greedy(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    """Take the likeliest token, again and again."""
    written: list[int] = []
    while len(written) < steps and written[-1:] != [end_id]:
        written.append(int(table[[*prompt, *written][-1]].argmax()))
    return written


def top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k likeliest."""
    return logits.masked_fill(logits < logits.topk(k).values[..., -1:], -torch.inf)


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep a token if those before it have not reached p."""
    chances = logits.softmax(dim=-1)
    likelier = chances.unsqueeze(-2) > chances.unsqueeze(-1)
    before = (likelier * chances.unsqueeze(-2)).sum(dim=-1)
    return logits.masked_fill(before >= p, -torch.inf)


def beam_search(table: Tensor, start: int, beams: int, steps: int) -> tuple[list[int], float]:
    """Follow the best few texts."""
    chances = table.log_softmax(dim=-1)
    texts = [([start], 0.0)]
    for _ in range(steps):
        longer = [
            ([*text, token], score + chances[text[-1], token].item())
            for text, score in texts
            for token in range(len(table))
        ]
        texts = sorted(longer, key=lambda pair: -pair[1])[:beams]
    text, score = texts[0]
    return text[1:], score


def cached_step(
    x: Tensor, keys: Tensor, values: Tensor, weights: dict[str, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """Let one new token ask all that is kept, itself included."""
    q = linear(x, part(weights, "query"))
    keys = torch.cat([keys, linear(x, part(weights, "key"))], dim=-2)
    values = torch.cat([values, linear(x, part(weights, "value"))], dim=-2)
    seen = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return linear(seen @ values, part(weights, "output")), keys, values


def embed_new(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    """Count the places from the beginning of the text."""
    return tokens[ids] + positions[past : past + ids.size(-1)]


GREEDY = Exercise(
    id="full_model-greedy",
    function="greedy",
    arguments=("table", "prompt", "steps", "end_id"),
    results={"written": ""},
    reference=greedy,
    properties=(
        Property(
            "full_model-greedy-values",
            2,
            "Each new token is the likeliest after the one before it.",
            inputs.greedy_values,
        ),
        Property(
            "full_model-greedy-end",
            1,
            "It stops behind the end symbol.",
            inputs.greedy_end,
        ),
    ),
    mistakes=GREEDY_MISTAKES,
)

TOP_K = Exercise(
    id="full_model-top-k",
    function="top_k",
    arguments=("logits", "k"),
    results={"logits": "texts, vocabulary"},
    reference=top_k,
    properties=(
        Property(
            "full_model-top-k-values",
            2,
            "The k largest logits of each row stay; all others are -inf.",
            inputs.top_k_values,
        ),
    ),
    mistakes=TOP_K_MISTAKES,
)

TOP_P = Exercise(
    id="full_model-top-p",
    function="top_p",
    arguments=("logits", "p"),
    results={"logits": "texts, vocabulary"},
    reference=top_p,
    properties=(
        Property(
            "full_model-top-p-values",
            2,
            "The fewest likely tokens that together reach p stay; all others are -inf.",
            inputs.top_p_values,
        ),
        Property(
            "full_model-top-p-few",
            1,
            "However small p is, the likeliest token stays.",
            inputs.top_p_few,
        ),
    ),
    mistakes=TOP_P_MISTAKES,
)

BEAM = Exercise(
    id="full_model-beam",
    function="beam_search",
    arguments=("table", "start", "beams", "steps"),
    results={"text": "", "score": ""},
    reference=beam_search,
    properties=(
        Property(
            "full_model-beam-values",
            3,
            "It returns the likeliest text that it followed, and the logarithm of its probability.",
            inputs.beam_values,
        ),
        Property(
            "full_model-beam-deep",
            1,
            "A text that is behind may still win, several steps later.",
            inputs.beam_deep,
        ),
    ),
    mistakes=BEAM_MISTAKES,
)

CACHE = Exercise(
    id="full_model-cache",
    function="cached_step",
    arguments=("x", "keys", "values", "weights"),
    results={
        "output": "new tokens, features",
        "keys": "tokens, features",
        "values": "tokens, features",
    },
    reference=cached_step,
    properties=(
        Property(
            "full_model-cache-values",
            2,
            "The result is the last row of attention over the whole text.",
            inputs.cache_values,
        ),
        Property(
            "full_model-cache-general",
            1,
            "It holds for an empty cache, for batches, and in float64.",
            inputs.cache_general,
        ),
        Property(
            "full_model-cache-untouched",
            1,
            "It leaves the caller's tensors as they were.",
            inputs.cache_values,
            unchanged=True,
        ),
    ),
    mistakes=CACHE_MISTAKES,
)

PLACES = Exercise(
    id="full_model-mend-places",
    function="embed_new",
    arguments=("ids", "past", "tokens", "positions"),
    results={"vectors": "new tokens, features"},
    reference=embed_new,
    properties=(
        Property(
            "full_model-mend-places-values",
            2,
            "A token gets the position that it has in the whole text.",
            inputs.places_values,
        ),
    ),
    mistakes=PLACES_MISTAKES,
)

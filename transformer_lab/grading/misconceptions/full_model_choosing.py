# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write greedily, and to cut off the unlikely."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

WRITING = "book/full_model#Writing, step by step"
CHOOSING = "book/full_model#Choosing a token"


def go_on(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    """Give the prompt and what follows on it."""
    ids = list(prompt)
    for _ in range(steps):
        ids.append(int(table[ids[-1]].argmax()))
        if ids[-1] == end_id:
            break
    return ids


@mistake(
    "the prompt is given back too",
    why="What was asked for is what has been written: leave out the prompt.",
    section=WRITING,
)
def greedy_with_prompt(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    return go_on(table, prompt, steps, end_id)


@mistake(
    "it does not stop at the end symbol",
    why="Behind the end symbol there is no text. A model asked to go on will go on, with "
    "something: stop as soon as it has been written.",
    section=WRITING,
)
def greedy_endless(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    return go_on(table, prompt, steps, -1)[len(prompt) :]


@mistake(
    "the end symbol is not written",
    why="It stops before it has noted the end symbol down. The symbol is a token like others, and "
    "says that the text is finished and was not cut off.",
    section=WRITING,
)
def greedy_no_end(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    written = go_on(table, prompt, steps, end_id)[len(prompt) :]
    return [token for token in written if token != end_id]


@mistake(
    "it does not read what it has written",
    why="Each step looks at the end of the prompt, so each step says the same. What has been "
    "written is read in the next step.",
    section=WRITING,
)
def greedy_deaf(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    token = int(table[prompt[-1]].argmax())
    return [token] if token == end_id else [token] * steps


@mistake(
    "it looks at the first token, not at the last",
    why="The logits of the *last* place say what comes next. Those of the first say what comes "
    "second, and that is known.",
    section=WRITING,
)
def greedy_first(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    token = int(table[prompt[0]].argmax())
    return [token] if token == end_id else [token] * steps


@mistake(
    "it writes one token too few",
    why="steps is how many tokens may be written. Count from 0 to steps - 1: range(steps).",
    section=WRITING,
)
def greedy_short(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    return go_on(table, prompt, steps - 1, end_id)[len(prompt) :]


@mistake(
    "what is cut off becomes 0",
    why="A logit of 0 is not a probability of 0: behind the softmax it is e⁰ = 1, as good as "
    "many others. What must not be chosen gets -inf.",
    section=CHOOSING,
)
def top_k_zero(logits: Tensor, k: int) -> Tensor:
    return logits * (logits >= logits.topk(k).values[..., -1:])


@mistake(
    "one token too many stays",
    why="In descending order the k-th largest stands at place k - 1.",
    section=CHOOSING,
)
def top_k_one_more(logits: Tensor, k: int) -> Tensor:
    more = min(k + 1, logits.size(-1))
    return logits.masked_fill(logits < logits.topk(more).values[..., -1:], -torch.inf)


@mistake(
    "one token too few stays",
    why="The k-th largest itself stays, too: compare with <, not with <=.",
    section=CHOOSING,
)
def top_k_one_less(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits <= logits.topk(k).values[..., -1:], -torch.inf)


@mistake(
    "the least likely stay",
    why="sort puts the smallest first. The last k are the largest.",
    section=CHOOSING,
)
def top_k_least(logits: Tensor, k: int) -> Tensor:
    limit = logits.sort(dim=-1).values[..., k - 1 : k]
    return logits.masked_fill(logits > limit, -torch.inf)


@mistake(
    "the rows of the batch compete",
    why="Each text has its own k likeliest tokens. Take them along the last axis, not of the whole "
    "tensor.",
    section=CHOOSING,
)
def top_k_of_batch(logits: Tensor, k: int) -> Tensor:
    return logits.masked_fill(logits < logits.flatten().topk(k).values[-1], -torch.inf)


@mistake(
    "only the k values are given back",
    why="They have lost their places, and a place says which token it is. Keep the shape, and cut "
    "off the others with -inf.",
    section=CHOOSING,
)
def top_k_values_only(logits: Tensor, k: int) -> Tensor:
    return logits.topk(k).values


def chances_before(logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Sort by chance; give the chances, what those before add up to, and the order."""
    chances, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    return chances, chances.cumsum(dim=-1) - chances, order


def cut(logits: Tensor, goes: Tensor, order: Tensor) -> Tensor:
    """Cut off what goes, of the sorted, at its place."""
    return logits.masked_fill(goes.gather(-1, order.argsort(dim=-1)), -torch.inf)


@mistake(
    "the token that reaches p is cut off",
    why="What is left has less than p together. The token with which the sum reaches p stays; so "
    "ask what those *before* it add up to.",
    section=CHOOSING,
)
def top_p_too_few(logits: Tensor, p: float) -> Tensor:
    chances, before, order = chances_before(logits)
    return cut(logits, before + chances > p, order)


@mistake(
    "each token is compared with p by itself",
    why="p is what the tokens have *together*. By itself hardly any has so much: sort, and add up.",
    section=CHOOSING,
)
def top_p_each(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(logits.softmax(dim=-1) < p, -torch.inf)


@mistake(
    "it begins with the unlikely",
    why="Sorted ascending, the sum reaches p only with the likely ones, and these are cut off. "
    "Sort with descending=True.",
    section=CHOOSING,
)
def top_p_ascending(logits: Tensor, p: float) -> Tensor:
    chances, order = logits.softmax(dim=-1).sort(dim=-1)
    return cut(logits, chances.cumsum(dim=-1) - chances >= p, order)


@mistake(
    "what was found in order is applied out of order",
    why="The chances were sorted, and the logits are not. Put the answer back to where each token "
    "stands: scatter it with the order that sort gave.",
    section=CHOOSING,
)
def top_p_not_put_back(logits: Tensor, p: float) -> Tensor:
    return logits.masked_fill(chances_before(logits)[1] >= p, -torch.inf)


@mistake(
    "what is cut off becomes 0",
    why="A logit of 0 is not a probability of 0: behind the softmax it is e⁰ = 1, as good as "
    "many others. What must not be chosen gets -inf.",
    section=CHOOSING,
)
def top_p_zero(logits: Tensor, p: float) -> Tensor:
    _, before, order = chances_before(logits)
    kept = cut(logits, before >= p, order)
    return kept.masked_fill(kept.isinf(), 0)


@mistake(
    "logits are added up, not probabilities",
    why="p is a probability. Take the softmax first, then sort and add up.",
    section=CHOOSING,
)
def top_p_logits(logits: Tensor, p: float) -> Tensor:
    values, order = logits.sort(dim=-1, descending=True)
    return cut(logits, values.cumsum(dim=-1) - values >= p, order)


GREEDY_MISTAKES = (
    greedy_with_prompt,
    greedy_endless,
    greedy_no_end,
    greedy_deaf,
    greedy_first,
    greedy_short,
)
TOP_K_MISTAKES = (
    top_k_zero,
    top_k_one_more,
    top_k_one_less,
    top_k_least,
    top_k_of_batch,
    top_k_values_only,
)
TOP_P_MISTAKES = (
    top_p_too_few,
    top_p_each,
    top_p_ascending,
    top_p_not_put_back,
    top_p_zero,
    top_p_logits,
)

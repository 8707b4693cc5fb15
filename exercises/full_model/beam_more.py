"""beam_search goes on: mistakes in what is given back."""

import math

from torch import Tensor

from .beam import (
    EXERCISE,
    Text,
    beam_search,
    best,
    chances,
    search,
)


@EXERCISE.mistake(
    "the worst of the beams is given back",
    why="sorted puts the smallest first, and a logarithm near 0 is a likely text. Take the "
    "largest.",
)
def worst(table: Tensor, start: int, beams: int, steps: int) -> Text:
    text, score = search(chances(table), start, beams, steps)[-1]
    return text[1:], score


@EXERCISE.mistake(
    "more texts go on than there are beams",
    why="It finds the best text of all, but who keeps all has, step by step, as many times more as "
    "there are tokens: with 50,000 tokens, 2.5 billion after two. Keep the best `beams`, drop the "
    "rest. (One text for each last token is Viterbi's search, another one.)",
)
def keeps_all(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return beam_search(table, start, len(table) ** steps, steps)


@EXERCISE.mistake(
    "the score is a probability, not its logarithm",
    why="What is asked for is the sum of the logarithms, as it was added up.",
)
def powers(table: Tensor, start: int, beams: int, steps: int) -> Text:
    text, score = beam_search(table, start, beams, steps)
    return text, math.exp(score)


@EXERCISE.mistake(
    "the score is the mean of the logarithms, not their sum",
    why="The probability of a text is the product of its tokens', so its logarithm is their sum. "
    "(Divided by the length, it is another search.)",
)
def mean(table: Tensor, start: int, beams: int, steps: int) -> Text:
    text, score = beam_search(table, start, beams, steps)
    return text, score / steps


@EXERCISE.mistake(
    "the sign of the score is turned round",
    why="The logarithm of a probability is at most 0. What was negated to be sorted has to be "
    "turned back.",
)
def negative(table: Tensor, start: int, beams: int, steps: int) -> Text:
    text, score = beam_search(table, start, beams, steps)
    return text, -score


@EXERCISE.mistake(
    "all beams are given back",
    why="Asked for is the best text that was followed, and its score.",
)
def all_beams(table: Tensor, start: int, beams: int, steps: int) -> list:
    return [(text[1:], score) for text, score in search(chances(table), start, beams, steps)]


@EXERCISE.mistake(
    "it takes one step too many or too few",
    why="steps is how many tokens are written: count from 0 to steps - 1.",
)
def too_short(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return beam_search(table, start, beams, steps - 1)


@too_short.also
def too_long(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return beam_search(table, start, beams, steps + 1)


@EXERCISE.mistake(
    "text and score have changed places",
    why="It returns (score, text). The text comes first.",
)
def swapped(table: Tensor, start: int, beams: int, steps: int) -> tuple[float, list[int]]:
    return beam_search(table, start, beams, steps)[::-1]


@EXERCISE.mistake(
    "the worst texts go on, not the best",
    why="sorted puts the smallest first, and a logarithm near 0 is a likely text. Take the "
    "largest: sorted(..., reverse=True).",
    of=best,
)
def worst_go_on(texts: list[Text], beams: int) -> list[Text]:
    return sorted(texts, key=lambda text: text[1])[:beams]


@EXERCISE.mistake(
    "the best text of any length is given back",
    why="A probability falls with each token, so the best of all lengths has one token. Asked for "
    "is the best of those that have all steps.",
)
def of_any_length(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return beam_search(table, start, beams, min(steps, 1))


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. log_softmax takes logits of "
    "any size.",
    section="book/attention#Weights are a softmax of scores",
    of=chances,
)
def overflows(table: Tensor) -> Tensor:
    powers = table.exp()
    return (powers / powers.sum(dim=-1, keepdim=True)).log()


@EXERCISE.mistake(
    "of the texts that end alike, only the best goes on",
    why="Then a worse text goes on in the place of a better one. That is Viterbi's search, another "
    "one. Of all continuations the best `beams` go on, whatever they end with.",
    of=best,
)
def one_for_each_end(texts: list[Text], beams: int) -> list[Text]:
    every = sorted(texts, key=lambda text: text[1])
    return sorted({text[-1]: (text, score) for text, score in every}.values(), key=_worse)[:beams]


def _worse(text: Text) -> float:
    """Give what grows as a text gets worse."""
    return -text[1]

"""Models whose heads each know which word follows which, some correctly: all from one recipe."""

import torch
import torch.nn.functional as F

from tensorgrader.exercise import Draw, Inputs, Made

WORDS = 12
KINDS = {
    "steady": "a model of the next word",
    "harmed": "a model of the next word in which one head does much harm",
    "heard": "a model of the next word in which one head is heard by another",
    "rare": "a model of the next word in which one head knows a rare word",
    "twice": "a model of the next word in which two heads know a rare word",
}
#: How loudly three heads say the words that follow: the needed one, a second, and a helper.
SAID = {
    "steady": (3.0, 0.0, 2.0),
    "harmed": (3.0, 0.0, 2.0),
    "heard": (1.0, 3.0, 2.5),
    "rare": (0.0, 2.5, 1.5),
    "twice": (3.0, 0.0, 0.0),
}


def speaking(tables, hears):  # type: ignore[no-untyped-def]
    """Return a model that sums what its heads predict after each word.

    A head (a, b) has `tables[a, b]`. It is also silent where the head that it reads is ablated.
    """
    every = [(a, b) for a in range(tables.size(0)) for b in range(tables.size(1))]

    def model(text, silenced):  # type: ignore[no-untyped-def]
        silent = [tuple(pair) if hasattr(pair, "__len__") else pair for pair in silenced]
        for pair in silent:
            if pair not in every:
                raise ValueError(
                    f"silenced is a list of pairs (layer, head), from (0, 0) to {every[-1]}; "
                    f"given was {pair!r}"
                )
        scores = torch.zeros(len(text), tables.size(-1))
        for pair in every:
            if pair not in silent and every[int(hears[pair])] not in silent:
                scores = scores + tables[pair][text]
        return scores

    return model


def drawn_model(draw: Draw, kind: str, layers: int, heads: int, at: int, period: int) -> Inputs:
    """Draw a model of a kind, and a text that needs one head of layer `at`.

    The text repeats some words; a rare one and the last occur once. Among the other heads, one
    predicts a word that never occurs, one the current word, and one all words alike, loudly.
    """
    number = layers * heads
    needed = at * heads + int(draw.ids(1, high=heads))
    others = [n for n in draw.distinct(number, low=0, high=number) if n != needed]
    if kind == "heard":  # the harmful head has the same number in another layer
        others.sort(key=lambda n: n % heads != needed % heads)
    else:
        others.sort(key=lambda n: n // heads != at)
    harmful = others.pop(0)
    others.sort(key=lambda n: n // heads <= at)  # the first can read the needed one
    second, helper, echo, loud = others[:4]
    *words, rare, last, never = draw.distinct(period + 3, low=0, high=WORDS)

    tables, hears = torch.zeros(number, WORDS, WORDS), torch.arange(number)
    follow = F.one_hot(torch.tensor(words[1:]), WORDS).float()
    more = 0.5 * draw.ids(1, high=3)
    for head, loudness in zip((needed, second, helper), SAID[kind], strict=True):
        tables[head, words[:-1]] = follow * (loudness + more * (loudness > 0))
    if kind in ("steady", "harmed"):
        tables[second, words[1:], words[:-1]] = 1.5  # the word before
    if kind == "heard":
        hears[second] = needed
    tables[harmful, words[:-1], never] = 20.0 if kind in ("harmed", "heard") else 1.0
    knowing = {"rare": [needed], "twice": [second, helper]}.get(kind, [])
    tables[harmful, rare, never] = 60.0 if knowing else 0.0
    for head in knowing:
        tables[head, rare, words[0]] = 66.0
    tables[echo] = torch.eye(WORDS) * 1.5
    tables[loud] = -6.0
    tables[harmful, last] = 200.0  # an answer that counts the last word, too, prefers the helper
    tables[harmful, last, words[0]], tables[helper, last, words[0]] = 0.0, 100.0
    shape = (layers, heads)
    given = tables.view(*shape, WORDS, WORDS), hears.view(shape)
    text = torch.tensor([*words * 3, rare, *words, last])
    return Inputs((Made(KINDS[kind], speaking, given), text, layers, heads))

"""beam_search: keep the most probable continuations at each step."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

Text = tuple[list[int], float]
#: After its first token, the winning text is fourth of nine at the second step.
FOURTH = torch.tensor([[5.0, 10.0, 2.0], [22.0, 30.0, 20.0], [1.0, 1.0, 20.0]])


def beam_search(table: Tensor, start: int, beams: int, steps: int) -> tuple[list[int], float]:
    """Return the most probable text that beam search finds, and its log-probability."""
    text, score = search(chances(table), start, beams, steps)[0]
    return text[1:], score


def chances(table: Tensor) -> Tensor:
    """Return the log-probability of each token."""
    return table.log_softmax(dim=-1)


def search(scores: Tensor, start: int, beams: int, steps: int) -> list[Text]:
    """Return the best texts after the last step, keeping `beams` of them at each."""
    texts: list[Text] = [([start], 0.0)]
    for _ in range(steps):
        texts = best(all_longer(scores, texts), beams)
    return texts


def best(texts: list[Text], count: int) -> list[Text]:
    """Return the texts with the highest scores."""
    return sorted(texts, key=lambda pair: -pair[1])[:count]


EXERCISE = Exercise(
    __name__,
    beam_search,
    results={"text": "", "score": ""},
    section="book/training_and_writing#Choosing a token",
)


@EXERCISE.requires(
    "After each step it keeps the `beams` likeliest texts and drops the others; it returns the "
    "best and its log-probability.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return the chapter's table, in which the likelier first word turns out worse, then others.

    One beam loses the best text, and so do two where it is third for a while, or where its rivals
    end alike. Some logits are large, and two cases have more beams than tokens.
    """
    likely = torch.full((6, 6), 1e-6)
    likely[0, [1, 2]] = torch.tensor([0.6, 0.4])
    likely[1, [3, 4, 5]] = torch.tensor([0.4, 0.3, 0.3])
    likely[2, [3, 4]] = torch.tensor([0.9, 0.1])
    by_hand = [Inputs((likely.log(), 0, beams, 2)) for beams in (2, 1)]
    drawn = [(*_from_anywhere(draw, _trap(draw)), beams, 2) for beams in (2, 3, 1)]
    third = (*_from_anywhere(draw, _third(draw)), 2, 3)
    large = (*_from_anywhere(draw, _trap(draw) + 200), 2, 2)
    ahead = (*_from_anywhere(draw, _alike_ahead(draw)), 2, 3)
    few = (*_from_anywhere(draw, _two_tokens(draw)), 3, 2)
    many = (*_from_anywhere(draw, FOURTH.log()), 5, 3)
    return [*by_hand, *map(Inputs, (*drawn, third, large, ahead, few, many))]


@EXERCISE.requires("A text that is behind may still win several steps later.", points=1)
def deep(draw: Draw) -> list[Inputs]:
    """Return tables whose best text is second or third at the second step."""
    traps = ((_deep_trap, 2), (_deep_trap, 3), (_deep_trap, 2), (_third, 3), (_third, 2))
    return [Inputs((*_from_anywhere(draw, trap(draw)), beams, 3)) for trap, beams in traps]


EXERCISE.untouched()


@EXERCISE.probe
def more(draw: Draw) -> list[Inputs]:
    """Return logits whose exponentials overflow, texts that end alike, and a vocabulary of two."""
    large = ((_trap(draw) + 200, beams, 2) for beams in (2, 3))
    ahead, few = ((_alike_ahead(draw), 2, 3) for _ in range(2)), ((_two_tokens(draw), 4, 3),)
    cases = (*large, *ahead, *few)
    return [Inputs((*_from_anywhere(draw, table), *rest)) for table, *rest in cases]


def _trap(draw: Draw) -> Tensor:
    """Draw logits: 1 is likelier than 2, but anything may follow 1, and only 4 follows 2."""
    table = _flat(draw)
    table[0, 1], table[0, 2] = 4.0, 3.5
    table[2, 4] = 5.0
    return table + draw.normal(6, 1)


def _flat(draw: Draw) -> Tensor:
    """Draw logits that are nearly equal, but distinct."""
    return draw.normal(36).argsort().view(6, 6) / 150


def _deep_trap(draw: Draw) -> Tensor:
    """Draw logits: first 1; then 3 is likelier than 4, but only 5 follows 4."""
    table = _flat(draw)
    table[0, 1] = 4.0
    table[1, 3], table[1, 4] = 4.0, 3.5
    table[4, 5] = 5.0
    return table + draw.normal(6, 1)


def _third(draw: Draw) -> Tensor:
    """Draw logits: (1, 3) and (1, 4) are likelier than (2, 5), but only 0 follows 5."""
    table = _flat(draw)
    table[0, 1], table[0, 2] = 4.0, 3.5
    table[1, 3], table[1, 4] = 4.0, 3.5
    table[2, 5] = 1.5
    table[5, 0] = 5.0
    return table + draw.normal(6, 1)


def _alike_ahead(draw: Draw) -> Tensor:
    """Draw logits: (1, 3) and (2, 3) are likelier than (1, 4), but only 5 follows 4."""
    table = _flat(draw)
    table[0, 1], table[0, 2] = 4.0, 3.7
    table[1, 3], table[1, 4] = 4.0, 3.3
    table[2, 3] = 4.0
    table[4, 5] = 5.0
    return table + draw.normal(6, 1)


def _two_tokens(draw: Draw) -> Tensor:
    """Draw logits of two tokens: 0 is likelier than 1, but only 1 follows 1."""
    return torch.tensor([[0.55, 0.45], [0.1, 0.9]]).log() + draw.normal(2, 1)


def _from_anywhere(draw: Draw, table: Tensor) -> tuple[Tensor, int]:
    """Return a table with its ids rotated, and the new id of token 0."""
    start = int(draw.ids(1, low=1, high=len(table)))
    return table.roll((start, start), dims=(0, 1)), start


def longer(scores: Tensor, texts: list[Text]) -> list[list[Text]]:
    """Return for each text all its continuations, best first."""
    return [
        sorted(
            (
                ([*text, token], score + scores[text[-1], token].item())
                for token in range(len(scores))
            ),
            key=lambda pair: -pair[1],
        )
        for text, score in texts
    ]


def all_longer(scores: Tensor, texts: list[Text]) -> list[Text]:
    """Return all continuations of all texts."""
    return [found for of_one in longer(scores, texts) for found in of_one]


EXERCISE.edit(
    "it is a greedy search",
    {"beams, steps": "1, steps"},
    why="It follows one text only, and the runner-up of the first step is dropped.\nKeep as many "
    "texts as there are beams.",
)


@EXERCISE.mistake(
    "each text is continued in only one way",
    why="The second-best continuation of one text may be better than the best of another.\nPut all "
    "continuations of all texts together, and keep the best of them.",
)
def own_best(table: Tensor, start: int, beams: int, steps: int) -> Text:
    scores = chances(table)
    texts = longer(scores, [([start], 0.0)])[0][:beams]
    for _ in range(steps - 1):
        texts = [found[0] for found in longer(scores, texts)]
    text, score = best(texts, 1)[0]
    return text[1:], score


EXERCISE.edit(
    "logits are added, not logarithms of probabilities",
    {".log_softmax(dim=-1)": ""},
    why="Logits of different rows cannot be compared, because adding a constant to a row changes "
    "nothing in its probabilities.\nTake log_softmax first.",
)


@EXERCISE.mistake(
    "only the newest token counts",
    why="The score of a text includes all its tokens.\nAdd the score that the text had before.",
)
def forgets_and_prefers_higher_ids(table: Tensor, start: int, beams: int, steps: int) -> Text:
    scores = chances(table)
    texts: list[Text] = [([start], 0.0)]
    for _ in range(steps):
        found = all_longer(scores, [(text, 0.0) for text, _ in texts])
        texts = best(sorted(found, reverse=True), beams)
    return texts[0][0][1:], texts[0][1]


EXERCISE.edit(
    "the start is returned too",
    {"1": "0"},
    why="\nReturn only the new tokens: leave out the start.",
)
EXERCISE.edit(
    "the worst beam is returned",
    {"0": "-1"},
    why="sorted puts the smallest first, but the logarithm nearest to 0 is the likeliest text.\n"
    "Take the largest.",
)
EXERCISE.edit(
    "more texts are kept than there are beams",
    {"beams, steps": "len(table) ** steps, steps"},
    why="It finds the best text of all, but the number of texts is multiplied by the size of the "
    "vocabulary at each step: with 50,000 tokens, 2.5 billion after two.\nKeep the best `beams`, "
    "drop the rest. (Keeping one text for each last token is another search, Viterbi's.)",
)
EXERCISE.edit(
    "the score is a probability, not its logarithm",
    "text, score = beam_search(table, start, beams, steps); return text, math.exp(score)",
    why="\nReturn the sum of the logarithms as it is.",
)
EXERCISE.edit(
    "the score is the mean of the logarithms, not their sum",
    {"[1:], score": "[1:], score / steps"},
    why="The probability of a text is the product of its tokens', so its logarithm is their sum. "
    "(Divided by the length, it is a different search.)",
)
EXERCISE.edit(
    "the worst texts are kept, not the best",
    {"-pair": "pair"},
    why="sorted puts the smallest first, but the logarithm nearest to 0 is the likeliest text.\n"
    "Take the largest: sorted(..., reverse=True).",
)
EXERCISE.edit(
    "the best text of any length is returned",
    {"(chances(table), start, beams, steps)": "(chances(table), start, beams, min(steps, 1))"},
    why="A probability falls with each token, so the best text of any length has only one token. "
    "The task asks for the best of those that have all steps.",
)
EXERCISE.edit(
    "the exponential overflows",
    {"table.log_softmax(dim=-1)": "(table.exp() / table.exp().sum(dim=-1, keepdim=True)).log()"},
    why="exp(100) is more than float32 can hold, and inf / inf is nan.\nlog_softmax takes logits "
    "of any size.",
    section="book/attention#Weights are a softmax of scores",
)
EXERCISE.edit(
    "of texts with the same last token, only the best is kept",
    "every = sorted(texts, key=lambda text: text[1]); return sorted({text[-1]: (text, score) "
    "for text, score in every}.values(), key=_worse)[:count]",
    why="Then a worse text takes the place of a better one. That is another search, Viterbi's.\nOf "
    "all continuations keep the best `beams`, whatever they end with.",
    of=best,
)


def _worse(text: Text) -> float:
    """Return a sort key that grows as a text gets worse."""
    return -text[1]

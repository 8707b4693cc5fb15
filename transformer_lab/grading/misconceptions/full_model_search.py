# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to search with several beams."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

CHOOSING = "book/full_model#Choosing a token"

Text = tuple[list[int], float]


def longer(scores: Tensor, texts: list[Text]) -> list[list[Text]]:
    """Give, for each text, all its continuations, the best first."""
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
    """Give all continuations of all texts."""
    return [found for of_one in longer(scores, texts) for found in of_one]


def best(texts: list[Text], count: int) -> list[Text]:
    """Give the texts of the highest scores."""
    return sorted(texts, key=lambda pair: -pair[1])[:count]


def search(scores: Tensor, start: int, beams: int, steps: int) -> Text:
    """Search, rightly, if the scores are right."""
    texts: list[Text] = [([start], 0.0)]
    for _ in range(steps):
        texts = best(all_longer(scores, texts), beams)
    return texts[0][0][1:], texts[0][1]


@mistake(
    "that is greedy",
    why="It follows one text only, and what is behind after the first step is never looked at "
    "again. Keep as many texts as there are beams.",
    section=CHOOSING,
)
def beam_greedy(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return search(table.log_softmax(dim=-1), start, 1, steps)


@mistake(
    "each text goes on in one way only",
    why="The second-best continuation of one text may be better than the best of another. Put all "
    "continuations of all texts together, and keep the best of these.",
    section=CHOOSING,
)
def beam_own_best(table: Tensor, start: int, beams: int, steps: int) -> Text:
    scores = table.log_softmax(dim=-1)
    texts = longer(scores, [([start], 0.0)])[0][:beams]
    for _ in range(steps - 1):
        texts = [found[0] for found in longer(scores, texts)]
    text, score = best(texts, 1)[0]
    return text[1:], score


@mistake(
    "logits are added, not logarithms of probabilities",
    why="Logits of different rows cannot be compared: a constant added to a row changes nothing in "
    "its probabilities. Take log_softmax first.",
    section=CHOOSING,
)
def beam_logits(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return search(table, start, beams, steps)


@mistake(
    "probabilities are added",
    why="Probabilities are multiplied: that of a text is the product of its tokens'. It is their "
    "logarithms that are added.",
    section=CHOOSING,
)
def beam_probabilities(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return search(table.softmax(dim=-1), start, beams, steps)


@mistake(
    "only the newest token counts",
    why="The score of a text is that of all its tokens. Add what the text had before.",
    section=CHOOSING,
)
def beam_forgets(table: Tensor, start: int, beams: int, steps: int) -> Text:
    scores = table.log_softmax(dim=-1)
    texts: list[Text] = [([start], 0.0)]
    for _ in range(steps):
        texts = best(all_longer(scores, [(text, 0.0) for text, _ in texts]), beams)
    return texts[0][0][1:], texts[0][1]


@mistake(
    "the start is given back too",
    why="What was asked for is what has been written: leave out the start.",
    section=CHOOSING,
)
def beam_with_start(table: Tensor, start: int, beams: int, steps: int) -> Text:
    text, score = search(table.log_softmax(dim=-1), start, beams, steps)
    return [start, *text], score


@mistake(
    "the worst of the beams is given back",
    why="sorted puts the smallest first, and a logarithm near 0 is a likely text. Take the "
    "largest.",
    section=CHOOSING,
)
def beam_worst(table: Tensor, start: int, beams: int, steps: int) -> Text:
    scores = table.log_softmax(dim=-1)
    texts: list[Text] = [([start], 0.0)]
    for _ in range(steps):
        texts = best(all_longer(scores, texts), beams)
    return texts[-1][0][1:], texts[-1][1]


@mistake(
    "no text is dropped",
    why="It finds the best text of all, but each step leaves as many times more texts as there are "
    "tokens: with 50,000 tokens, two steps make 2.5 billion. Keep the best `beams`, drop the rest.",
    section=CHOOSING,
)
def beam_keeps_all(table: Tensor, start: int, beams: int, steps: int) -> Text:
    return search(table.log_softmax(dim=-1), start, len(table) ** steps, steps)


BEAM_MISTAKES = (
    beam_greedy,
    beam_own_best,
    beam_logits,
    beam_probabilities,
    beam_forgets,
    beam_with_start,
    beam_worst,
    beam_keeps_all,
)

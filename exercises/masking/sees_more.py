"""Further mistakes that sees_the_future is known to make: in how it compares, and in its texts."""

from collections.abc import Callable

from torch import Tensor

from tensorgrader.exercise import cached

from .sees import (
    EXERCISE,
    Model,
    Text,
    left_out,
    moved,
    said,
    texts,
)


@EXERCISE.mistake(
    "only the next word is left out",
    why="A place may be blind to the next word and see a later one. Leave out all that comes "
    "after it.",
    of=moved,
)
def next_word(model: Model, text: Text, cut: int) -> float:
    last = said(model, text[: cut + 1])[cut - 1] - said(model, text[:cut])[cut - 1]
    return last.abs().max().item()


def by(measure: Callable[[Tensor], Tensor]) -> Callable[[Model, Text, int], float]:
    """Measure in another way by how much the answers move."""
    return cached(lambda model, text, cut: measure(left_out(model, text, cut)).item())


EXERCISE.mistake(
    "only what is said at the first place is compared",
    why="The first word may be blind to the future while others are not. All rows before the "
    "change have to stay as they were. (Does a `return False` stand in the loop? It ends the loop "
    "in its first round, which looks at the first place.)",
    of=moved,
)(by(lambda move: move[0].abs().max()))

EXERCISE.mistake(
    "the place just before the change is left out",
    why="A model that looks one word ahead shows it there and nowhere else. After `cut` words, "
    "the rows to compare are [:cut], and the last of them is row cut - 1.",
    of=moved,
)(by(lambda move: move[:-1].abs().sum()))

one_number = EXERCISE.mistake(
    "one of the three numbers is compared",
    why="A leak may be in one of the numbers that are said at a place, and the others may stay. "
    "Compare whole rows.",
    of=moved,
)(by(lambda move: move[:, 0].abs().max()))
one_number.within(moved)(by(lambda move: move[:, 1].abs().max()))
one_number.within(moved)(by(lambda move: move[:, 2].abs().max()))

signed = EXERCISE.mistake(
    "a number that falls does not count, or makes up for one that rises",
    why="Take each difference without its sign: `.abs()` comes before `.max()` or `.sum()`.",
    of=moved,
)(by(lambda move: move.max()))
signed.within(moved)(by(lambda move: (-move).max()))
signed.within(moved)(by(lambda move: move.sum().abs()))


@EXERCISE.mistake(
    "the last places are never looked at",
    why="Some models are honest at the first places of a text and leak at the last. A text may "
    "have 8 words: try that many, and take each but the first away, the last one too.",
    of=texts,
)
def three_words() -> list[Text]:
    return [text[:3] for text in texts()]


@EXERCISE.mistake(
    "all texts begin with the same word",
    why="A model may leak in some texts only: what it hears can depend on the first word. Try a "
    "dozen texts, drawn at random.",
    of=texts,
)
def the_same_word() -> list[Text]:
    return [(0,) * 8]


for length in (4, 5, 7):
    three_words.within(texts)(lambda length=length: [text[:length] for text in texts()])
for word in range(1, 10):
    the_same_word.within(texts)(lambda word=word: [(word,) * 8])

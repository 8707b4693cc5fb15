"""Further mistakes that sees_the_future is known to make: in how it compares, and in its texts."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_lab.grading.exercises.masking.sees import EXERCISE, Model, moved, texts


@EXERCISE.mistake(
    "only the next word is left out",
    why="A place may be blind to the next word and see a later one. Leave out all that comes "
    "after it.",
    of=moved,
)
def next_word(model: Model, text: Tensor, cut: int) -> Tensor:
    return (model(text[: cut + 1])[cut - 1] - model(text[:cut])[cut - 1]).abs().max()


def by(measure: Callable[[Tensor], Tensor]) -> Callable[[Model, Tensor, int], Tensor]:
    """Measure in another way by how much the answers move."""
    return lambda model, text, cut: measure(model(text[:cut]) - model(text)[:cut])


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
    "the texts are too short",
    why="Some models are honest in short texts and leak in long ones. Here a text may have 8: "
    "try that many.",
    of=texts,
)
def three_words() -> Tensor:
    return texts()[:, :3]


@EXERCISE.mistake(
    "all texts begin with the same word",
    why="A model may leak in some texts only: what it hears can depend on the first word. Try a "
    "dozen texts, drawn at random.",
    of=texts,
)
def the_same_word() -> Tensor:
    return torch.zeros(1, 8, dtype=torch.long)


for length in (4, 5, 7):
    three_words.within(texts)(lambda length=length: texts()[:, :length])
for word in range(1, 10):
    the_same_word.within(texts)(lambda word=word: torch.full((1, 8), word))

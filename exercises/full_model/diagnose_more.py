"""Mistakes that diagnose is known to make."""

import torch
from torch import Tensor

from .diagnose import (
    EXERCISE,
    FUTURE,
    MIXES,
    Model,
    alike,
    changed,
    diagnose,
    ignores_the_order,
    mixes_texts,
    reads_one_token,
    reads_the_future,
    reordered,
    rolls_dice,
    same_at,
    texts,
)


def nothing_found(model: Model, ids: Tensor) -> bool:
    """Do no experiment."""
    return False


too_seldom = EXERCISE.mistake(
    "dice are looked for too seldom, or too late",
    why="A model in which dropout is still at work says something else each time, and every other "
    "test then sees a change; and it may say the same twice by chance. Ask the same three times "
    "before all else.",
    of=rolls_dice,
)(nothing_found)


@too_seldom.within(rolls_dice)
def only_twice(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids), model(ids))


@too_seldom.also
def at_last(model: Model) -> str:
    ids = texts()
    if mixes_texts(model, ids):
        return MIXES
    return FUTURE if reads_the_future(model, ids) else diagnose(model)


@too_seldom.also
def not_asked_but_each_text_read_alone(model: Model) -> str:
    whole, *alone = model(texts()), *(model(ids[None]) for ids in texts())
    return diagnose(model) if alike(whole, torch.cat(alone)) else MIXES


EXERCISE.mistake(
    "nobody reads a text alone",
    why="What a model says of a text must not depend on the other texts in its batch. Read a text "
    "with another and without it, and compare.",
    of=mixes_texts,
)(nothing_found)

EXERCISE.mistake(
    "a model that reads one token is taken for another",
    why="Whether a model reads more than its last token shows only if another token is changed: "
    "the first, say. Ask this before the order: who reads one token knows no order either.",
    of=reads_one_token,
)(nothing_found)


@EXERCISE.mistake(
    "all batches have the same number of texts",
    why="What a model says of a text may depend on how many texts are read with it, whatever they "
    "say. Read a text with others, and then alone: model(ids[:1]).",
    of=mixes_texts,
)
def always_in_company(model: Model, ids: Tensor) -> bool:
    other = torch.cat([ids[:1], changed(ids[1:], 0)])
    return not alike(model(ids)[0], model(other)[0])


@EXERCISE.mistake(
    "the future is looked for where it is the past",
    why="What is said at a place may depend on its own token and on those before it. Change the "
    "last token, and look at the places *before* it.",
    of=reads_the_future,
)
def last_too(model: Model, ids: Tensor) -> bool:
    return not same_at(slice(None), model, ids, changed(ids, -1))


@last_too.within(reads_the_future)
def first_changed(model: Model, ids: Tensor) -> bool:
    return not same_at(slice(-1), model, ids, changed(ids, 0))


@last_too.within(reads_the_future)
def behind_the_first(model: Model, ids: Tensor) -> bool:
    return not same_at(slice(1, None), model, ids, changed(ids, 0))


@EXERCISE.mistake(
    "the future is looked for at one place only",
    why="A model may read the future at some places, and not at others. Change the last token, and "
    "look at *all* the places before it.",
    of=reads_the_future,
)
def before_the_last(model: Model, ids: Tensor) -> bool:
    return not same_at(-2, model, ids, changed(ids, -1))


@before_the_last.within(reads_the_future)
def at_the_first(model: Model, ids: Tensor) -> bool:
    return not same_at(0, model, ids, changed(ids, -1))


@EXERCISE.mistake(
    "the future is looked for at the first two places only",
    why="A model may read the future at the third place, and not before. Take texts of four tokens "
    "or more, and look at *all* the places but the last.",
    of=reads_the_future,
)
def cut_behind_two(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids)[:, :2], model(ids[:, :2]))


@cut_behind_two.within(texts)
def of_three() -> Tensor:
    return torch.tensor([[3, 1, 4], [2, 6, 8]])


@EXERCISE.mistake(
    "the text says one word again and again",
    why="Tokens that are all alike look the same in any order. Take a text in which no word "
    "comes twice.",
    of=texts,
)
def one_word() -> Tensor:
    return torch.full((2, 6), 3)


@EXERCISE.mistake(
    "only the nearest tokens are changed",
    why="A healthy model need not read them all: one may read its own token and the first. Change "
    "all the tokens before the last, and let all of them change places.",
    of=reads_one_token,
)
def nearest_changed(model: Model, ids: Tensor) -> bool:
    return same_at(-1, model, ids, changed(ids, -2))


@nearest_changed.within(reordered)
def nearest_swapped(ids: Tensor) -> Tensor:
    return torch.cat([ids[:, :-3], ids[:, -3:-1].flip(1), ids[:, -1:]], dim=1)


without_positions = EXERCISE.mistake(
    "a model without positions passes",
    why="It reads its past as a bag of words. Let the tokens *before* the last change places, the "
    "last one not, and see whether the last place says something else. (If you do: the same sums "
    "in another order differ in their last digit. Differences below 0.001 are rounding.)",
    of=ignores_the_order,
)(nothing_found)


@without_positions.within(alike)
def to_the_last_digit(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one, other)


@without_positions.within(reordered)
def last_moves(ids: Tensor) -> Tensor:
    return ids.flip(1)


@EXERCISE.mistake(
    "healthy and ailing have changed places",
    why="If nothing changes where something must not change, that is as it should be.",
    of=alike,
)
def unlike(one: Tensor, other: Tensor) -> bool:
    return not torch.allclose(one, other, rtol=1e-3, atol=1e-3)


@EXERCISE.mistake(
    "a text is read beside copies of itself",
    why="A model that takes the mean over its batch says the same then as of the text alone. Read "
    "it beside other texts.",
    of=mixes_texts,
)
def beside_copies(model: Model, ids: Tensor) -> bool:
    return not alike(model(ids[:1].repeat(len(ids), 1))[:1], model(ids[:1]))

"""diagnose: find a model's fault by experiments on its inputs."""

from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, Made

Model = Callable[[Tensor], Tensor]
WORDS, LONGEST = 12, 8
HEALTHY, DICE, MIXES, FUTURE, ALONE, ORDER = (
    "healthy",
    "rolls dice",
    "mixes texts",
    "reads the future",
    "reads one token",
    "ignores the order",
)
#: Models by their fault, and their description on a card.
MODELS = {
    "healthy": "a healthy model",
    "start": "a healthy model that reads its own token and the first",
    "dice": "a model that rolls dice",
    "late_dice": "a model that rolls dice, but not the first two times",
    "mean": "a model that mixes texts",
    "faint": "a model that mixes texts, but faintly",
    "count": "a model that says something else the more texts there are",
    "future": "a model that reads the future",
    "next": "a model that reads one token ahead",
    "first": "a model that reads the future at the first place only",
    "third": "a model that reads the future at the third place only",
    "alone": "a model that reads one token",
    "order": "a model that ignores the order",
}


def diagnose(model: Model) -> str:
    """Return the fault that a model shows when its inputs are changed."""
    ids = texts()
    if rolls_dice(model, ids):
        return DICE
    if mixes_texts(model, ids):
        return MIXES
    if reads_the_future(model, ids):
        return FUTURE
    if reads_one_token(model, ids):
        return ALONE
    return ORDER if ignores_the_order(model, ids) else HEALTHY


def texts() -> Tensor:
    """Return two texts in which no word occurs twice."""
    return torch.tensor([[3, 1, 4, 7, 5, 9], [2, 6, 8, 0, 11, 10]])


def alike(one: Tensor, other: Tensor) -> bool:
    """Return whether logits agree up to rounding."""
    return torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def rolls_dice(model: Model, ids: Tensor) -> bool:
    """Return whether three identical calls differ (two may agree by chance)."""
    said = model(ids)
    return not (alike(said, model(ids)) and alike(said, model(ids)))


def mixes_texts(model: Model, ids: Tensor) -> bool:
    """Return whether a text's logits depend on the other text in its batch."""
    return not alike(model(ids)[:1], model(ids[:1]))


def reads_the_future(model: Model, ids: Tensor) -> bool:
    """Return whether changing the last token changes the logits before it."""
    return not same_at(slice(-1), model, ids, changed(ids, -1))


def reads_one_token(model: Model, ids: Tensor) -> bool:
    """Return whether the last logits stay the same when the first token changes."""
    return same_at(-1, model, ids, changed(ids, 0))


def ignores_the_order(model: Model, ids: Tensor) -> bool:
    """Return whether the last logits stay the same when the tokens before are reordered."""
    return same_at(-1, model, ids, reordered(ids))


def same_at(place: int | slice, model: Model, ids: Tensor, other: Tensor) -> bool:
    """Return whether a model's logits at some place or places agree for two batches."""
    return alike(model(ids)[:, place], model(other)[:, place])


def changed(ids: Tensor, place: int) -> Tensor:
    """Return the ids with another word in one place."""
    other = ids.clone()
    other[:, place] = (other[:, place] + 1) % WORDS
    return other


def reordered(ids: Tensor) -> Tensor:
    """Return the ids with all but the last token reversed."""
    return torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)


EXERCISE = Exercise(
    __name__, diagnose, results={"diagnosis": ""}, section="Three models from the same parts"
)


@EXERCISE.requires(
    "It distinguishes a healthy model from one that sees too much or too little.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    return models(draw, "healthy start future next first third alone order order")


@EXERCISE.requires("It finds models that mix their texts, or roll dice.", points=2)
def company(draw: Draw) -> list[Inputs]:
    return models(draw, "mean faint count dice late_dice healthy next alone")


EXERCISE.untouched()


@EXERCISE.probe
def more(draw: Draw) -> list[Inputs]:
    every = "healthy start future next first third alone order mean count dice late_dice"
    return models(draw, f"{every} mean count dice late_dice")


def models(draw: Draw, names: str) -> list[Inputs]:
    """Draw a model for each of these names, in random order."""
    return [Inputs((model(draw, name),)) for name in draw.shuffled(names.split())]


def model(draw: Draw, name: str) -> Made:
    """Draw a decoder of one layer that is healthy, or has one fault."""
    d = 8
    weights = {
        "tokens": draw.normal(WORDS, d),
        "positions": draw.normal(LONGEST, d),
        "matrices": draw.normal(3, d, d) / 2,
    }
    return Made(MODELS[name], decoder, (name, weights, int(draw.ids(1, high=2**31))))


def decoder(name: str, weights: dict, seed: int) -> object:
    """Return a decoder of one layer whose random generator no caller can seed."""
    dice = torch.Generator().manual_seed(seed)
    if name == "order":  # the positions are reduced to rounding, as in the other models
        weights = weights | {"positions": weights["positions"] * 2e-5}
    query, key, value = weights["matrices"]
    asked = []

    def model(ids: torch.Tensor) -> torch.Tensor:
        if (ids < 0).any():
            raise ValueError("ids are from 0 to 11")
        asked.append(ids)
        length = ids.size(1)
        x = weights["tokens"][ids] + weights["positions"][:length]
        if name in ("mean", "faint"):
            x = x - x.mean(dim=0) / (2 if name == "mean" else 500)
        if name == "count":
            x = x / ids.size(0)
        scores = (x @ query) @ (x @ key).mT / 16
        scores = scores.masked_fill(hidden[:length, :length], -torch.inf)
        x = x + scores.softmax(dim=-1) @ x @ value
        if name == "dice" or (name == "late_dice" and len(asked) > 2):
            x = x * (torch.rand(x.shape, generator=dice) > 0.3) / 0.7
        return x @ weights["tokens"].mT

    def seen(length: int) -> torch.Tensor:
        every = torch.ones(length, length).bool()
        alone, past, next_too = every.triu() & every.tril(), every.tril(), every.tril(1)
        first, third = (torch.arange(length) == place for place in (0, 2))
        return {
            "future": every,
            "next": next_too,
            "first": past | first[:, None],
            "third": past | third[:, None],
            "start": alone | first,
            "alone": alone,
        }.get(name, past)

    hidden = ~seen(len(weights["positions"]))
    return model


too_seldom = EXERCISE.edit(
    "the test for dice comes too rarely, or too late",
    {"said = model(ids)": "return False"},
    {" and alike(said, model(ids))": ""},
    why="A model with active dropout returns something else each time, so every other test sees a "
    "change; and by chance it may return the same twice.\nRun the same input three times before "
    "all other tests.",
)


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


EXERCISE.edit(
    "no text is read alone",
    "False",
    why="A text's output must not depend on the other texts in its batch.\nRun a text with others "
    "and alone, and compare.",
    of=mixes_texts,
)
EXERCISE.edit(
    "a model that reads one token is mistaken for another",
    "False",
    why="Whether a model reads more than its last token shows only if another token is changed, "
    "for example the first.\nTest this before the order: a model that reads one token ignores the "
    "order, too.",
    of=reads_one_token,
)
EXERCISE.edit(
    "all batches have the same number of texts",
    {"[:1], model(ids[:1])": "[0], model(torch.cat([ids[:1], changed(ids[1:], 0)]))[0]"},
    why="The output for a text may depend on how many texts are in the batch, whatever they are.\n"
    "Run a text with others, and then alone: model(ids[:1]).",
)
EXERCISE.edit(
    "the future is looked for where it may be seen",
    {"(-1)": "(None)"},
    {"slice(-1)": "-1"},
    {"slice(-1)": "not same_at(slice(1, None), model, ids, changed(ids, 0))"},
    why="The output at a position may depend on its own token and on those before it.\nChange the "
    "last token, and compare the positions *before* it.",
)
EXERCISE.edit(
    "the future is looked for at only one position",
    {"slice(-1)": "-2"},
    {"slice(-1)": "0"},
    why="A model may read the future at some positions only.\nChange the last token, and compare "
    "*all* positions before it.",
)
EXERCISE.edit(
    "the text repeats a single token",
    {"[[3, 1, 4, 7, 5, 9], [2, 6, 8, 0, 11, 10]]": "torch.full((2, 6), 3)"},
    why="Tokens that are all the same look the same in any order.\nUse a text in which no token "
    "occurs twice.",
)
EXERCISE.edit(
    "only the nearest tokens are changed",
    {"0": "1"},
    {"ids[:, :-1].flip(1), ids": "ids[:, :-3], ids[:, -3:-1].flip(1), ids"},
    why="A healthy model need not read all tokens: one reads its own token and the first.\nChange "
    "all tokens before the last, and permute all of them.",
)
EXERCISE.edit(
    "a model without positions passes",
    {"same_at(-1, model, ids, reordered(ids))": "False"},
    {"allclose(one, other, rtol=1e-3, atol=1e-3)": "equal(one, other)"},
    {"torch.cat([ids[:, :-1].flip(1), ids[:, -1:]], dim=1)": "ids.flip(1)"},
    why="It reads its past as a bag of words.\nPermute the tokens *before* the last one, and see "
    "whether the output at the last position changes. (If you do: the same sums in another order "
    "differ in their last digit. Differences below 0.001 are rounding.)",
)
EXERCISE.edit(
    "a text is read together with copies of itself",
    {"(ids)": "(ids[:1].repeat(len(ids), 1))"},
    why="A model that averages over its batch gives the same output for copies as for the text "
    "alone.\nRun it with other texts.",
)

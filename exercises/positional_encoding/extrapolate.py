"""extrapolate: read a text in windows no longer than those the model was trained on."""

from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, Made

Model = Callable[[Tensor, Tensor], Tensor]
WORDS = 9
SURE = 25.0  # a score that leaves almost nothing to other keys
UNTRAINED = 0.6  # the scale of the rows that training never reached


def extrapolate(model: Model, ids: Tensor, trained: int) -> Tensor:
    """Return the predictions for a text, read in windows no longer than those in training."""
    guesses = window(model, ids[:trained])
    for end in range(trained, len(ids)):
        guesses = torch.cat([guesses, last(model, ids, end, trained)])
    return guesses


def last(model: Model, ids: Tensor, end: int, trained: int) -> Tensor:
    """Predict what follows the token at `end`, the last of its window."""
    return window(model, ids[end + 1 - trained : end + 1])[-1:]


def window(model: Model, ids: Tensor) -> Tensor:
    """Predict what follows each token, counting places from 0."""
    return model(ids, torch.arange(len(ids))).argmax(dim=-1)


EXERCISE = Exercise(
    __name__, extrapolate, results={"guesses": "tokens"}, section="A text longer than any before"
)


@EXERCISE.requires(
    "Beyond the length it was trained on, the model guesses as well as before.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    """Return small models that look back by different numbers of tokens."""
    sizes = ((4, 1, 9), (6, 3, 14), (8, 4, 23), (7, 2, 20))
    return [trained_model(draw, *size) for size in sizes]


@EXERCISE.requires(
    "It is right for texts that fit, and for up to four times as long ones.",
    points=1,
)
def lengths(draw: Draw) -> list[Inputs]:
    """Return texts that fit, and some that are a little or much longer."""
    sizes = ((6, 2, 6), (8, 3, 9), (6, 3, 1), (12, 6, 48), (2, 1, 7))
    return [trained_model(draw, *size) for size in sizes]


EXERCISE.untouched()


@EXERCISE.probe
def short(draw: Draw) -> list[Inputs]:
    """Return texts that are shorter than one window."""
    return [trained_model(draw, *size) for size in ((5, 2, 2), (7, 3, 3), (8, 2, 5))]


def trained_model(draw: Draw, trained: int, back: int, length: int) -> Inputs:
    """Return a hand-made model that predicts the token `back` places before each, and a text.

    Tokens and places are rows of a reflection, so they are orthogonal. The rows of the table that
    training never reached keep their random initial values.
    """
    size = WORDS + trained
    mirror = draw.normal(size, 1) + 0.05
    rows = torch.eye(size) - 2 * mirror @ mirror.mT / mirror.square().sum()
    tokens, places = rows[:WORDS], rows[WORDS:]
    before = (torch.arange(trained) - back).clamp(min=0)
    untrained = draw.normal(max(length - trained, 0) + 1, size) * UNTRAINED
    weights = {
        "tokens": tokens,
        "positions": torch.cat([places, untrained]),
        "query": places.mT @ places[before] * SURE,
        "key": places.mT @ places,
        "value": tokens.mT @ tokens,
    }
    model = Made(f"a model trained at {trained} places that looks {back} back", reader, (weights,))
    return Inputs((model, draw.ids(length, high=WORDS), trained))


def reader(weights: dict) -> object:
    """Return a model of one attention layer with learned positions."""

    def model(ids: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        if ids.shape != places.shape or places.is_floating_point() or (places < 0).any():
            raise ValueError(
                "give as many places as ids, integers from 0 on; "
                f"ids have shape {tuple(ids.shape)}, places are {places.tolist()}"
            )
        x = weights["tokens"][ids] + weights["positions"][places]
        scores = (x @ weights["query"]) @ (x @ weights["key"]).mT
        future = torch.ones_like(scores).triu(1).bool()
        found = scores.masked_fill(future, -torch.inf).softmax(dim=-1) @ x
        return found @ weights["value"] @ weights["tokens"].mT

    return model


EXERCISE.edit(
    "it uses positions that were never trained",
    {"return guesses": "return window(model, ids)"},
    why="Positions from `trained` on never occurred in training: their rows still have their "
    "random initial values.\nCut the text into windows of `trained` tokens, and count the "
    "positions of each from 0.",
)
EXERCISE.edit(
    "positions begin again at 0 within one call",
    {"return guesses": "return model(ids, torch.arange(len(ids)) % trained).argmax(dim=-1)"},
    why="Several tokens then have the same position, and the model cannot tell them apart.\nCut "
    "the text as well: in one call each position may occur only once.",
)
EXERCISE.edit(
    "the positions are squeezed into the trained range",
    "places = torch.arange(len(ids)) * trained // max(len(ids), trained); "
    "return model(ids, places).argmax(dim=-1)",
    why="If two tokens share a position, the model cannot tell them apart, and a step is no "
    "longer a step. This helps if positions are angles, and after some more training.",
)
EXERCISE.edit(
    "the windows do not overlap, so each begins without a past",
    "torch.cat([window(model, piece) for piece in ids.split(trained)])",
    why="The first tokens of a window cannot look back into the one before it. Let the windows "
    "overlap, and keep only the guesses of tokens with enough text before them.",
)
EXERCISE.edit(
    "the windows are one token too long",
    {"end + 1 - trained": "end - trained"},
    why="Positions count from 0, so `trained` of them end at trained - 1. The last token of a "
    "longer window has a position that never occurred in training.",
)
EXERCISE.edit(
    "the windows are too short for some models",
    {": end": "// 2 : end"},
    why="A model that looks back by half of its training length needs that many tokens before the "
    "one whose guess you keep.\nUse whole windows of `trained` tokens.",
)
EXERCISE.edit(
    "the windows keep their positions in the text",
    "places = torch.arange(end + 1 - trained, end + 1); "
    "return model(ids[places], places).argmax(dim=-1)[-1:]",
    why="Each window is short enough, but its positions never occurred in training.\nCount the "
    "positions of each window from 0.",
    of=last,
)
EXERCISE.edit(
    "the token itself is missing from its window",
    {": end + 1": ": end"},
    "ends = [ids[max(end - trained, 0) : max(end, 1)] for end in range(len(ids))]; "
    "return torch.cat([window(model, end)[-1:] for end in ends])",
    why="ids[a:b] ends before b.\nThe guess for what follows a token is made at that token, so it "
    "must be the last of its window.",
)
EXERCISE.edit(
    "logits are returned, not guesses",
    {".argmax(dim=-1)": ""},
    why="\nReturn integers: the index of the largest logit, argmax over the last axis.",
)
EXERCISE.edit(
    "only the last window is guessed",
    {"return guesses": "return window(model, ids[-trained:])"},
    why="\nReturn a guess for each token of the text, from the first on.",
)
EXERCISE.edit(
    "the end of a long text is cut off",
    {"len": "~len"},
    why="\nReturn a guess for each token of the text. Read the rest in more windows.",
)


@EXERCISE.mistake(
    "the first guesses of a window are kept, too",
    why="The first tokens of a window have too little before them. Let the windows overlap, and "
    "take those guesses from the window before.",
)
def overwritten(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = torch.zeros_like(ids)
    for start in range(0, len(ids), max(trained // 2, 1)):
        found[start : start + trained] = window(model, ids[start : start + trained])
    return found


EXERCISE.edit(
    "the windows overlap too little",
    {"return guesses": "return overlapping(model, ids, trained, 1)"},
    {"return guesses": "return overlapping(model, ids, trained, trained // 2 - 1)"},
    why="A guess may need the `trained // 2` tokens before it.\nBegin each window that many tokens "
    "before the first guess that you keep of it.",
)


def overlapping(model: Model, ids: Tensor, trained: int, overlap: int) -> Tensor:
    """Predict in windows that overlap by so many tokens."""
    found = window(model, ids[:trained])
    while len(found) < len(ids):
        start = len(found) - overlap
        found = torch.cat([found, window(model, ids[start : start + trained])[overlap:]])
    return found


@EXERCISE.mistake(
    "its own guesses are read, not the text",
    why="The whole text is given.\nRead its tokens; your guesses are only returned.",
)
def writing_on(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = window(model, ids[:trained])
    read = ids[:trained]
    while len(found) < len(ids):
        read = torch.cat([read, found[-1:]])
        found = torch.cat([found, last(model, read, len(read) - 1, trained)])
    return found


EXERCISE.edit(
    "positions are counted from 1",
    {"len(ids)": "1, len(ids) + 1"},
    why="In training the first token was at position 0.\nCount from there: torch.arange(n) for n "
    "tokens.",
    of=window,
)


@EXERCISE.mistake(
    "a short window gets the last positions, not the first",
    why="In training each text began at position 0.\nA window shorter than `trained` begins there, "
    "too.",
)
def at_the_last_places(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = []
    for end in range(1, len(ids) + 1):
        read = ids[max(end - trained, 0) : end]
        found.append(model(read, torch.arange(trained - len(read), trained)).argmax(dim=-1)[-1])
    return torch.stack(found)


full_windows_only = EXERCISE.edit(
    "a text that is shorter than a window raises an error",
    "first, *others = [window(model, piece) for piece in ids.unfold(0, trained, 1)]; "
    "return torch.cat([first, *(guesses[-1:] for guesses in others)])",
    why="Not every text has `trained` tokens.\nEnd a window where the text ends, with as many "
    "positions as it has tokens.",
)


@full_windows_only.also
def places_of_a_full_window(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = model(ids[:trained], torch.arange(trained)).argmax(dim=-1)
    for end in range(trained, len(ids)):
        found = torch.cat([found, last(model, ids, end, trained)])
    return found

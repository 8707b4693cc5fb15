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


@EXERCISE.requires("Beyond what it was trained on, the model guesses as well as before.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return small models that look back by different numbers of tokens."""
    sizes = ((4, 1, 9), (6, 3, 14), (8, 4, 23), (7, 2, 20))
    return [trained_model(draw, *size) for size in sizes]


@EXERCISE.requires("A text may fit, or be longer by little or four times as long.", points=1)
def lengths(draw: Draw) -> list[Inputs]:
    """Return texts that fit, and some that are a little or much longer."""
    sizes = ((6, 2, 6), (8, 3, 9), (6, 3, 1), (12, 6, 48))
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
                "give as many places as ids, whole numbers from 0 on; "
                f"ids have shape {tuple(ids.shape)}, places are {places.tolist()}"
            )
        x = weights["tokens"][ids] + weights["positions"][places]
        scores = (x @ weights["query"]) @ (x @ weights["key"]).mT
        future = torch.ones_like(scores).triu(1).bool()
        found = scores.masked_fill(future, -torch.inf).softmax(dim=-1) @ x
        return found @ weights["value"] @ weights["tokens"].mT

    return model


@EXERCISE.mistake(
    "it reads on over rows that were never trained",
    why="Training never reached the places from `trained` on: their rows are as they began, at "
    "random. Cut the text into windows of `trained` tokens, and count the places of each from 0.",
)
def reads_on(model: Model, ids: Tensor, trained: int) -> Tensor:
    return window(model, ids)


@EXERCISE.mistake(
    "places begin again at 0 in the middle of one reading",
    why="Several tokens then stand at the same place, and the model cannot tell them apart. Cut "
    "the text as well: what is read at once may have each place only once.",
)
def begins_again(model: Model, ids: Tensor, trained: int) -> Tensor:
    return model(ids, torch.arange(len(ids)) % trained).argmax(dim=-1)


@EXERCISE.mistake(
    "the places are squeezed into those that were trained",
    why="Where two tokens share a place, the model cannot tell them apart, and a step is no step "
    "any more. This helps where positions are angles, and after some more training.",
)
def squeezed(model: Model, ids: Tensor, trained: int) -> Tensor:
    places = torch.arange(len(ids)) * trained // max(len(ids), trained)
    return model(ids, places).argmax(dim=-1)


@EXERCISE.mistake(
    "the last trained place serves for all that follow",
    why="All later tokens stand at one place, and the model cannot tell them apart.",
)
def clamped(model: Model, ids: Tensor, trained: int) -> Tensor:
    places = torch.arange(len(ids)).clamp(max=trained - 1)
    return model(ids, places).argmax(dim=-1)


@EXERCISE.mistake(
    "the windows lie side by side, so that each begins without a past",
    why="The first tokens of a window cannot look back into the one before it. Let windows "
    "overlap, and keep the guesses of those tokens only that have enough before them.",
)
def side_by_side(model: Model, ids: Tensor, trained: int) -> Tensor:
    return torch.cat([window(model, piece) for piece in ids.split(trained)])


@EXERCISE.mistake(
    "the windows are one token too long",
    why="Places count from 0, so `trained` of them end at trained - 1. The last token of a longer "
    "window stands where training never was.",
    of=last,
)
def too_long(model: Model, ids: Tensor, end: int, trained: int) -> Tensor:
    return window(model, ids[max(end - trained, 0) : end + 1])[-1:]


@EXERCISE.mistake(
    "the windows are too short for some models",
    why="A model that looks back by half of what it was trained on needs as much before the token "
    "whose guess you keep. Take whole windows of `trained` tokens.",
    of=last,
)
def too_short(model: Model, ids: Tensor, end: int, trained: int) -> Tensor:
    return window(model, ids[end + 1 - trained // 2 : end + 1])[-1:]


@EXERCISE.mistake(
    "the windows keep the places that they have in the text",
    why="A window is short enough, but its places were never trained. Count the places of each "
    "window from 0.",
    of=last,
)
def places_kept(model: Model, ids: Tensor, end: int, trained: int) -> Tensor:
    places = torch.arange(end + 1 - trained, end + 1)
    return model(ids[places], places).argmax(dim=-1)[-1:]


@EXERCISE.mistake(
    "the token itself is missing from its window",
    why="ids[a:b] ends before b. What follows a token is guessed where the token has been read: it "
    "is the last of its window.",
    of=last,
)
def without_itself(model: Model, ids: Tensor, end: int, trained: int) -> Tensor:
    return window(model, ids[end - trained : end])[-1:]


@without_itself.also
def everywhere_without_itself(model: Model, ids: Tensor, trained: int) -> Tensor:
    ends = [last_of(model, ids[max(end - trained, 0) : max(end, 1)]) for end in range(len(ids))]
    return torch.cat(ends)


def last_of(model: Model, ids: Tensor) -> Tensor:
    """Predict what follows a window."""
    return window(model, ids)[-1:]


@EXERCISE.mistake(
    "logits are given, not guesses",
    why="Asked for are whole numbers: the place of the largest logit, argmax over the last axis.",
    of=window,
)
def logits(model: Model, ids: Tensor) -> Tensor:
    return model(ids, torch.arange(len(ids)))


@EXERCISE.mistake(
    "only the last window is guessed",
    why="Asked for is a guess behind each token of the text, also those far in front.",
)
def only_the_end(model: Model, ids: Tensor, trained: int) -> Tensor:
    return window(model, ids[-trained:])


@EXERCISE.mistake(
    "what is too long is cut off",
    why="Asked for is a guess behind each token of the text. Read the rest in further windows.",
)
def only_the_beginning(model: Model, ids: Tensor, trained: int) -> Tensor:
    return window(model, ids[:trained])


@EXERCISE.mistake(
    "the first guesses of a window are kept, too",
    why="The first tokens of a window have too little before them. Let windows overlap, and take "
    "the guesses where they do from the window before.",
)
def overwritten(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = torch.zeros_like(ids)
    for start in range(0, len(ids), max(trained // 2, 1)):
        found[start : start + trained] = window(model, ids[start : start + trained])
    return found


@EXERCISE.mistake(
    "the windows overlap by too little",
    why="A guess may need the `trained // 2` tokens before it. Let each window begin so many "
    "tokens before the first guess that you keep of it.",
)
def overlapping_by_one(model: Model, ids: Tensor, trained: int) -> Tensor:
    return overlapping(model, ids, trained, 1)


@overlapping_by_one.also
def overlapping_by_a_quarter(model: Model, ids: Tensor, trained: int) -> Tensor:
    return overlapping(model, ids, trained, trained // 4)


@overlapping_by_one.also
def overlapping_by_one_too_few(model: Model, ids: Tensor, trained: int) -> Tensor:
    return overlapping(model, ids, trained, trained // 2 - 1)


def overlapping(model: Model, ids: Tensor, trained: int, overlap: int) -> Tensor:
    """Predict in windows that overlap by so many tokens."""
    found = window(model, ids[:trained])
    while len(found) < len(ids):
        start = len(found) - overlap
        found = torch.cat([found, window(model, ids[start : start + trained])[overlap:]])
    return found


@EXERCISE.mistake(
    "each token is read without those before it",
    why="What follows a token depends on those before it. The guess to keep is the last of its "
    "window, not the first.",
)
def first_of_each_window(model: Model, ids: Tensor, trained: int) -> Tensor:
    return torch.cat([window(model, ids[n : n + trained])[:1] for n in range(len(ids))])


@EXERCISE.mistake(
    "its own guesses are read, not the text",
    why="The text is given to its end. Read its tokens: guesses are only what you return.",
)
def writing_on(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = window(model, ids[:trained])
    read = ids[:trained]
    while len(found) < len(ids):
        read = torch.cat([read, found[-1:]])
        found = torch.cat([found, last(model, read, len(read) - 1, trained)])
    return found


@EXERCISE.mistake(
    "places are counted from 1",
    why="In training the first token stood at place 0. Count from there: torch.arange(n) for n "
    "tokens.",
    of=window,
)
def from_one(model: Model, ids: Tensor) -> Tensor:
    return model(ids, torch.arange(1, len(ids) + 1)).argmax(dim=-1)


@EXERCISE.mistake(
    "a short window stands at the last places, not at the first",
    why="In training each text began at place 0. Let a window that is shorter than `trained` begin "
    "there, too.",
)
def at_the_last_places(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = []
    for end in range(1, len(ids) + 1):
        read = ids[max(end - trained, 0) : end]
        found.append(model(read, torch.arange(trained - len(read), trained)).argmax(dim=-1)[-1])
    return torch.stack(found)


@EXERCISE.mistake(
    "a text that is shorter than a window raises an error",
    why="Not every text has `trained` tokens. Cut a window where the text ends, and count as many "
    "places as it has tokens.",
)
def full_windows_only(model: Model, ids: Tensor, trained: int) -> Tensor:
    first, *others = [window(model, piece) for piece in ids.unfold(0, trained, 1)]
    return torch.cat([first, *(guesses[-1:] for guesses in others)])


@full_windows_only.also
def places_of_a_full_window(model: Model, ids: Tensor, trained: int) -> Tensor:
    found = model(ids[:trained], torch.arange(trained)).argmax(dim=-1)
    for end in range(trained, len(ids)):
        found = torch.cat([found, last(model, ids, end, trained)])
    return found

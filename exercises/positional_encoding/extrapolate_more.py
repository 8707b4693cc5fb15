"""Further mistakes that extrapolate is known to make: with overlaps, places and what is read."""

import torch
from torch import Tensor

from .extrapolate import (
    EXERCISE,
    Model,
    last,
    window,
)


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
    """Guess in windows that overlap by so many tokens."""
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

"""rename_weights goes on: names that are written down for one layer."""

import re

from .parts import Weights
from .rename import (
    EXERCISE,
    NAMES,
    rename_weights,
    renamed,
    wanted,
)


@EXERCISE.mistake(
    "only the first layer gets our names",
    why="The table shows layer 0, and all others are named like it, but for the number. Replace "
    "the pieces before and behind the number, or go through the layers.",
    section="book/real_models#What goes wrong",
)
def others_as_they_were(weights: Weights) -> Weights:
    return {
        renamed(name, NAMES) if is_shown(name) else name: weight
        for name, weight in weights.items()
        if wanted(name)
    }


@others_as_they_were.also
def others_left_out(weights: Weights) -> Weights:
    return rename_weights({name: w for name, w in weights.items() if is_shown(name)})


def is_shown(name: str) -> bool:
    """Tell whether a name stands in a table of one layer."""
    return name.startswith(("embeddings.", "encoder.layer.0."))


@EXERCISE.mistake(
    "layers with a number of two digits keep BERT's name",
    why="A pattern such as \\d stands for one digit. Layer 10 has two: \\d+, or no pattern at all.",
)
def one_digit(weights: Weights) -> Weights:
    pieces = {theirs: ours for theirs, ours in NAMES.items() if theirs != "encoder.layer."}
    return {
        re.sub(r"encoder\.layer\.(\d)\.", r"encoder.layers.\1.", renamed(name, pieces)): weight
        for name, weight in weights.items()
        if wanted(name)
    }


@EXERCISE.mistake(
    "only one piece of each name is replaced",
    why="A name in a layer has two pieces that differ, the layer's and the part's. Go on after the "
    "first that is found.",
)
def one_piece(weights: Weights) -> Weights:
    found = {
        name: next(({theirs: ours} for theirs, ours in NAMES.items() if theirs in name), {})
        for name in weights
        if wanted(name)
    }
    return {renamed(name, piece): weights[name] for name, piece in found.items()}

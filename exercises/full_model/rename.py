"""rename_weights: translate a real model's weight names into ours."""

import re

import torch

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import (
    Weights,
    bert_weights,
    linear_weights,
)

NAMES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer.": "encoder.layers.",
    "attention.self.": "attention.",
    "attention.output.LayerNorm": "around_attention.norm",
    "attention.output.dense": "attention.out",
    "intermediate.dense": "feed_forward.widen",
    "output.dense": "feed_forward.narrow",
    "output.LayerNorm": "around_feed_forward.norm",
    "attention.out.": "attention.output.",
}


def rename_weights(weights: Weights) -> Weights:
    """Return the weights under our names, without the pooler."""
    return {renamed(name, NAMES): w for name, w in weights.items() if wanted(name)}


def wanted(name: str) -> bool:
    """Return whether our model has a place for a weight."""
    return not name.startswith("pooler.")


def renamed(name: str, pieces: dict[str, str]) -> str:
    """Replace parts of a name, in an order in which no replacement matches again."""
    for theirs, ours in pieces.items():
        name = name.replace(theirs, ours)
    return name


EXERCISE = Exercise(__name__, rename_weights, results={"weights": ""}, section="What goes wrong")


@EXERCISE.requires("Every weight has our name, and is the same tensor.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return models of one and two layers, and one whose last layer number has two digits.

    The first is in float64, and the second in float16, in which models are often stored.
    """
    sizes = ((2, 3, 1), (3, 5, 2), (1, 2, 11))
    dtypes = (torch.float64, torch.float16, torch.float32)
    models = (bert_weights(draw, *size) for size in sizes)
    return [
        Inputs(({name: weight.to(dtype) for name, weight in weights.items()},))
        for weights, dtype in zip(models, dtypes, strict=True)
    ]


@EXERCISE.requires("What we have no use for is left out.", points=1)
def pooler(draw: Draw) -> list[Inputs]:
    """Return models with a pooler, which ours lacks, mostly as their last weights."""
    sizes = ((2, 3, 1), (3, 5, 2), (2, 4, 1))
    cases = []
    for d, f, layers in sizes:
        pooler = linear_weights(draw, "pooler.dense", d, d, torch.float32)
        rest = bert_weights(draw, d, f, layers)
        cases.append(Inputs((pooler | rest if d == 3 else rest | pooler,)))
    return cases


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return models of more than ten layers."""
    return [Inputs((bert_weights(draw, 1, 2, layers),)) for layers in (11, 12)]


def exchanged(weights: Weights, one: str, other: str) -> Weights:
    """Swap two parts of the names."""
    swap = {one: "\0", other: one, "\0": other}
    return {renamed(name, swap): weight for name, weight in rename_weights(weights).items()}


@EXERCISE.mistake(
    "attention's output is taken for the network's",
    why='"attention.output.dense" contains "output.dense". Replace the longer piece first, and '
    "see to it that what you put in is not replaced again.",
    section="book/real_models#What goes wrong",
)
def short_first(weights: Weights) -> Weights:
    swap = {
        "around_attention.norm": "attention.around_feed_forward.norm",
        "attention.output": "attention.feed_forward.narrow",
    }
    return {renamed(name, swap): weight for name, weight in rename_weights(weights).items()}


@short_first.also
def short_first_of_the_norms(weights: Weights) -> Weights:
    swap = {"around_attention.norm": "attention.around_feed_forward.norm"}
    return {renamed(name, swap): weight for name, weight in rename_weights(weights).items()}


@short_first.also
def short_first_of_the_matrices(weights: Weights) -> Weights:
    swap = {"attention.output": "attention.feed_forward.narrow"}
    return {renamed(name, swap): weight for name, weight in rename_weights(weights).items()}


@EXERCISE.mistake(
    "the two norms have changed places",
    why="attention.output.LayerNorm stands behind attention, output.LayerNorm behind the network. "
    "They have the same shape, so nothing complains.",
    section="book/real_models#What goes wrong",
)
def norms(weights: Weights) -> Weights:
    return exchanged(weights, "around_attention", "around_feed_forward")


@EXERCISE.mistake(
    "widen and narrow have changed places",
    why='"intermediate" widens, from d to d_ff. "output.dense" narrows.',
    section="book/norm#A whole layer",
)
def network(weights: Weights) -> Weights:
    return exchanged(weights, "feed_forward.widen", "feed_forward.narrow")


@EXERCISE.mistake(
    "the layers have kept their old name",
    why='BERT says "encoder.layer.0", we say "encoder.layers.0". One letter, and nothing is found.',
    section="book/real_models#What goes wrong",
)
def layer(weights: Weights) -> Weights:
    return {
        name.replace("layers.", "layer."): weight
        for name, weight in rename_weights(weights).items()
    }


@EXERCISE.mistake(
    "self is still in the names",
    why='BERT says "attention.self.query", we say "attention.query".',
    section="book/real_models#What goes wrong",
)
def self(weights: Weights) -> Weights:
    pieces = {f"attention.{name}": f"attention.self.{name}" for name in ("query", "key", "value")}
    return {renamed(name, pieces): weight for name, weight in rename_weights(weights).items()}


@EXERCISE.mistake(
    "the matrices are turned",
    why="Both keep them as (outputs, inputs). Some other libraries do not, and a square one fits "
    "either way: that is for the one who converts to know.",
    section="book/real_models#What goes wrong",
)
def turned(weights: Weights) -> Weights:
    return {
        name: weight.mT if weight.dim() == 2 and "embeddings" not in name else weight
        for name, weight in rename_weights(weights).items()
    }


@EXERCISE.mistake(
    "the pooler is still there",
    why="BERT had a layer more at the end, for a task that this model does not do. We have no "
    "place for it: leave out what begins with pooler.",
    section="book/real_models#What goes wrong",
    of=wanted,
)
def pooler_kept(name: str) -> bool:
    return True


@EXERCISE.mistake(
    "LayerNorm has kept its name",
    why='BERT says "LayerNorm", we say "norm".',
    section="book/real_models#What goes wrong",
)
def layer_norm_kept(weights: Weights) -> Weights:
    pieces = {".norm": ".LayerNorm"}
    return {renamed(name, pieces): weight for name, weight in rename_weights(weights).items()}


@EXERCISE.mistake(
    "the embeddings have kept their names",
    why='BERT says "word_embeddings", "position_embeddings" and "token_type_embeddings", we say '
    '"tokens", "positions" and "segments".',
    section="book/real_models#What goes wrong",
)
def embeddings_kept(weights: Weights) -> Weights:
    pieces = {
        "tokens": "word_embeddings",
        "positions": "position_embeddings",
        "segments": "token_type_embeddings",
    }
    return {renamed(name, pieces): weight for name, weight in rename_weights(weights).items()}


@EXERCISE.mistake(
    "positions and segments have changed places",
    why="token_type_embeddings say of which text a token is: segments. position_embeddings say "
    "where it stands.",
    section="book/real_models#What goes wrong",
)
def tables(weights: Weights) -> Weights:
    return exchanged(weights, "positions", "segments")


@EXERCISE.mistake(
    "queries and keys have changed places",
    why="query is query, and key is key, in both.",
    section="book/real_models#What goes wrong",
)
def queries(weights: Weights) -> Weights:
    return exchanged(weights, "query", "key")


@EXERCISE.mistake(
    "the biases are left out",
    why="Each matrix and each norm has a bias, and they all get our names.",
    section="book/real_models#What goes wrong",
    of=wanted,
)
def no_biases(name: str) -> bool:
    return not name.startswith("pooler.") and not name.endswith(".bias")


@EXERCISE.mistake(
    "only the first digit of a layer's number is read",
    why="From the eleventh layer on the number has two digits, and 10 becomes 1: layers overwrite "
    "each other. Split the name at its dots.",
    section="book/real_models#What goes wrong",
)
def first_digit(weights: Weights) -> Weights:
    return {
        re.sub(r"(layers\.\d)\d+", r"\1", name): weight
        for name, weight in rename_weights(weights).items()
    }


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
    """Return whether a name appears in the table of one layer."""
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

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to give foreign weights our names."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

WRONG = "book/real_models#What goes wrong"
BLOCK = "book/norm#A whole layer"
NAMES = {
    "word_embeddings": "tokens",
    "position_embeddings": "positions",
    "token_type_embeddings": "segments",
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

Weights = dict[str, Tensor]


def renamed(name: str, names: dict[str, str]) -> str:
    """Replace the pieces of a name, in turn."""
    for theirs, ours in names.items():
        name = name.replace(theirs, ours)
    return name


def our(weights: Weights) -> Weights:
    """Rename, rightly."""
    return {
        renamed(name, NAMES): weight
        for name, weight in weights.items()
        if not name.startswith("pooler.")
    }


def exchanged(weights: Weights, one: str, other: str) -> Weights:
    """Let two pieces of the names change places."""
    swap = {one: "\0", other: one, "\0": other}
    return {renamed(name, swap): weight for name, weight in our(weights).items()}


@mistake(
    "attention's output is taken for the network's",
    why='"attention.output.dense" contains "output.dense". Replace the longer piece first, and '
    "see to it that what you put in is not replaced again.",
    section=WRONG,
)
def rename_short_first(weights: Weights) -> Weights:
    swap = {
        "around_attention.norm": "attention.around_feed_forward.norm",
        "attention.output": "attention.feed_forward.narrow",
    }
    return {renamed(name, swap): weight for name, weight in our(weights).items()}


@mistake(
    "the two norms of a layer have changed places",
    why="attention.output.LayerNorm stands behind attention, output.LayerNorm behind the network. "
    "They have the same shape, so nothing complains.",
    section=WRONG,
)
def rename_norms(weights: Weights) -> Weights:
    return exchanged(weights, "around_attention", "around_feed_forward")


@mistake(
    "widen and narrow have changed places",
    why='"intermediate" widens, from d to d_ff. "output.dense" narrows.',
    section=BLOCK,
)
def rename_network(weights: Weights) -> Weights:
    return exchanged(weights, "widen", "narrow")


@mistake(
    "the layers have kept their old name",
    why='BERT says "encoder.layer.0", we say "encoder.layers.0". One letter, and nothing is found.',
    section=WRONG,
)
def rename_layer(weights: Weights) -> Weights:
    return {name.replace("layers.", "layer."): weight for name, weight in our(weights).items()}


@mistake(
    "self is still in the names",
    why='BERT says "attention.self.query", we say "attention.query".',
    section=WRONG,
)
def rename_self(weights: Weights) -> Weights:
    pieces = {f"attention.{name}": f"attention.self.{name}" for name in ("query", "key", "value")}
    return {renamed(name, pieces): weight for name, weight in our(weights).items()}


@mistake(
    "the matrices are turned",
    why="Both keep them as (outputs, inputs). Some other libraries do not, and a square one fits "
    "either way: that is for the one who converts to know.",
    section=WRONG,
)
def rename_turned(weights: Weights) -> Weights:
    return {
        name: weight.mT if weight.dim() == 2 and "embeddings" not in name else weight
        for name, weight in our(weights).items()
    }


@mistake(
    "the pooler is still there",
    why="BERT had a layer more at the end, for a task that this model does not do. We have no "
    "place for it: leave out what begins with pooler.",
    section=WRONG,
)
def rename_pooler(weights: Weights) -> Weights:
    return {renamed(name, NAMES): weight for name, weight in weights.items()}


RENAME_MISTAKES = (
    rename_short_first,
    rename_norms,
    rename_network,
    rename_layer,
    rename_self,
    rename_turned,
    rename_pooler,
)

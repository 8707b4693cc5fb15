# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to turn a sentence into a vector."""

from torch import Tensor

from transformer_lab.grading.checks.full_model_given import layer_norm, part
from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.full_model_encoder import stack
from transformer_lab.grading.misconceptions.full_model_names import our

MEANING = "book/real_models#An encoder that knows what sentences mean"
WRONG = "book/real_models#What goes wrong"

Weights = dict[str, Tensor]


def looked_up(
    weights: Weights, ids: Tensor, *, places: bool = True, segment: bool = True
) -> Tensor:
    """Give the sum of the embeddings."""
    table = part(our(weights), "embeddings")
    x = table["tokens.weight"][ids]
    x = x + table["positions.weight"][: ids.size(-1)] if places else x
    return x + table["segments.weight"][0] if segment else x


def normed(x: Tensor, weights: Weights) -> Tensor:
    """Normalise the embeddings."""
    return layer_norm(x, part(our(weights), "embeddings.norm"))


def encoded(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    """Send the embeddings through the encoder."""
    return stack(x, part(our(weights), "encoder"), heads, layers, mask)


def read(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    """Give the encoder's vectors, rightly."""
    x = normed(looked_up(weights, ids), weights)
    return encoded(x, weights, heads, layers, real.unsqueeze(-2))


def mean(x: Tensor, real: Tensor) -> Tensor:
    """Take the mean over real tokens."""
    return (x * real.unsqueeze(-1)).sum(dim=-2) / real.sum(dim=-1, keepdim=True)


def unit(vectors: Tensor) -> Tensor:
    """Cut to length 1."""
    return vectors / vectors.norm(dim=-1, keepdim=True)


@mistake(
    "the mean counts padding",
    why="Attention did not read the padding, but the encoder has made vectors at its places all "
    "the same. Add up the real ones only, and divide by their number.",
    section=MEANING,
)
def sentence_mean_of_all(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return unit(read(weights, ids, real, heads, layers).mean(dim=-2))


@mistake(
    "the first token stands for all",
    why="That is what BERT was made for, with its pooler. This model was trained with the mean of "
    "all tokens.",
    section=MEANING,
)
def sentence_first(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    return unit(read(weights, ids, real, heads, layers)[:, 0])


@mistake(
    "the length is not 1",
    why="Only for vectors of length 1 is the dot product the cosine of the angle between them. "
    "Divide by the length.",
    section=MEANING,
)
def sentence_long(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    return mean(read(weights, ids, real, heads, layers), real)


@mistake(
    "attention reads the padding",
    why="The encoder got no mask, or one that allows everything. A sentence would mean something "
    "else in the company of a longer one.",
    section=WRONG,
)
def sentence_no_mask(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    x = normed(looked_up(weights, ids), weights)
    return unit(mean(encoded(x, weights, heads, layers, None), real))


@mistake(
    "the positions are missing",
    why="Without them the model reads a bag of words, and the weights expect positions: they are "
    "added to the words.",
    section=WRONG,
)
def sentence_no_places(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    x = normed(looked_up(weights, ids, places=False), weights)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))


@mistake(
    "the segment's vector is missing",
    why="BERT adds a vector that says whether a token is of the first text or the second. A "
    "sentence alone is all first: row 0.",
    section=WRONG,
)
def sentence_no_segment(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    x = normed(looked_up(weights, ids, segment=False), weights)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))


@mistake(
    "the embeddings are not normalised",
    why="BERT has one more norm, between the embeddings and the first layer: embeddings.norm.",
    section=WRONG,
)
def sentence_no_norm(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    x = looked_up(weights, ids)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))


SENTENCE_MISTAKES = (
    sentence_mean_of_all,
    sentence_first,
    sentence_long,
    sentence_no_mask,
    sentence_no_places,
    sentence_no_segment,
    sentence_no_norm,
)

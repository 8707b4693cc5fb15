"""sentence_embedding: embed, encode, average over tokens, scale to length 1."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .given import encoder, layer_norm, part, rename_weights
from .parts import bert_weights

Weights = dict[str, Tensor]


def sentence_embedding(
    weights: dict[str, Tensor], ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    """Return the sentences' embeddings, of length 1."""
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids) + places(ours, ids) + segment(ours), ours)
    x = encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))
    return unit(mean(x, real))


def tokens(weights: Weights, ids: Tensor) -> Tensor:
    """Return the token embeddings."""
    return weights["embeddings.tokens.weight"][ids]


def places(weights: Weights, ids: Tensor) -> Tensor:
    """Return the position embeddings."""
    return weights["embeddings.positions.weight"][: ids.size(-1)]


def segment(weights: Weights) -> Tensor:
    """Return the embedding of the first segment."""
    return weights["embeddings.segments.weight"][0]


def normed(x: Tensor, weights: Weights) -> Tensor:
    """Normalise the embeddings."""
    return layer_norm(x, part(weights, "embeddings.norm"))


def for_queries(real: Tensor) -> Tensor | None:
    """Return the padding mask for all queries."""
    return real.unsqueeze(-2)


def mean(x: Tensor, real: Tensor) -> Tensor:
    """Return the mean over tokens, without padding."""
    return (x * real.unsqueeze(-1)).sum(dim=-2) / real.sum(dim=-1, keepdim=True)


def unit(vectors: Tensor) -> Tensor:
    """Scale vectors to length 1."""
    return vectors / vectors.norm(dim=-1, keepdim=True)


EXERCISE = Exercise(
    __name__,
    sentence_embedding,
    results={"vectors": "sentences, features"},
    section="What goes wrong",
)


@EXERCISE.requires(
    "A sentence's vector is the mean of the encoder's vectors for its tokens, scaled to length 1.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return sentences of equal length."""
    return [
        _sentences(draw, *size) for size in (([2], 4, 1, 1), ([4, 4], 4, 2, 2), ([3, 3], 6, 3, 1))
    ]


@EXERCISE.requires("Padding changes nothing.", points=2)
def padding(draw: Draw) -> list[Inputs]:
    """Return sentences of unequal length, one of them alone, and a padding id other than 0."""
    sizes = (([2, 4], 4, 2, 1), ([3, 5, 1], 4, 2, 2), ([4, 2], 6, 2, 1), ([1, 3], 6, 3, 1))
    weights, ids, real, *rest = _sentences(draw, [2, 4], 4, 2, 1).args
    others = (weights, ids[:1], real[:1], *rest), (weights, 6 - ids, real, *rest)
    return [*(_sentences(draw, *size) for size in sizes), *map(Inputs, others)]


EXERCISE.untouched()


def _sentences(draw: Draw, lengths: list[int], d: int, heads: int, layers: int) -> Inputs:
    """Draw a model and sentences, padded with 0."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)
    ids = draw.ids(*real.shape, low=1, high=7).masked_fill(~real, 0)
    return Inputs((bert_weights(draw, d, 5, layers), ids, real, heads, layers))


@EXERCISE.mistake(
    "the mean counts padding",
    why="Attention did not read the padding, but the encoder returns vectors at its positions all "
    "the same. Add up only those of real tokens, and divide by their number.",
    section="book/real_models#An encoder of sentences",
    of=mean,
)
def mean_of_all(x: Tensor, real: Tensor) -> Tensor:
    return x.mean(dim=-2)


@EXERCISE.mistake(
    "only the first token's vector is used",
    why="BERT was trained to use that, with its pooler. This model was trained with the mean of "
    "all tokens.",
    section="book/real_models#An encoder of sentences",
    of=mean,
)
def first(x: Tensor, real: Tensor) -> Tensor:
    return x[..., 0, :]


@EXERCISE.mistake(
    "the length is not 1",
    why="The dot product is the cosine of the angle between two vectors only if both have length "
    "1. Divide by the length.",
    section="book/real_models#An encoder of sentences",
    of=unit,
)
def long(vectors: Tensor) -> Tensor:
    return vectors


@EXERCISE.mistake(
    "attention reads the padding",
    why="The encoder got no mask, or one that allows everything. A sentence's vector would depend "
    "on how much padding a longer one adds to it.",
    section="book/real_models#What goes wrong",
    of=for_queries,
)
def no_mask(real: Tensor) -> None:
    return None


@EXERCISE.mistake(
    "the positions are missing",
    why="Without them the model reads a bag of words, and the weights were trained with "
    "positions: they are added to the words.",
    section="book/real_models#What goes wrong",
    of=places,
)
def no_places(weights: Weights, ids: Tensor) -> Tensor:
    return torch.zeros_like(places(weights, ids))


@EXERCISE.mistake(
    "the segment's vector is missing",
    why="BERT adds a vector that says whether a token belongs to the first text or the second. A "
    "sentence alone is the first text: row 0.",
    section="book/real_models#What goes wrong",
    of=segment,
)
def no_segment(weights: Weights) -> Tensor:
    return torch.zeros_like(segment(weights))


@EXERCISE.mistake(
    "the embeddings are not normalised",
    why="BERT has one more norm, between the embeddings and the first layer: embeddings.norm.",
    section="book/real_models#What goes wrong",
    of=normed,
)
def no_norm(x: Tensor, weights: Weights) -> Tensor:
    return x


@EXERCISE.mistake(
    "all sentences are divided by one length",
    why="Each sentence's vector is divided by its own length: its norm along the last axis.",
    section="book/real_models#An encoder of sentences",
    of=unit,
)
def one_length(vectors: Tensor) -> Tensor:
    return vectors / vectors.norm()


@one_length.within(unit)
def lengths_of_features(vectors: Tensor) -> Tensor:
    return vectors / vectors.norm(dim=0, keepdim=True)


@EXERCISE.mistake(
    "the tokens are normalised before positions and segment are added",
    why="Add all three first, and then normalise their sum: embeddings.norm.",
    section="book/real_models#What goes wrong",
)
def norm_too_early(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids), ours) + places(ours, ids) + segment(ours)
    x = encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))
    return unit(mean(x, real))


@EXERCISE.mistake(
    "only the last token's vector is used",
    why="This model was trained with the mean of all tokens, and the last token may be padding.",
    section="book/real_models#An encoder of sentences",
    of=mean,
)
def last(x: Tensor, real: Tensor) -> Tensor:
    return x[..., -1, :]


@EXERCISE.mistake(
    "the largest of each feature is taken, not the mean",
    why="This model was trained with the mean of all tokens.",
    section="book/real_models#An encoder of sentences",
    of=mean,
)
def largest(x: Tensor, real: Tensor) -> Tensor:
    return x.masked_fill(~real.unsqueeze(-1), -torch.inf).amax(dim=-2)


@largest.within(mean)
def largest_of_all(x: Tensor, real: Tensor) -> Tensor:
    return x.amax(dim=-2)


@EXERCISE.mistake(
    "padding is hidden as a query, not as a key",
    why="real says which *keys* may be read: a row for all queries, unsqueeze(-2).",
    section="book/real_models#What goes wrong",
    of=for_queries,
)
def rows(real: Tensor) -> Tensor:
    return real.unsqueeze(-1)


@EXERCISE.mistake(
    "the encoder is left out",
    why="Take the mean of the encoder's output for the tokens.",
    section="book/real_models#An encoder of sentences",
    of=encoder,
)
def no_encoder(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    return x


@EXERCISE.mistake(
    "the tokens' vectors are multiplied by the root of the width",
    why="The model of 2017 does so. BERT does not, and its other vectors have a size to match: "
    "add them as they are.",
    section="book/real_models#What goes wrong",
    of=tokens,
)
def times_root(weights: Weights, ids: Tensor) -> Tensor:
    found = weights["embeddings.tokens.weight"][ids]
    return found * math.sqrt(found.size(-1))


@EXERCISE.mistake(
    "the second segment is used",
    why="A sentence alone is the first text: row 0.",
    section="book/real_models#What goes wrong",
    of=segment,
)
def second_segment(weights: Weights) -> Tensor:
    return weights["embeddings.segments.weight"][1]


@EXERCISE.mistake(
    "all segments are added",
    why="A token belongs to one text. A sentence alone is the first: row 0.",
    section="book/real_models#What goes wrong",
    of=segment,
)
def all_segments(weights: Weights) -> Tensor:
    return weights["embeddings.segments.weight"].sum(dim=0)


@EXERCISE.mistake(
    "each token is normalised, not their mean",
    why="The mean of vectors of length 1 is shorter the more they differ, and a long vector "
    "counts for no more than a short one. Take the mean first, then divide it by its length.",
    section="book/real_models#An encoder of sentences",
)
def each_token_has_length_one(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return mean(unit(encoded(weights, ids, real, heads, layers)), real)


def encoded(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    """Return the output of embeddings and encoder."""
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids) + places(ours, ids) + segment(ours), ours)
    return encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))


@EXERCISE.mistake(
    "the encoder hides the future",
    why="A decoder reads only what came before, because it must predict what comes next. An "
    "encoder of sentences reads in both directions: hide padding, and nothing else.",
    section="book/masking#Which mask for which task?",
    of=for_queries,
)
def causal(real: Tensor) -> Tensor:
    length = real.size(-1)
    return real.unsqueeze(-2) & torch.ones(length, length, dtype=torch.bool).tril()


@norm_too_early.also
def places_behind_the_norm(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids) + segment(ours), ours) + places(ours, ids)
    x = encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))
    return unit(mean(x, real))


@EXERCISE.mistake(
    "each token is normalised before the mean",
    why="The result has length 1, but it is the mean of other vectors: a long vector should count "
    "for more than a short one. Normalise only the mean.",
    section="book/real_models#An encoder of sentences",
)
def each_token_and_the_mean(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return unit(mean(unit(encoded(weights, ids, real, heads, layers)), real))

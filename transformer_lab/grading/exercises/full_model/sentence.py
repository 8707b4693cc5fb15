"""sentence_embedding: embed, encode, take the mean, cut it to length 1."""

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.encoder import encoder
from transformer_lab.grading.exercises.full_model.given import layer_norm, part
from transformer_lab.grading.exercises.full_model.parts import bert_weights
from transformer_lab.grading.exercises.full_model.rename import rename_weights

Weights = dict[str, Tensor]


def sentence_embedding(
    weights: dict[str, Tensor], ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    """Embed, encode, take the mean, cut it to length 1."""
    weights = rename_weights(weights)
    table = part(weights, "embeddings")
    x = table["tokens.weight"][ids] + table["positions.weight"][: ids.size(-1)]
    x = layer_norm(x + table["segments.weight"][0], part(table, "norm"))
    x = encoder(x, part(weights, "encoder"), heads, layers, real.unsqueeze(-2))
    counted = real.unsqueeze(-1)
    return F.normalize((x * counted).sum(dim=-2) / counted.sum(dim=-2), dim=-1)


EXERCISE = Exercise(
    __name__,
    sentence_embedding,
    results={"vectors": "sentences, features"},
    section="What goes wrong",
)


@EXERCISE.requires(
    "A sentence's vector is the mean of what the encoder made of its tokens, of length 1.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    """Give sentences of equal length."""
    return [
        _sentences(draw, *size) for size in (([2], 4, 1, 1), ([4, 4], 4, 2, 2), ([3, 3], 6, 3, 1))
    ]


@EXERCISE.requires("Padding changes nothing.", points=2)
def padding(draw: Draw) -> list[Inputs]:
    """Give sentences of unequal length."""
    sizes = (([2, 4], 4, 2, 1), ([3, 5, 1], 4, 2, 2), ([4, 2], 6, 2, 1), ([1, 3], 6, 3, 1))
    return [_sentences(draw, *size) for size in sizes]


EXERCISE.untouched()


def _sentences(draw: Draw, lengths: list[int], d: int, heads: int, layers: int) -> Inputs:
    """Draw a model and sentences, padded with 0."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)
    ids = draw.ids(*real.shape, low=1, high=7).masked_fill(~real, 0)
    return Inputs((bert_weights(draw, d, 5, layers), ids, real, heads, layers))


def looked_up(
    weights: Weights, ids: Tensor, *, places: bool = True, segment: bool = True
) -> Tensor:
    """Give the sum of the embeddings."""
    table = part(rename_weights(weights), "embeddings")
    x = table["tokens.weight"][ids]
    x = x + table["positions.weight"][: ids.size(-1)] if places else x
    return x + table["segments.weight"][0] if segment else x


def normed(x: Tensor, weights: Weights) -> Tensor:
    """Normalise the embeddings."""
    return layer_norm(x, part(rename_weights(weights), "embeddings.norm"))


def encoded(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    """Send the embeddings through the encoder."""
    return encoder(x, part(rename_weights(weights), "encoder"), heads, layers, mask)


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


@EXERCISE.mistake(
    "the mean counts padding",
    why="Attention did not read the padding, but the encoder has made vectors at its places all "
    "the same. Add up the real ones only, and divide by their number.",
    section="book/real_models#An encoder that knows what sentences mean",
)
def mean_of_all(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    return unit(read(weights, ids, real, heads, layers).mean(dim=-2))


@EXERCISE.mistake(
    "the first token stands for all",
    why="That is what BERT was made for, with its pooler. This model was trained with the mean of "
    "all tokens.",
    section="book/real_models#An encoder that knows what sentences mean",
)
def first(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    return unit(read(weights, ids, real, heads, layers)[:, 0])


@EXERCISE.mistake(
    "the length is not 1",
    why="Only for vectors of length 1 is the dot product the cosine of the angle between them. "
    "Divide by the length.",
    section="book/real_models#An encoder that knows what sentences mean",
)
def long(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    return mean(read(weights, ids, real, heads, layers), real)


@EXERCISE.mistake(
    "attention reads the padding",
    why="The encoder got no mask, or one that allows everything. A sentence would mean something "
    "else in the company of a longer one.",
    section="book/real_models#What goes wrong",
)
def no_mask(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    x = normed(looked_up(weights, ids), weights)
    return unit(mean(encoded(x, weights, heads, layers, None), real))


@EXERCISE.mistake(
    "the positions are missing",
    why="Without them the model reads a bag of words, and the weights expect positions: they are "
    "added to the words.",
    section="book/real_models#What goes wrong",
)
def no_places(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    x = normed(looked_up(weights, ids, places=False), weights)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))


@EXERCISE.mistake(
    "the segment's vector is missing",
    why="BERT adds a vector that says whether a token is of the first text or the second. A "
    "sentence alone is all first: row 0.",
    section="book/real_models#What goes wrong",
)
def no_segment(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    x = normed(looked_up(weights, ids, segment=False), weights)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))


@EXERCISE.mistake(
    "the embeddings are not normalised",
    why="BERT has one more norm, between the embeddings and the first layer: embeddings.norm.",
    section="book/real_models#What goes wrong",
)
def no_norm(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    x = looked_up(weights, ids)
    return unit(mean(encoded(x, weights, heads, layers, real.unsqueeze(-2)), real))

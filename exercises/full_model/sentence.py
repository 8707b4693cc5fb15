"""sentence_embedding: embed, encode, average over tokens, scale to length 1."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Function, Inputs

from .given import BERT
from .parts import bert, holding


def sentence_embedding(model: BERT, ids: Tensor, real: Tensor) -> Tensor:
    """Return the sentences' embeddings, of length 1."""
    x = normed(tokens(model, ids) + places(model, ids) + segment(model), model)
    x = model.encoder(x, for_queries(real))
    return unit(mean(x, real))


def tokens(model: BERT, ids: Tensor) -> Tensor:
    """Return the token embeddings."""
    return model.tokens.weight[ids]


def places(model: BERT, ids: Tensor) -> Tensor:
    """Return the position embeddings."""
    return model.positions.weight[: ids.size(-1)]


def segment(model: BERT) -> Tensor:
    """Return the embedding of the first segment."""
    return model.segments.weight[0]


def normed(x: Tensor, model: BERT) -> Tensor:
    """Normalise the embeddings."""
    return model.norm(x)


def for_queries(real: Tensor) -> Tensor | None:
    """Return the padding mask for all queries."""
    return real.unsqueeze(-2)


def mean(x: Tensor, real: Tensor) -> Tensor:
    """Return the mean over tokens, without padding."""
    return (x * real.unsqueeze(-1)).sum(dim=-2) / real.sum(dim=-1, keepdim=True)


def unit(vectors: Tensor) -> Tensor:
    """Scale vectors to length 1."""
    return vectors / vectors.norm(dim=-1, keepdim=True)


def with_model(
    answer: "Function", model: dict, ids: torch.Tensor, real: torch.Tensor
) -> torch.Tensor:
    """Call an answer with a model that holds the drawn weights."""
    return answer(holding(BERT(*model["sizes"]), model), ids, real)


EXERCISE = Exercise(
    __name__,
    sentence_embedding,
    results={"vectors": "sentences, features"},
    section="What goes wrong",
    driver=with_model,
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
    model, ids, real = _sentences(draw, [2, 4], 4, 2, 1).args
    others = (model, ids[:1], real[:1]), (model, 6 - ids, real)
    return [*(_sentences(draw, *size) for size in sizes), *map(Inputs, others)]


EXERCISE.untouched()


def _sentences(draw: Draw, lengths: list[int], d: int, heads: int, layers: int) -> Inputs:
    """Draw a model and sentences, padded with 0."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(-1)
    ids = draw.ids(*real.shape, low=1, high=7).masked_fill(~real, 0)
    return Inputs((bert(draw, d, heads, layers), ids, real))


EXERCISE.edit(
    "the mean counts padding",
    {"real.unsqueeze(-1)": "2"},
    why="Attention did not read the padding, but the encoder returns vectors at its positions all "
    "the same.\nAdd up only those of real tokens, and divide by their number.",
    section="book/real_models#An encoder of sentences",
)
EXERCISE.edit(
    "only the first token's vector is used",
    {"(x * real.unsqueeze(-1)).sum(dim=-2)": "x[..., 0, :]"},
    why="BERT was trained to use that, with its pooler. This model was trained with the mean of "
    "all tokens.",
    section="book/real_models#An encoder of sentences",
)
EXERCISE.edit(
    "the length is not 1",
    {"vectors.norm(dim=-1, keepdim=True)": "True"},
    why="The dot product is the cosine of the angle between two vectors only if both have length "
    "1.\nDivide by the length.",
    section="book/real_models#An encoder of sentences",
)
EXERCISE.edit(
    "attention reads the padding",
    {"real.unsqueeze(-2)": "None"},
    why="The encoder got no mask, or one that allows everything. A sentence's vector would depend "
    "on how much padding a longer one adds to it.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "the last layer is missing",
    {
        "x = model.encoder(x, for_queries(real))": "for layer in model.encoder.layers[:-1]: "
        "x = layer(x, for_queries(real))"
    },
    why="\nSend the vectors through all layers: `model.encoder(x, mask)` does.",
    section="Three models from the same parts",
)
EXERCISE.edit(
    "the segment's vector is missing",
    {"model.segments.weight[0]": "0"},
    why="BERT adds a vector that says whether a token belongs to the first text or the second. A "
    "sentence alone is the first text.\nRow 0.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "the embeddings are not normalised",
    {"model.norm(x)": "x"},
    why="BERT has one more norm, between the embeddings and the first layer: model.norm.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "all sentences are divided by one length",
    {"norm": "norm().norm"},
    {"-1": "0"},
    why="Each sentence's vector is divided by its own length.\nIts norm along the last axis.",
    section="book/real_models#An encoder of sentences",
    of=unit,
)
EXERCISE.edit(
    "the tokens are normalised before positions and segment are added",
    {") + places": "), model) + places", "(model), model": "(model"},
    {"places(model, ids) + segment": "segment", "), model)": "), model) + places(model, ids)"},
    why="\nAdd all three first, and then normalise their sum: model.norm.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "the largest of each feature is taken, not the mean",
    {"(x * real.unsqueeze(-1)).sum": "x.masked_fill(~real.unsqueeze(-1), -torch.inf).amax"},
    why="This model was trained with the mean of all tokens.",
    section="book/real_models#An encoder of sentences",
)
EXERCISE.edit(
    "padding is hidden as a query, not as a key",
    {"2": "1"},
    why="real says which *keys* may be read.\nA row for all queries, unsqueeze(-2).",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "the tokens' vectors are multiplied by the root of the width",
    {"[ids]": "[ids] * math.sqrt(model.tokens.weight.size(-1))"},
    why="The model of 2017 does so. BERT does not, and its other vectors have a size to match.\n"
    "Add them as they are.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "the second segment is used",
    {"0": "1"},
    why="A sentence alone is the first text.\nRow 0.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "all segments are added",
    {"[0]": ".sum(dim=0)"},
    why="A token belongs to one text. A sentence alone is the first.\nRow 0.",
    section="book/real_models#What goes wrong",
)
EXERCISE.edit(
    "each token is normalised, not their mean",
    {"unit(mean(x, real))": "mean(unit(encoded(model, ids, real)), real)"},
    why="The mean of vectors of length 1 is shorter the more they differ, and a long vector counts "
    "for no more than a short one.\nTake the mean first, then divide it by its length.",
    section="book/real_models#An encoder of sentences",
)


def encoded(model: BERT, ids: Tensor, real: Tensor) -> Tensor:
    """Return the output of embeddings and encoder."""
    x = normed(tokens(model, ids) + places(model, ids) + segment(model), model)
    return model.encoder(x, for_queries(real))


EXERCISE.edit(
    "the encoder hides the future",
    {"(-2)": "(-2) & torch.ones(real.size(-1), real.size(-1), dtype=torch.bool).tril()"},
    why="A decoder reads only what came before, because it must predict what comes next. An "
    "encoder of sentences reads in both directions.\nHide padding, and nothing else.",
    section="book/masking#Which mask for which task?",
)
EXERCISE.edit(
    "each token is normalised before the mean",
    {"x, real": "unit(encoded(model, ids, real)), real"},
    why="The result has length 1, but it is the mean of other vectors: a long vector should count "
    "for more than a short one.\nNormalise only the mean.",
    section="book/real_models#An encoder of sentences",
)

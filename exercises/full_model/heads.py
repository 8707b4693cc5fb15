"""head_losses: ablate one head at a time, and measure how much the loss grows."""

from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .loss import shifted_loss
from .mend_leak import decoder
from .parts import Weights, real_tokens, stack_weights

Silence = Callable[[Weights, int, int, int], Weights]
PROJECTION = "layers.{}.attention.{}"


def head_losses(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    """Return how much the loss grows when each head is ablated."""
    rows = [
        [text_loss(silent(weights, n, h, heads), ids, real, heads, layers) for h in range(heads)]
        for n in range(layers)
    ]
    return growth(torch.stack(list(map(torch.stack, rows))), weights, ids, real, heads, layers)


def growth(
    without: Tensor, weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    """Subtract the loss of the intact model."""
    return without - text_loss(weights, ids, real, heads, layers)


def text_loss(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    """Return the loss of a decoder whose token embeddings also make the logits."""
    x = decoder(embedded(weights, ids), weights, heads, layers, real)
    return shifted_loss(x @ weights["tokens"].mT, ids, real)


def embedded(weights: Weights, ids: Tensor) -> Tensor:
    """Return token embeddings plus position embeddings."""
    return weights["tokens"][ids] + weights["positions"][: ids.size(-1)]


def silent(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    """Zero the columns of W_O that read one head."""
    name = PROJECTION.format(layer, "output.weight")
    output = weights[name].clone()
    output[:, features(output.size(-1), head, heads)] = 0
    return weights | {name: output}


def features(width: int, head: int, heads: int) -> slice:
    """Return the slice of features that belongs to a head."""
    size = width // heads
    return slice(head * size, head * size + size)


EXERCISE = Exercise(
    __name__,
    head_losses,
    results={"growth": "layers, heads"},
    section="Is attention an explanation?",
)


@EXERCISE.requires("Each entry is the increase of the loss without that head.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return models of one or two layers with one to three heads; the first is in float64."""
    sizes = (([4, 3], 4, 2, 1), ([3, 5], 6, 3, 2), ([3, 4], 4, 1, 1))
    wide = writer(draw, [5], 4, 2, 1, dtype=torch.float64)
    return [wide, *(writer(draw, *size) for size in sizes)]


@EXERCISE.requires(
    "A head that has no effect on the output is not needed, however sharp its attention is.",
    points=1,
)
def unheard(draw: Draw) -> list[Inputs]:
    """Return models with a head that attends to a single token and isn't read."""
    sizes = (([6], 4, 2, 1), ([5, 3], 6, 3, 1), ([5], 6, 2, 2))
    return [with_idle_head(*writer(draw, *size).args) for size in sizes]


EXERCISE.untouched()


def writer(
    draw: Draw,
    lengths: list[int],
    d: int,
    heads: int,
    layers: int,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw a small decoder and texts for it."""
    real, words = real_tokens(lengths), 7
    weights = stack_weights(draw, d, 5, layers, dtype)
    for name, rows in (("tokens", words), ("positions", max(lengths) + 2)):
        weights[name] = draw.normal(rows, d, dtype=dtype)
    return Inputs((weights, draw.ids(*real.shape, high=words), real, heads, layers))


def with_idle_head(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Inputs:
    """Sharpen the first layer's attention, and ablate its second head."""
    name = PROJECTION.format(0, "query.weight")
    weights = weights | {name: weights[name] * 9}
    return Inputs((silent(weights, 0, 1, heads), ids, real, heads, layers))


def rows(*names: str) -> Silence:
    """Return a function that zeroes a head's rows in some of a layer's weights."""

    def silence(weights: Weights, layer: int, head: int, heads: int) -> Weights:
        own = features(weights["tokens"].size(-1), head, heads)
        changed = {name: weights[name].clone() for name in projections(layer, *names)}
        for weight in changed.values():
            weight[own] = 0
        return weights | changed

    return silence


def projections(layer: int, *names: str) -> list[str]:
    """Return the full names of weights in a layer's attention."""
    return [PROJECTION.format(layer, name) for name in names]


EXERCISE.mistake(
    "the rows of W_O are silenced, not its columns",
    why="A linear layer has a row for each output. W_O takes the heads as *input*, so a head's "
    "part is columns: weight[:, first:last].",
    of=silent,
)(rows("output.weight"))


@EXERCISE.mistake(
    "the columns of W_V are silenced, not its rows",
    why="A linear layer has a row for each output. W_V has the values as *output*, so a head's "
    "part is rows: weight[first:last].",
    of=silent,
)
def value_columns(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    (name,) = projections(layer, "value.weight")
    matrix = weights[name].clone()
    matrix[:, features(len(matrix), head, heads)] = 0
    return rows("value.bias")(weights, layer, head, heads) | {name: matrix}


unasked = EXERCISE.mistake(
    "the head's queries or keys are silenced, not its output",
    why="Without them the head only attends elsewhere: scores of 0 give equal weights, so it "
    "outputs the mean of all values. Silence its values, or the columns of W_O that read it.",
    of=silent,
)(rows("query.weight", "query.bias"))
unasked.within(silent)(rows("key.weight", "key.bias"))
unasked.within(silent)(rows("query.weight"))

EXERCISE.mistake(
    "the bias of the head's values is not silenced",
    why="A value is x W + b: if only the matrix is zero, the bias still reaches W_O. Set both to "
    "zero.",
    of=silent,
)(rows("value.weight"))


@EXERCISE.mistake(
    "the bias of W_O is silenced too",
    why="It belongs to no head, and is added whatever the heads output. Set only the head's "
    "columns to zero.",
    of=silent,
)
def no_bias(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    (name,) = projections(layer, "output.bias")
    return silent(weights, layer, head, heads) | {name: torch.zeros_like(weights[name])}


EXERCISE.edit(
    "the positions are left out",
    'weights["tokens"][ids]',
    why='The model reads tokens plus positions: add the first rows of weights["positions"].',
    of=embedded,
)
EXERCISE.edit(
    "all heads of the layer are silenced at once",
    {"head * size, head * size + size": "0, width"},
    why="Then you cannot tell which of them was needed. A head has d / heads of the columns.",
)
EXERCISE.edit(
    "the features of the heads are interleaved",
    {"(head * size, head * size + size)": "(head, width, heads)"},
    why="Head 0 has the first d / heads features, head 1 the next ones. They are not interleaved.",
    section="book/multi_head#One projection for all heads",
)


@EXERCISE.mistake(
    "the head of this number is silenced in every layer",
    why="Head 0 of layer 0 and head 0 of layer 1 are two heads, each with an entry of its own. "
    "Change the weights of one layer only.",
    of=silent,
)
def in_every_layer(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    layers = {int(name.split(".")[1]) for name in weights if name.startswith("layers.")}
    for each in layers:
        weights = silent(weights, each, head, heads)
    return weights


@EXERCISE.mistake(
    "the other heads of the layer are silenced",
    why="The task asks what is lost without the head, not what it can do alone. Silence this one, "
    "and leave the others as they are.",
    of=silent,
)
def the_others(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    for other in set(range(heads)) - {head}:
        weights = silent(weights, layer, other, heads)
    return weights


EXERCISE.edit(
    "the loss is returned, not its increase",
    {"without - text_loss(weights, ids, real, heads, layers)": "without"},
    why="Return the difference: the loss without the head, minus the loss of the whole model.",
)
EXERCISE.edit(
    "the difference is the wrong way round",
    "text_loss(weights, ids, real, heads, layers) - without",
    why="If a head is needed, the loss *rises* when it is silenced: subtract the whole model's "
    "loss, so that the entry is positive.",
    of=growth,
)


@EXERCISE.mistake(
    "silenced heads stay silent",
    why="Each entry is about one head. Start again from the original weights for each of them.",
)
def cumulative(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    usual, left, found = text_loss(weights, ids, real, heads, layers), weights, []
    for number in range(layers * heads):
        left = silent(left, number // heads, number % heads, heads)
        found.append(text_loss(left, ids, real, heads, layers) - usual)
    return torch.stack(found).view(layers, heads)


@cumulative.also
def cumulative_in_a_layer(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    usual, found = text_loss(weights, ids, real, heads, layers), []
    for layer in range(layers):
        left = weights
        for head in range(heads):
            left = silent(left, layer, head, heads)
            found.append(text_loss(left, ids, real, heads, layers) - usual)
    return torch.stack(found).view(layers, heads)

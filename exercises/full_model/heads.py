"""head_losses: ablate one head at a time, and measure how much the loss grows."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Function, Inputs

from .given import GPT, Attention
from .loss import shifted_loss
from .mend_leak import decoder
from .parts import HIDDEN, holding, real_tokens, stack

Change = Callable[[Attention, slice], None]


def head_losses(model: GPT, ids: Tensor, real: Tensor) -> Tensor:
    """Return how much the loss grows when each head is ablated."""
    rows = [
        [text_loss(silent(model, n, h), ids, real) for h in range(attention.heads)]
        for n, attention in enumerate(attentions(model))
    ]
    return growth(torch.stack(list(map(torch.stack, rows))), model, ids, real)


def attentions(model: GPT) -> list[Attention]:
    """Return the attention of each layer."""
    layers: Any = model.encoder.layers
    return [layer.attention for layer in layers]


def growth(without: Tensor, model: GPT, ids: Tensor, real: Tensor) -> Tensor:
    """Subtract the loss of the intact model."""
    return without - text_loss(model, ids, real)


def text_loss(model: GPT, ids: Tensor, real: Tensor) -> Tensor:
    """Return the loss of a decoder whose token embeddings also make the logits."""
    x = decoder(embedded(model, ids), model.encoder, real)
    return shifted_loss(x @ model.tokens.weight.mT, ids, real)


def embedded(model: GPT, ids: Tensor) -> Tensor:
    """Return token embeddings plus position embeddings."""
    return model.tokens.weight[ids] + model.positions.weight[: ids.size(-1)]


def silent(model: GPT, layer: int, head: int) -> GPT:
    """Return a copy in which the columns of W_O that read one head are zero."""
    return changed(model, layer, head, silence)


def silence(attention: Attention, own: slice) -> None:
    """Zero the columns of W_O that read a head's own features."""
    attention.output.weight[:, own] = 0


def changed(model: GPT, layer: int, head: int, change: Change) -> GPT:
    """Return a copy with a change in the attention of one layer, made for one head."""
    copy = deepcopy(model)
    attention = attentions(copy)[layer]
    with torch.no_grad():
        change(attention, features(attention.output.in_features, head, attention.heads))
    return copy


def features(width: int, head: int, heads: int) -> slice:
    """Return the slice of features that belongs to a head."""
    size = width // heads
    return slice(head * size, head * size + size)


def with_gpt(
    answer: "Function", model: dict, ids: torch.Tensor, real: torch.Tensor
) -> torch.Tensor:
    """Call an answer with a model that holds the drawn weights."""
    return answer(holding(GPT(*model["sizes"]), model), ids, real)


EXERCISE = Exercise(
    __name__,
    head_losses,
    results={"growth": "layers, heads"},
    section="Is attention an explanation?",
    driver=with_gpt,
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
    inside = stack(draw, d, heads, layers, dtype)["weights"]
    weights = {f"encoder.{name}": weight for name, weight in inside.items()}
    for name, rows in (("tokens", words), ("positions", max(lengths) + 2)):
        weights[f"{name}.weight"] = draw.normal(rows, d, dtype=dtype)
    sizes = (words, max(lengths) + 2, d, HIDDEN, heads, layers)
    ids = draw.ids(*real.shape, high=words)
    return Inputs(({"sizes": sizes, "weights": weights}, ids, real))


def with_idle_head(model: dict, ids: Tensor, real: Tensor) -> Inputs:
    """Sharpen the first layer's attention, and ablate its second head."""
    weights, (*_, d, _, heads, _) = model["weights"], model["sizes"]
    start = "encoder.layers.0.attention"
    weights[f"{start}.query.weight"] *= 9
    weights[f"{start}.output.weight"][:, features(d, 1, heads)] = 0
    return Inputs((model, ids, real))


OWN = "output.weight[:, own]"  # what `silence` sets to zero
EXERCISE.edit(
    "the rows of W_O are silenced, not its columns",
    {OWN: "output.weight[own]"},
    why="A linear layer has a row for each output. W_O takes the heads as *input*, so a head's "
    "part is columns.\nweight[:, first:last].",
)
EXERCISE.edit(
    "the columns of W_V are silenced, not its rows",
    {OWN: "value.bias[own] = attention.value.weight[:, own]"},
    why="A linear layer has a row for each output. W_V has the values as *output*, so a head's "
    "part is rows.\nweight[first:last].",
)
EXERCISE.edit(
    "the head's queries or keys are silenced, not its output",
    {OWN: "query.bias[own] = attention.query.weight[own]"},
    {OWN: "key.bias[own] = attention.key.weight[own]"},
    {OWN: "query.weight[own]"},
    why="Without them the head only attends elsewhere: scores of 0 give equal weights, so it "
    "outputs the mean of all values.\nSilence its values, or the columns of W_O that read it.",
)
EXERCISE.edit(
    "the bias of the head's values is not silenced",
    {OWN: "value.weight[own]"},
    why="A value is x W + b: if only the matrix is zero, the bias still reaches W_O.\nSet both to "
    "zero.",
)
EXERCISE.edit(
    "the bias of W_O is silenced too",
    {OWN: "output.bias[:] = attention.output.weight[:, own]"},
    why="It belongs to no head, and is added whatever the heads output.\nSet only the head's "
    "columns to zero.",
)
EXERCISE.edit(
    "the positions are left out",
    "model.tokens.weight[ids]",
    why="The model reads tokens plus positions.\nAdd the first rows of model.positions.weight.",
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
    why="Head 0 of layer 0 and head 0 of layer 1 are two heads, each with an entry of its own.\n"
    "Change the weights of one layer only.",
    of=silent,
)
def in_every_layer(model: GPT, layer: int, head: int) -> GPT:
    for each in range(len(attentions(model))):
        model = silent(model, each, head)
    return model


@EXERCISE.mistake(
    "the other heads of the layer are silenced",
    why="The task asks what is lost without the head, not what it can do alone.\nSilence this one, "
    "and leave the others as they are.",
    of=silent,
)
def the_others(model: GPT, layer: int, head: int) -> GPT:
    for other in set(range(attentions(model)[layer].heads)) - {head}:
        model = silent(model, layer, other)
    return model


EXERCISE.edit(
    "the loss is returned, not its increase",
    {"without - text_loss(model, ids, real)": "without"},
    why="\nReturn the difference: the loss without the head, minus the loss of the whole model.",
)
EXERCISE.edit(
    "the difference is the wrong way round",
    "text_loss(model, ids, real) - without",
    why="If a head is needed, the loss *rises* when it is silenced.\nSubtract the whole model's "
    "loss, so that the entry is positive.",
    of=growth,
)


@EXERCISE.mistake(
    "silenced heads stay silent",
    why="Each entry is about one head.\nStart again from the original weights for each of them.",
)
def cumulative(model: GPT, ids: Tensor, real: Tensor) -> Tensor:
    return _one_after_the_other(model, ids, real, afresh=False)


@cumulative.also
def cumulative_in_a_layer(model: GPT, ids: Tensor, real: Tensor) -> Tensor:
    return _one_after_the_other(model, ids, real, afresh=True)


def _one_after_the_other(model: GPT, ids: Tensor, real: Tensor, afresh: bool) -> Tensor:
    """Silence one more head for each entry, in each layer `afresh` or not."""
    usual, left, found = text_loss(model, ids, real), model, []
    for n, attention in enumerate(attentions(model)):
        left = model if afresh else left
        for head in range(attention.heads):
            left = silent(left, n, head)
            found.append(text_loss(left, ids, real) - usual)
    return torch.stack(found).view(len(model.encoder.layers), -1)

"""perplexity: how many tokens a model hesitates between, on texts that it has not seen."""

import math

import torch
from torch import nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .loss import loss


def perplexity(model: nn.Module, texts: list) -> float:
    """Compute between how many tokens a model hesitates."""
    was = model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for ids in texts:
            predicted = ids[:, 1:].numel()
            total += loss(model, ids).item() * predicted
            count += predicted
    model.train(was)
    return math.exp(total / count)


def looked_at(
    answer: type, table: torch.Tensor, texts: list, training: bool | None
) -> tuple[object, object, object]:
    """Measure a small model, and tell in which mode it is afterwards, and what it was asked for.

    In the mode of training it says something else. Without a mode, only the number counts.
    """

    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(table.clone())
            self.tracked = False

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            self.tracked |= torch.is_grad_enabled()
            position = torch.arange(ids.size(1)).to(table.dtype)
            is_other = self.training and training is not None
            return self.table[ids] * (1 + position[:, None] / 4) * (3 if is_other else 1)

    model = Table().train(bool(training))
    value = answer(model, texts)
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    seen = (None, None) if training is None else (model.training, model.tracked)
    return value, *seen


EXERCISE = Exercise(
    __name__,
    perplexity,
    results={"perplexity": "", "training mode afterwards": "", "tracking of gradients": ""},
    section="book/from_text_to_loss#The loss",
    driver=looked_at,
)


@EXERCISE.requires(
    "It is e to the mean loss of all predicted tokens, of long texts and short ones alike.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return texts of one length, and of several."""
    shapes = ([(1, 3)], [(1, 3), (1, 9)], [(2, 4), (1, 2), (3, 7)], [(1, 12), (2, 2)])
    return [_inputs(draw, some, training=None) for some in shapes]


@EXERCISE.requires(
    "The model is measured in evaluation mode, without gradients, and its mode is restored.",
    points=2,
)
def modes(draw: Draw) -> list[Inputs]:
    """Return models in either mode."""
    shapes = ([(2, 4), (1, 7)], [(1, 3), (3, 5)], [(1, 6)])
    return [_inputs(draw, some, training=mode) for mode in (True, False) for some in shapes]


def _inputs(draw: Draw, shapes: list, *, training: bool | None) -> Inputs:
    """Draw a model and texts of these shapes."""
    texts = [draw.ids(*shape, high=5) for shape in shapes]
    return Inputs((draw.normal(5, 5), texts, training))


PREDICTED = "ids[:, 1:].numel()"

EXERCISE.edit(
    "each text counts the same, however long it is",
    {PREDICTED: "1"},
    why="The mean is over tokens.\nWeigh the loss of each text by the number of tokens that are "
    "predicted in it.",
)
EXERCISE.edit(
    "it is the loss, not the perplexity",
    {"math.exp": ""},
    why="The perplexity is e to the loss: math.exp.",
)
EXERCISE.edit(
    "the first tokens count in the mean",
    {PREDICTED: "ids.numel()"},
    why="Nobody predicts a text's first token.\nA text of T tokens has T - 1 predictions.",
)
EXERCISE.edit(
    "the model is measured in training mode",
    {"    model.eval()\n": ""},
    why="In training, dropout and the like make a model worse than it is.\nmodel.eval() first.",
)
EXERCISE.edit(
    "the model's mode is not restored",
    {"    model.train(was)\n": ""},
    {"model.train(was)": "model.train()"},
    why="The training goes on afterwards.\nRemember model.training, and call model.train(...) with "
    "it at the end.",
)
EXERCISE.edit(
    "gradients are tracked needlessly",
    {"with torch.no_grad()": "if True"},
    why="To measure, no gradient is needed.\n`with torch.no_grad():` saves half of the time and "
    "most of the memory.",
)

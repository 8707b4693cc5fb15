"""perplexity: how many tokens a model hesitates between, on texts that it has not seen."""

import math

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .loss import loss


def perplexity(model: nn.Module, texts: list) -> float:
    """Compute between how many tokens a model hesitates."""
    was = model.training
    model.eval()
    with torch.no_grad():
        value = surprise([(loss(model, ids), ids[:, 1:].numel()) for ids in texts])
    model.train(was)
    return value


def surprise(losses: list[tuple[Tensor, int]]) -> float:
    """Return e to the mean loss of all tokens."""
    total = sum(value.item() * count for value, count in losses)
    return math.exp(total / sum(count for _, count in losses))


def looked_at(answer: type, table: torch.Tensor, texts: list, training: bool) -> tuple:
    """Measure a small model, and tell in which mode it is afterwards, and what it was asked for.

    In the mode of training it says something else.
    """

    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(table.clone())
            self.tracked = False

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            self.tracked |= torch.is_grad_enabled()
            position = torch.arange(ids.size(1)).to(table.dtype)
            return self.table[ids] * (1 + position[:, None] / 4) * (3 if self.training else 1)

    model = Table().train(training)
    value = answer(model, texts)
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    return value, model.training, model.tracked


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
    return [_inputs(draw, some, training=False) for some in shapes]


@EXERCISE.requires(
    "The model is measured in the mode of evaluation, without gradients, and is given back in the "
    "mode in which it came.",
    points=2,
)
def modes(draw: Draw) -> list[Inputs]:
    """Return models in training mode, and one that is not."""
    return [
        _inputs(draw, [(2, 4), (1, 7)], training=True),
        _inputs(draw, [(1, 3), (3, 5)], training=True),
        _inputs(draw, [(1, 6)], training=True),
        _inputs(draw, [(1, 3), (2, 5)], training=False),
    ]


def _inputs(draw: Draw, shapes: list, *, training: bool) -> Inputs:
    """Draw a model and texts of these shapes."""
    texts = [draw.ids(*shape, high=5) for shape in shapes]
    return Inputs((draw.normal(5, 5), texts, training))


@EXERCISE.mistake(
    "each text counts the same, however long it is",
    why="The mean is over tokens: weigh the loss of each text by the number of tokens that are "
    "predicted in it.",
    of=surprise,
)
def by_text(losses: list[tuple[Tensor, int]]) -> float:
    return math.exp(sum(value.item() for value, _ in losses) / len(losses))


@EXERCISE.mistake(
    "it is the loss, not the perplexity",
    why="The perplexity is e to the loss: math.exp.",
    of=surprise,
)
def no_exponential(losses: list[tuple[Tensor, int]]) -> float:
    return math.log(surprise(losses))


@EXERCISE.mistake(
    "the base is 2",
    why="F.cross_entropy gives natural logarithms, so raise e to the loss: math.exp.",
    of=surprise,
)
def base_2(losses: list[tuple[Tensor, int]]) -> float:
    return 2 ** math.log(surprise(losses))


@EXERCISE.mistake(
    "the first tokens count in the mean",
    why="Nobody predicts a text's first token: a text of T tokens has T - 1 predictions.",
)
def all_tokens(model: nn.Module, texts: list) -> float:
    was = model.training
    model.eval()
    with torch.no_grad():
        value = surprise([(loss(model, ids), ids.numel()) for ids in texts])
    model.train(was)
    return value


@EXERCISE.mistake(
    "the model is measured in training mode",
    why="In training, dropout and the like make a model worse than it is: model.eval() first.",
)
def in_training(model: nn.Module, texts: list) -> float:
    with torch.no_grad():
        return surprise([(loss(model, ids), ids[:, 1:].numel()) for ids in texts])


@EXERCISE.mistake(
    "the model's mode is not restored",
    why="The training goes on afterwards. Remember model.training, and call model.train(...) with "
    "it at the end.",
)
def left_in_evaluation(model: nn.Module, texts: list) -> float:
    model.eval()
    with torch.no_grad():
        return surprise([(loss(model, ids), ids[:, 1:].numel()) for ids in texts])


@EXERCISE.mistake(
    "gradients are tracked needlessly",
    why="To measure, no gradient is needed: `with torch.no_grad():` saves half of the time and "
    "most of the memory.",
)
def with_gradients(model: nn.Module, texts: list) -> float:
    was = model.training
    model.eval()
    value = surprise([(loss(model, ids), ids[:, 1:].numel()) for ids in texts])
    model.train(was)
    return value

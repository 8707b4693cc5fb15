"""loss: how badly a model predicts each token from those before it."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs


def loss(model: nn.Module, ids: Tensor) -> Tensor:
    """Compute how badly a model predicts each token from those before it."""
    logits, targets = model(ids[:, :-1]), ids[:, 1:]
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def of_a_table(answer: type, table: torch.Tensor, ids: torch.Tensor) -> tuple:
    """Compute the loss of a model that looks up logits, and its gradient.

    What it says of a token depends on its position, too.
    """

    class Table(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(table.clone())

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            position = torch.arange(ids.size(1)).to(table.dtype)
            return self.table[ids] * (1 + position[:, None] / 4)

    model = Table()
    value = answer(model, ids)
    if isinstance(value, torch.Tensor) and value.requires_grad:
        value.sum().backward()
    return value, model.table.grad


EXERCISE = Exercise(
    __name__,
    loss,
    results={
        "loss of logits table[ids] · (1 + position / 4)": "",
        "gradient": "vocabulary, vocabulary",
    },
    section="book/from_text_to_loss#The loss",
    driver=of_a_table,
    seconds=10.0,
)


@EXERCISE.requires(
    "It is the mean cross-entropy of all but each text's first token, and trains a model.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return one text, several, as many texts as tokens, and logits far apart."""
    cases = ((1, 3, 4), (2, 4, 5), (3, 4, 6), (4, 4, 5), (2, 6, 3))
    drawn = [
        (draw.normal(vocabulary, vocabulary), draw.ids(texts, tokens, high=vocabulary))
        for texts, tokens, vocabulary in cases
    ]
    table, ids = drawn[2]
    return [*map(Inputs, drawn), Inputs((50 * table, ids))]


EXERCISE.edit(
    "inputs and targets are not shifted",
    {"ids[:, :-1]": "ids", "ids[:, 1:]": "ids"},
    why="At each position the model should predict the token after it.\nInputs end one token "
    "early, targets begin one token late.",
)
EXERCISE.edit(
    "it predicts the token before",
    {"model(ids[:, :-1]), ids[:, 1:]": "model(ids[:, 1:]), ids[:, :-1]"},
    why="Inputs and targets are swapped: each token predicts the one after it.",
)
EXERCISE.edit(
    "the loss is a sum, not a mean",
    {"targets.flatten()": "targets.flatten(), reduction='sum'"},
    why="A sum grows with the batch, and so would each step of training.\nF.cross_entropy takes "
    "the mean unless it is told otherwise.",
)
EXERCISE.edit(
    "softmax is taken twice",
    {"logits.flatten": "logits.softmax(dim=-1).flatten"},
    why="F.cross_entropy takes logits, and does the softmax itself.",
)
EXERCISE.edit(
    "only the last token counts",
    {"logits.flatten(0, 1), targets.flatten()": "logits[:, -1], targets[:, -1]"},
    why="Each token is a lesson.\nCompare at all positions, not only at the last.",
)
EXERCISE.edit(
    "no gradient gets back to the model",
    {"targets.flatten())": "targets.flatten()).detach()"},
    why="\nReturn the tensor that F.cross_entropy gives. .item(), .detach() and torch.no_grad() "
    "cut it off from the model.",
)

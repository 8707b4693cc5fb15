"""The training playback: a small model learns to look up what came before, step by step."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
import traitlets
from jaxtyping import Float
from torch import Tensor, nn

from transformer_lab.loss import shift_right
from transformer_lab.tasks.symbol_tasks import INDUCTION, LETTER_SYMBOLS, repeated
from transformer_lab.tasks.task import ids_of
from transformer_lab.trace import trace
from transformer_lab.widgets._base import Widget, shares
from transformer_lab.widgets._traits import Stop

TASK = INDUCTION
WORD = "catfish"  # just seven letters to the model
STEPS = list(range(0, TASK.steps + 1, 5))
HEADS = [f"layer {layer}, head {head}" for layer in range(2) for head in range(2)]


@dataclass(frozen=True)
class Recording:
    """A training, seen at each of STEPS: on held-out rows, and on WORD written twice.

    `loss` is that of all letters, `known_loss` and `accuracy` are those of the letters that can
    be known because they are repeated. `weights` are those of every head. `model` is the
    trained one.
    """

    model: nn.Module
    loss: list[float]
    known_loss: list[float]
    accuracy: list[float]
    guesses: list[list[str]]
    weights: list[Float[Tensor, "H T T"]]


@cache
def recorded() -> Recording:
    """Train the model of the task, with seed 0, on one thread (so that it ends alike); watch it."""
    trainer = TASK.trainer()
    record = Recording(trainer.model, [], [], [], [], [])
    start, held_out = TASK.config.start_id, TASK.held_out(200)["targets"]
    targets, _ = ids_of([2 * WORD], LETTER_SYMBOLS)

    def watch(model: nn.Module) -> float:
        losses = F.cross_entropy(model(shift_right(held_out, start)).mT, held_out, reduction="none")
        record.loss.append(losses.mean().item())
        record.known_loss.append(losses[repeated(held_out)].mean().item())
        record.accuracy.append(TASK.measure(model, {"targets": held_out}))
        with trace(model, "*.attention") as seen:
            guesses = model(shift_right(targets, start)).argmax(dim=-1)
        record.guesses.append([LETTER_SYMBOLS[guess] for guess in guesses[0]])
        record.weights.append(torch.cat([heads[0] for heads in seen.attention().values()]))
        return record.accuracy[-1]

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            watch(trainer.model.eval())
        with torch.enable_grad():
            trainer.run(TASK.steps, measure=watch, every=STEPS[1])
    finally:
        torch.set_num_threads(threads)
    return record


class TrainingPlayback(Widget):
    """What two layers of attention learn in 200 steps: to find where a letter stood before.

    Controls: `step` (of the training) and `head` (whose attention is shown). The model is trained
    when the first of these widgets is made, which takes some seconds.
    """

    stem = "training_playback"
    alt = (
        "Left, the attention weights of a head over the letters of catfishcatfish: even at first; "
        "at the end of training a stripe below the diagonal, from each letter to the place after "
        "its first showing. Right, the loss of repeated letters, which falls steeply before step "
        "100."
    )
    step = Stop(STEPS, STEPS[-1], label="Training step")
    head = Stop(HEADS, HEADS[2], label="Attention of", view=True)
    curves = traitlets.Dict(read_only=True).tag(sync=True)

    @traitlets.default("curves")
    def _curves(self) -> dict[str, list[float]]:
        record = recorded()
        curves = {"loss": record.loss, "known": record.known_loss, "accuracy": record.accuracy}
        return {name: [round(value, 4) for value in curve] for name, curve in curves.items()}

    def frame_at(self, step: int) -> dict[str, Any]:
        """Return the weights of every head, row by row, the targets and the predictions."""
        at = STEPS.index(step)
        return {
            "weights": shares(recorded().weights[at]),
            "letters": [*2 * WORD],
            "guesses": recorded().guesses[at],
        }

    def told(self) -> str:
        """Return the picture in words, with the head and the step."""
        return f"{self.alt} Shown is {self.head} after {self.step} steps."

    def figure(self) -> Any:
        """Draw the head's weights beside the loss."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(9.6, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        read = ["start", *(2 * WORD)[:-1]]
        weights = recorded().weights[STEPS.index(self.step)][HEADS.index(self.head)]
        plots.weights(weights, read, read, left, title=f"{self.head}, after {self.step} steps")
        series = {"all letters": self.curves["loss"], "repeated letters": self.curves["known"]}
        plots.lines(STEPS, series, right, x_label="steps of training", y_label="loss")
        right.axvline(self.step, color=plots.QUERY, linestyle=":")
        return figure

"""What more parameters, steps and text buy: losses of small GPTs of several sizes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
import traitlets

from transformer_lab.tasks.shakespeare import HELD_OUT, plays
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Stop

WIDTHS = [24, 48, 96]
STEPS = [100, 200, 400]
SHARES = {"six plays": 1, "a thirty-second of them": 32}
PASSAGE, PASSAGES = 64, 16  # predictions of one passage, passages of one step
BEST, WORST = 1.8, 3.0  # a map's colours begin and end at these losses


@cache
def recorded() -> dict[str, Any]:
    """Return what `tools/scaling_runs.py` recorded.

    "sizes" has for each width its "parameters" and the "operations" of one passage; "losses" for
    each text, width and number of steps the loss on this text, and on plays that are held out; "by
    heart" are these losses of a larger model, with more steps on the shorter text.
    """
    return json.loads(Path(__file__).with_name("scaling_runs.json").read_text("utf8"))


@cache
def characters() -> dict[str, int]:
    """Return how many characters each text has."""
    whole = sum(len(text) for title, text in plays().items() if title not in HELD_OUT)
    return {text: whole // share for text, share in SHARES.items()}


def losses(text: str) -> torch.Tensor:
    """Return losses by width and steps: on the text itself, and on held-out plays."""
    return torch.tensor(recorded()["losses"][text], dtype=torch.float64)


class ScalingRuns(Widget):
    """The loss of 18 small GPTs, each trained by itself, by its size, its steps and its text.

    Controls: `text` (what they learned from), `width` and `steps` (whose losses are told).
    """

    stem = "scaling_runs"
    alt = (
        "The loss on held-out plays after training on six plays, as a heat map, by parameters and "
        "steps. It falls from left to right and mostly from top to bottom: more steps and more "
        "parameters both help, and the largest model with the most steps is the best."
    )
    text = Stop([*SHARES], "six plays", label="It learns from")
    width = Stop(WIDTHS, 96, label="Width", view=True)
    steps = Stop(STEPS, 400, label="Steps", view=True)
    scale = traitlets.Dict(read_only=True).tag(sync=True)

    @traitlets.default("scale")
    def _scale(self) -> dict[str, Any]:
        sizes = [*recorded()["sizes"].values()]
        return {
            "best": BEST,
            "worst": WORST,
            "read": PASSAGE * PASSAGES,
            "parameters": [size["parameters"] for size in sizes],
            "operations": [size["operations"] * PASSAGES for size in sizes],
        }

    def frame_at(self, text: str) -> dict[str, Any]:
        """Return all losses of one text, and how long it is."""
        return {"losses": losses(text).tolist(), "characters": characters()[text]}

    def figure(self) -> Any:
        """Draw the losses on held-out plays as a heat map."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        held_out = losses(self.text)[..., 1]
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        ax = figure.subplots()
        ax.imshow(held_out.numpy(), cmap=plots.WEIGHTS, vmin=BEST, vmax=WORST, aspect="auto")
        for row, values in enumerate(held_out.tolist()):
            for column, loss in enumerate(values):
                ink = "white" if loss - BEST > plots.DARK * (WORST - BEST) else plots.INK
                ax.text(column, row, f"{loss:.2f}", ha="center", va="center", color=ink)
        ax.set_xticks(range(len(STEPS)), map(str, STEPS))
        ax.set_yticks(range(len(WIDTHS)), [f"{n:,}" for n in self.scale["parameters"]])
        title = f"Held-out loss, after learning from {self.text}"
        ax.set(title=title, xlabel="steps", ylabel="parameters")
        return figure

"""Learning to write: a small GPT trained on Shakespeare, whole or without one of its parts."""

import json
import re
from collections.abc import Container
from functools import cache
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import traitlets

from transformer_lab.tasks.shakespeare import vocabulary
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Stop

WORD = re.compile(r"((?:[^\W\d_]|'){3,})")  # one or two letters may occur by chance
STEPS = list(range(0, 801, 100))
WAYS = ["whole", "no positions", "no residuals", "no mask", "no warm-up", "one head"]


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Return the trainings of the chapter `whole_model`, as `tools/gpt_ladder.py` recorded them.

    "ways" are the whole model and those that lack something, "more" are larger ones, "beside" are
    rungs beside the ladder. Each was `seen` at some steps: its loss on plays that are trained on,
    that on others, and a text. A long `text` was written at the end.
    """
    return json.loads(Path(__file__).with_name("learning_to_write.json").read_text("utf8"))


def pieces(text: str, known: Container[str]) -> tuple[list[str], float]:
    """Cut a text so that every second piece is a known word; return the share of its words, too."""
    cut, parts = [""], WORD.split(text)
    for n, part in enumerate(parts):
        if n % 2 and part.lower() in known:
            cut += [part, ""]
        else:
            cut[-1] += part
    return cut, (len(cut) // 2) / max(len(parts) // 2, 1)


class LearningToWrite(Widget):
    """What a GPT of 240,000 parameters writes after each 100 steps of training on Shakespeare.

    Controls: `way` (the whole model, or one that lacks something) and `step` (of the training).
    """

    stem = "learning_to_write"
    alt = (
        "Left, a text that a small model has written at one step of its training on plays. Right, "
        "its loss by training step, which falls steeply at first and then slowly, with a mark at "
        "this step."
    )
    way = Stop(WAYS, "whole", label="The model")
    step = Stop(STEPS, STEPS[-1], label="Training step")
    curves = traitlets.Dict(read_only=True).tag(sync=True)

    @traitlets.default("curves")
    def _curves(self) -> dict[str, list[list[float]]]:
        return {
            way: [[round(look[name], 4) for look in run["seen"]] for name in ("loss", "held_out")]
            for way, run in recorded()["ways"].items()
        }

    def frame_at(self, way: str, step: int) -> dict[str, Any]:
        """Return the text, split so that every second piece is a word of the plays."""
        text = recorded()["ways"][way]["seen"][STEPS.index(step)]["text"].strip()
        cut, share = pieces(text, vocabulary())
        return {"pieces": cut, "known": round(share, 3)}

    def opening(self) -> str:
        """Return the text in HTML, as learning_to_write.js writes it."""
        text = "".join(
            f"<b>{escape(piece)}</b>" if n % 2 else escape(piece)
            for n, piece in enumerate(self.frame["pieces"])
        )
        said = 'role="region" tabindex="0" aria-label="What it writes"'
        return f'<div class="tl-main"><div class="tl-written" {said}>{text}</div></div>'

    def told(self) -> str:
        """Return the picture in words, with the model and the step."""
        return f"{self.alt} The model: {self.way}, after {self.step} steps."

    def figure(self) -> Any:
        """Draw the text beside the loss."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(9.6, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        left.set_axis_off()
        lines = "".join(self.frame["pieces"]).replace("$", r"\$").splitlines()
        left.text(0, 1, "\n".join(fill(line, 54) for line in lines), va="top", fontsize=9)
        left.set_title(f"{self.way}, after {self.step} steps")
        loss, held_out = self.curves[self.way]
        series = {"plays that are trained on": loss, "held out": held_out}
        plots.lines(STEPS, series, right, x_label="steps of training", y_label="loss")
        right.axvline(self.step, color=plots.QUERY, linestyle=":")
        return figure

"""Positions as clocks: a dial for each position and hand, from the fast hand to the slow one."""

import math
from typing import Any

import torch
import traitlets

from transformer_lab.positional_encoding import position_angles
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Stop

D_MODEL, BASE, COLUMNS = 8, 10_000.0, 6
SPEEDS = position_angles(torch.ones(1).int(), D_MODEL, BASE, torch.float64)[0]


class PositionClocks(Widget):
    """Six positions side by side, each as the four hands of an encoding of eight features.

    Controls: `position` (of the first) and `apart` (the distance from one to the next).
    """

    stem = "position_clocks"
    alt = (
        "A table of dials: six positions across, four hands down, from fast to slow. From one "
        "position to the next the hands turn by 57, 6, 0.6 and 0.06 degrees."
    )
    position = Stop(list(range(101)), 0, label="Position", computed=True)
    apart = Stop([1, 10, 100, 1000], 1, label="Distance between columns", computed=True)
    speeds = traitlets.List(SPEEDS.tolist(), read_only=True).tag(sync=True)

    def frame_at(self, position: int, apart: int) -> dict[str, Any]:
        """Return the angles of the hands in radians, a row for each position."""
        positions = position + apart * torch.arange(COLUMNS)
        return {"angles": position_angles(positions, D_MODEL, BASE, torch.float64).tolist()}

    def told(self) -> str:
        """Return the picture in words, with the positions."""
        last = self.position + (COLUMNS - 1) * self.apart
        return f"{self.alt} Shown are positions {self.position} to {last}, {self.apart} apart."

    def figure(self) -> Any:
        """Draw the dials."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(6.6, 4.6), layout="constrained")
        axes = figure.subplots(len(SPEEDS), COLUMNS)
        for column, angles in enumerate(self.frame["angles"]):
            for hand, angle in enumerate(angles):
                ax = axes[hand, column]
                ax.add_patch(_circle())
                tip = math.sin(angle), math.cos(angle)  # 0 is up, and time runs as on a clock
                arrow = {"arrowstyle": "-|>", "color": plots.INDIGO, "lw": 2, "shrinkA": 0}
                ax.annotate("", tip, (0, 0), arrowprops=arrow)
                ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal", xticks=[], yticks=[])
                ax.spines[:].set_visible(False)
            axes[0, column].set_title(f"{self.position + column * self.apart}")
        for hand in range(len(SPEEDS)):
            axes[hand, 0].set_ylabel(f"hand {hand}", rotation=0, ha="right", va="center")
        return figure


def _circle() -> Any:
    from matplotlib.patches import Circle

    return Circle((0, 0), 1, fill=False, color="#bbbbbb")

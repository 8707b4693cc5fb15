"""Rotary positions as arrows: a query and a key in three circles, which their positions turn."""

from typing import Any

import torch
import traitlets

from transformer_lab.positional_encoding import position_angles, rotate_pairs
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Edits, Stop

WIDTH, BASE = 6, 1000.0
PAIRS = ["fast", "middle", "slow"]
SPEEDS = position_angles(torch.ones(1).int(), WIDTH, BASE, torch.float64)[0]
TURNS = [f"{speed:.2g}° a word" for speed in SPEEDS.rad2deg().tolist()]
START = {"query": [60.0, 80.0, 110.0], "key": [60.0, 35.0, 40.0]}  # degrees, before they are turned


class RotaryArrows(Widget):
    """Query and key of a head with three pairs of features, each pair as an arrow of length 1.

    Controls: `before` (the position of the key), `distance` (of the query from it), and `arrows`
    (directions that were changed, in degrees, before the position turns them).
    """

    stem = "rotary_arrows"
    alt = (
        "Three circles, fast, middle and slow, each with two arrows, query and key. The key is at "
        "position 0 and the query at position 2: in the fast circle its arrow has turned by 115 "
        "degrees, in the middle one by 11, in the slow one by 1. The three dot products add up to "
        "the score."
    )
    before = Stop(list(range(101)), 0, label="Words before the sentence", computed=True)
    distance = Stop(list(range(31)), 2, label="Distance from key to query", computed=True)
    arrows = Edits([*START], PAIRS, low=-180.0, high=180.0, step=5.0, label="Turn one arrow")
    rope = traitlets.Dict(
        {"speeds": SPEEDS.tolist(), "turns": TURNS, "pairs": PAIRS, "start": START}, read_only=True
    ).tag(sync=True)

    def frame_at(self, before: int, distance: int, arrows: list[list]) -> dict[str, Any]:
        """Return the turned arrows (two numbers a pair), and the dot product of each pair."""
        degrees = {name: dict(zip(PAIRS, angles, strict=True)) for name, angles in START.items()}
        for name, pair, angle in arrows:
            degrees[name][pair] = angle
        turned = {}
        for name, position in {"query": before + distance, "key": before}.items():
            angles = torch.tensor([*degrees[name].values()], dtype=torch.float64).deg2rad()
            vector = torch.stack([angles.cos(), angles.sin()], dim=-1).flatten()
            turned[name] = rotate_pairs(vector[None], position * SPEEDS[None])[0]
        products = (turned["query"] * turned["key"]).view(-1, 2).sum(dim=1)
        return {name: vector.tolist() for name, vector in turned.items()} | {
            "products": products.tolist()
        }

    def figure(self) -> Any:
        """Draw the three circles."""
        from matplotlib.figure import Figure
        from matplotlib.patches import Circle

        from transformer_lab import plots

        figure = Figure(figsize=(7.2, 2.9), layout="constrained")
        for n, ax in enumerate(figure.subplots(1, len(PAIRS))):
            ax.add_patch(Circle((0, 0), 1, fill=False, color="#bbbbbb"))
            for name, colour in (("query", plots.QUERY), ("key", plots.KEY)):
                x, y = self.frame[name][2 * n : 2 * n + 2]
                arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2.2, "shrinkA": 0}
                ax.annotate("", (x, y), (0, 0), arrowprops=arrow)
                ax.text(1.2 * x, 1.2 * y, name[0], color=colour, ha="center", va="center")
            ax.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), aspect="equal")
            ax.axis("off")
            ax.set_title(f"{PAIRS[n]}: {TURNS[n]}\n{self.frame['products'][n]:.2f}")
        return figure

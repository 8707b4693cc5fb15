"""The soft dictionary: a query between keys, and the answer that it blends from their values."""

from typing import Any

import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._learner import Trouble, answer
from transformer_lab.widgets._traits import Function, Span, Stop

NAMES = ["apple", "banana", "chair"]
KEYS = [(1.0, 0.0), (0.9, 0.0), (0.0, 1.0)]  # how much fruit, how much furniture
VALUES = [10.0, 5.0, 2.0]
SHELF = {"names": NAMES, "keys": [list(key) for key in KEYS], "values": VALUES}


def softmax(scores: Float[Tensor, " S"]) -> Float[Tensor, " S"]:
    """Turn scores into weights."""
    return scores.softmax(dim=-1)


class SoftDictionary(Widget):
    """A dictionary of three keys, asked by a query that need not be one of them.

    Controls: `fruit` and `furniture` (the two numbers of the query, which can also be dragged),
    `temperature` (by which scores are divided before the softmax). `softmax=your_function` shows
    yours: it is called with the three scores, already divided, and gives three weights.
    """

    stem = "soft_dictionary"
    alt = (
        "The keys apple, banana and chair as arrows on a plane whose axes are fruit and furniture, "
        "and a query that points to fruit, a little away from furniture. Its weights are 0.60 on "
        "apple, 0.40 on banana and 0.00 on chair, and the values 10, 5 and 2 blend to 7.98."
    )
    fruit = Span(-5.0, 5.0, 4.0, step=0.1, label="Fruit")
    furniture = Span(-5.0, 5.0, -1.5, step=0.1, label="Furniture")
    temperature = Stop(
        [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0], 1.0, label="Temperature (sharpness)"
    )
    softmax = Function(softmax)
    shelf = traitlets.Dict(SHELF, read_only=True).tag(sync=True)

    def frame_at(self, fruit: float, furniture: float, temperature: float) -> dict[str, Any]:
        """Return scores, weights and the answer; for a learner's softmax also the query.

        With that, a page without a kernel knows which query it may show.
        """
        scores = torch.tensor(KEYS) @ torch.tensor([fruit, furniture])
        weights = answer(self.softmax, scores / temperature, shape=tuple(scores.shape))
        if weights.min() < 0 or weights.max() > 1 + 1e-5:
            raise Trouble(
                f"The weights should lie between 0 and 1, but go from {weights.min():.2f} to "
                f"{weights.max():.2f}."
            )
        return {
            "scores": scores.tolist(),
            "weights": weights.tolist(),
            "answer": float(weights @ torch.tensor(VALUES)),
            "own": [fruit, furniture] if self.has_own_function() else None,
        }

    def figure(self) -> Any:
        """Draw the query among the keys, the weights, and the answer among the values."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(8.4, 4.2), layout="constrained")
        axes = figure.subplot_mosaic([["plane", "weights"], ["plane", "values"]])
        arrow = {"arrowstyle": "-|>", "lw": 2, "shrinkA": 0, "shrinkB": 0}
        plane, below = axes["plane"], [(4, 8), (4, -16), (8, -4)]
        plane.set(xlim=(-5.5, 5.5), ylim=(-5.5, 5.5), xlabel="fruit", ylabel="furniture")
        plane.grid(color="#e6e6e6")
        for name, key, offset in zip(NAMES, KEYS, below, strict=True):
            tip = (4 * key[0], 4 * key[1])  # as in the widget
            plane.annotate("", tip, (0, 0), arrowprops=arrow | {"color": plots.KEY})
            plane.annotate(name, tip, offset, textcoords="offset points", color=plots.KEY)
        query = (self.fruit, self.furniture)
        plane.annotate("", query, (0, 0), arrowprops=arrow | {"color": plots.QUERY})
        plane.annotate("query", query, (-36, 4), textcoords="offset points", color=plots.QUERY)
        plane.set_title("the query, and the keys (four times as long)")
        weights = self.frame["weights"]
        bars = axes["weights"].barh(NAMES, weights, color=plots.INDIGO)
        axes["weights"].bar_label(bars, [f"{weight:.2f}" for weight in weights], padding=3)
        axes["weights"].set(xlim=(0, 1.15), title="weights")
        axes["weights"].invert_yaxis()
        line = axes["values"]
        line.axhline(0, color="#bbbbbb", zorder=0)
        line.scatter(VALUES, [0] * 3, [20 + 380 * w for w in weights], plots.VALUE)
        line.plot([self.frame["answer"]], [-0.35], "^", ms=11, color=plots.OUTPUT)
        line.set(xlim=(0, 12), ylim=(-1, 1), yticks=[], xticks=VALUES)
        line.set_title(f"values, and the answer {self.frame['answer']:.2f}")
        return figure

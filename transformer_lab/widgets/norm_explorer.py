"""The norm explorer: a few numbers before and after LayerNorm, RMSNorm and BatchNorm."""

from functools import wraps
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_lab.norm import layer_norm, rms_norm
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._learner import answer
from transformer_lab.widgets._traits import Function, Span, Stop

CAT = [0.1, 10.5, -5.2, 8.3]
#: The features of the tokens before and after "cat".
NEIGHBOURS = {
    "The … sat": ([1.0, -2.0, 0.5, 3.0], [-1.5, 1.0, 2.0, -0.5]),
    "A … fled": ([6.0, 12.0, -8.0, -3.0], [9.0, 14.0, 4.0, -6.0]),
}


class NormExplorer(Widget):
    """Four features of "cat", and of its two neighbours, before and after a norm.

    Controls: `norm`, `neighbours`, `x2` (the second feature of cat), `times` and `add` (done to
    all four of them), `gamma` and `beta` (of the second feature, for every token) and `eps`.
    `layer_norm=your_function` shows yours: it is called as `your_function(x, weight, bias,
    eps=eps)`, in float64, with x (3, 4): tokens, features.
    """

    stem = "norm_explorer"
    alt = (
        "Two tables of numbers, each with a row for the tokens The, cat, sat and a column for each "
        "of four features. In the upper one, before the norm, the numbers of cat go from -5 to "
        "10. In the lower one, after LayerNorm, every row has mean 0 and standard deviation 1."
    )
    norm = Stop(["LayerNorm", "RMSNorm", "BatchNorm"], "LayerNorm", label="Norm")
    neighbours = Stop(list(NEIGHBOURS), "The … sat", label="Neighbours of cat")
    x2 = Span(-50.0, 100.0, CAT[1], step=0.5, label="cat, feature 2")
    times = Span(0.0, 10.0, 1.0, step=0.1, label="cat, all times")
    add = Span(-100.0, 100.0, 0.0, step=1.0, label="cat, all plus")
    gamma = Span(-2.0, 4.0, 1.0, step=0.1, label="γ of feature 2")
    beta = Span(-4.0, 4.0, 0.0, step=0.1, label="β of feature 2")
    eps = Stop([1e-5, 0.01, 1.0, 100.0], 1e-5, label="ε")
    layer_norm = Function(layer_norm)

    def frame_at(
        self, norm: str, neighbours: str, times: float, add: float, eps: float, **second: float
    ) -> dict[str, Any]:
        """Return the numbers before and after, row by row, and what was averaged.

        `mean` and `root` (of the mean square, with eps) are each token's, or each feature's in
        BatchNorm. With a learner's function, `right` is what LayerNorm gives.
        """
        before = batch(neighbours, second["x2"], times, add)
        weight, bias = torch.tensor(
            [[1, second["gamma"], 1, 1], [0, second["beta"], 0, 0]], dtype=torch.float64
        )
        axis = 0 if norm == "BatchNorm" else 1
        mean = before.mean(axis, keepdim=True) * (norm != "RMSNorm")
        root = ((before - mean).square().mean(axis) + eps).sqrt()
        right = normalise(norm, before, weight, bias, eps)
        own = norm == "LayerNorm" and self.has_own_function()
        after = self._ask(before, weight, bias, eps) if own else right
        frame = {"before": before, "after": after, "mean": mean.flatten(), "root": root}
        frame |= {"right": right} if own else {}
        return {name: tensor.tolist() for name, tensor in frame.items()} | {
            "tokens": neighbours.replace("…", "cat").split(),
            "cat": CAT,
            "at": [second["x2"], times, add, second["gamma"], second["beta"]],
        }

    def _ask(self, x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        """Return the result of the learner's function."""
        function = self.layer_norm

        @wraps(function)
        def with_eps(*inputs: Tensor) -> Any:
            return function(*inputs, eps=eps)

        return answer(with_eps, x, weight, bias, shape=tuple(x.shape), dtype=x.dtype)

    def figure(self) -> Any:
        """Draw the numbers before and after, one above the other."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        titles = {"before": "before", "after": f"after {self.norm}"}
        for (name, title), ax in zip(titles.items(), figure.subplots(2, 1), strict=True):
            ax.imshow(self.frame[name], cmap=plots.SIGNS, vmin=-3, vmax=3, aspect="auto")
            for row, numbers in enumerate(self.frame[name]):
                for column, number in enumerate(numbers):
                    ink = "white" if number > 3 * plots.DARK else plots.INK
                    ax.text(column, row, f"{number:.2f}", ha="center", va="center", color=ink)
            ax.set_xticks(range(4), [f"feature {feature}" for feature in range(1, 5)])
            ax.set_yticks(range(3), self.frame["tokens"])
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            ax.set_title(title)
        return figure


def batch(neighbours: str, x2: float, times: float, add: float) -> Float[Tensor, "B D"]:
    """Return cat's features, scaled and shifted, between those of its neighbours."""
    first, last = NEIGHBOURS[neighbours]
    cat = [times * x + add for x in (CAT[0], x2, *CAT[2:])]
    return torch.tensor([first, cat, last], dtype=torch.float64)


def normalise(
    norm: str,
    x: Float[Tensor, "B D"],
    weight: Float[Tensor, " D"],
    bias: Float[Tensor, " D"],
    eps: float,
) -> Float[Tensor, "B D"]:
    """Apply the norm of that name. BatchNorm is as in training: over the rows of x."""
    if norm == "LayerNorm":
        return layer_norm(x, weight, bias, eps)
    if norm == "RMSNorm":
        return rms_norm(x, weight, eps)
    return (x - x.mean(0)) / (x.var(0, correction=0) + eps).sqrt() * weight + bias

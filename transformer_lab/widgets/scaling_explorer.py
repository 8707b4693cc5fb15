"""Why divide by sqrt(d_k): scores, weights and gradients of random queries, with and without."""

import functools
import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_lab.widgets._base import Widget, halves, shares
from transformer_lab.widgets._learner import answer
from transformer_lab.widgets._traits import Function, Stop

WIDTHS = [2**i for i in range(10)]
QUERIES = 2000
KEYS = 10
SHOWN = 8  # queries whose weights can be selected
EDGES = torch.arange(-61.0, 62.0, 2.0)  # the bins of the histogram
SATURATED = 0.01


@functools.cache
def dot_products() -> dict[int, Float[Tensor, "N S"]]:
    """Return the scores of random queries with ten random keys each, for every width.

    The narrow queries and keys are the beginnings of the wide ones.
    """
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(QUERIES, 1, WIDTHS[-1], generator=generator)
    k = torch.randn(QUERIES, KEYS, WIDTHS[-1], generator=generator)
    sums = (q * k).cumsum(dim=-1)
    return {d_k: sums[..., d_k - 1].clone() for d_k in WIDTHS}


def divide(scores: Float[Tensor, "N S"], d_k: int) -> Float[Tensor, "N S"]:
    """Scale scores as the Transformer does."""
    return scores / math.sqrt(d_k)


def response(weights: Float[Tensor, "N S"]) -> Float[Tensor, " N"]:
    """Return how far each row's weights move when its scores do: the norm of their Jacobian."""
    jacobian = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None, :]
    return jacobian.flatten(1).norm(dim=1)


class ScalingExplorer(Widget):
    """Random queries and keys of any width: what becomes of the softmax, divided and not.

    Controls: `d_k` (width of a query or key), `query` (whose weights are shown). `scale=your_own`
    shows another way to scale: it is called as `your_own(scores, d_k=64)`.
    """

    stem = "scaling_explorer"
    alt = (
        "Above, how often each score occurs for d_k = 64: not divided, the scores spread over a "
        "wide hill from -25 to 25; divided by the root of d_k, over a narrow one. Below, the "
        "ten weights of one query: not divided, one is nearly 1; divided, all have a share."
    )
    d_k = Stop(WIDTHS, 64, label="Key width d_k")
    query = Stop(list(range(1, SHOWN + 1)), 1, label="Query", view=True)
    scale = Function(divide)

    def scores_at(self, d_k: int) -> list[Float[Tensor, "N S"]]:
        """Return the scores as they are, and scaled."""
        raw = dot_products()[d_k]
        scale = functools.wraps(self.scale)(functools.partial(self.scale, d_k=d_k))
        return [raw, answer(scale, raw, shape=tuple(raw.shape))]

    def frame_at(self, d_k: int) -> dict[str, Any]:
        """Return for both: the histogram, weights of some queries, and averages over all."""
        scores = self.scores_at(d_k)
        weights = [s.softmax(dim=-1) for s in scores]
        moves = [response(w) for w in weights]
        averages = {
            "spread": [s.std() for s in scores],
            "largest": [w.amax(dim=-1).mean() for w in weights],
            "entropy": [torch.special.entr(w).sum(dim=-1).mean() for w in weights],
            "response": [move.mean() for move in moves],
            "saturated": [100 * (move < SATURATED).double().mean() for move in moves],
        }
        return {
            "names": ["not divided", "your own" if self.has_own_function() else "divided by √d_k"],
            "often": halves(torch.stack([often(s) for s in scores])),
            "weights": shares(torch.stack([w[:SHOWN] for w in weights])),
            **{name: [round(n.item(), 4) for n in pair] for name, pair in averages.items()},
        }

    def figure(self) -> Any:
        """Draw the distributions of scores, and the weights of one query."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(6.4, 6.4), layout="constrained")
        above, below = figure.subplots(2, 1)
        for i, scores in enumerate(self.scores_at(self.d_k)):
            name = self.frame["names"][i].replace("√d_k", r"$\sqrt{d_k}$")
            style = {"color": (plots.INDIGO, plots.GOLD)[i], "label": name}
            dash = ("-", "--")[i]
            above.plot((EDGES[:-1] + 1).tolist(), often(scores).tolist(), dash, **style)
            weights = scores.softmax(dim=-1)[self.query - 1].tolist()
            places = [key + 0.4 * i - 0.2 for key in range(1, KEYS + 1)]
            below.bar(places, weights, width=0.4, **style)
        above.set(xlabel="score", ylabel="how often", title=f"$d_k$ = {self.d_k}")
        below.set(xlabel="key", ylabel="weight", ylim=(0, 1), xticks=range(1, KEYS + 1))
        above.legend(frameon=False)
        below.set_title(f"the weights of query {self.query}")
        return figure


def often(scores: Float[Tensor, "N S"]) -> Float[Tensor, " bins"]:
    """Return how often scores fall into each bin of the histogram; the fullest bin is 1."""
    counts = torch.histogram(scores.flatten(), EDGES).hist
    return counts / counts.max().clamp(min=1)

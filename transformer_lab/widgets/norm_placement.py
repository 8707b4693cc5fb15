"""Where the norm is: gradients and the residual stream of deep stacks, before any training."""

from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from transformer_lab.layers import EncoderLayer, Stack
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm
from transformer_lab.parameters import initialise_xavier
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._traits import Stop

WIRINGS = {"post-norm": PostNorm, "pre-norm": PreNorm}
SEEDS = range(3)
D_MODEL, CLASSES = 64, 100


def make_stack(residual: type[nn.Module], layers: int) -> Stack:
    """Return a stack of encoder layers of one wiring, before training."""
    parts = (
        EncoderLayer(d_model=D_MODEL, heads=4, d_ff=4 * D_MODEL, residual=residual)
        for _ in range(layers)
    )
    end = LayerNorm(d_model=D_MODEL) if residual is PreNorm else nn.Identity()
    return Stack(parts, end).apply(initialise_xavier)


@cache
def measured(wiring: str, layers: int) -> tuple[list[float], list[float]]:
    """Return each layer's gradient, and the size of the stream before, between and after layers.

    The gradient is the norm of that of the feed-forward network's first matrix, the size a root
    mean square; both are means over SEEDS.
    """
    gradients, sizes = [], []
    for seed in SEEDS:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.manual_seed(seed)
            stack = make_stack(WIRINGS[wiring], layers)
            head = nn.Linear(D_MODEL, CLASSES).apply(initialise_xavier)
            stream = [torch.randn(8, 10, D_MODEL)]
            targets = torch.randint(CLASSES, (80,))
            for layer in stack.layers:
                stream.append(layer(stream[-1]))
            loss = F.cross_entropy(head(stack.norm(stream[-1])).flatten(0, 1), targets)
        named = stack.named_parameters()
        matrices = [weight for name, weight in named if name.endswith("up.weight")]
        slopes = torch.autograd.grad(loss, matrices)
        gradients.append(torch.stack([slope.norm() for slope in slopes]))
        sizes.append(torch.stack([x.detach().square().mean().sqrt() for x in stream]))
    return torch.stack(gradients).mean(dim=0).tolist(), torch.stack(sizes).mean(dim=0).tolist()


class NormPlacement(Widget):
    """Stacks of 2 to 32 encoder layers, drawn by `initialise_xavier`, wired post- and pre-norm.

    Controls: `layers` (of the stack) and `shown`: each layer's gradient, or the size of the
    residual stream from the input (0) to the last layer.
    """

    stem = "norm_placement"
    alt = (
        "The gradient in each of 32 layers, before training, with weights drawn as in the paper. "
        "In post-norm it is about as large in the last layer as in the first. In pre-norm it "
        "falls from layer to layer, to a small part of what it is in the first."
    )
    layers = Stop([2, 4, 8, 16, 32], 32, label="Layers")
    shown = Stop(["gradient", "stream"], "gradient", label="Show", view=True)

    def frame_at(self, layers: int) -> dict[str, Any]:
        """Return gradients (from layer 1 on) and sizes (from 0 on) of each of WIRINGS."""
        found = [measured(wiring, layers) for wiring in WIRINGS]
        return {
            "gradient": [gradients for gradients, _ in found],
            "stream": [sizes for _, sizes in found],
        }

    def figure(self) -> Any:
        """Draw gradient and stream side by side."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(8.4, 4), layout="constrained")
        panels = figure.subplots(1, 2)
        labels = {"gradient": "gradient in the layer", "stream": "size of the stream"}
        for (name, label), ax in zip(labels.items(), panels, strict=True):
            x = range(name == "gradient", self.layers + 1)
            series = dict(zip(WIRINGS, self.frame[name], strict=True))
            plots.lines(x, series, ax, x_label="layer", y_label=label)
            ax.set_ylim(0)
        return figure

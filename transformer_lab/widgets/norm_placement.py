"""Where the norm is: which depths learn at which learning rates, post-norm and pre-norm."""

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
import traitlets
from torch import Tensor, nn

from transformer_lab.embedding import untied_output
from transformer_lab.model import EncoderModel, ModelConfig
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm
from transformer_lab.positional_encoding import LearnedPositions
from transformer_lab.train import Trainer, cosine_schedule
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._traits import Stop

WIRINGS = {"post-norm": PostNorm, "pre-norm": PreNorm}
LAYERS = [1, 2, 4, 8, 12]
RATES = [0.001, 0.003, 0.01, 0.03]
WARM_UPS = {"none": 1, "40 steps": 40}
STEPS = 120
EVERY = 5  # steps; a recorded loss is their mean
GUESS = 2.303  # ln 10, the loss of guessing among ten digits


def backwards(batch_size: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Return sequences of eight random digits, to be written backwards."""
    ids = torch.randint(10, (batch_size, 8), generator=generator)
    return {"ids": ids, "targets": ids.flip(-1)}


def train(wiring: str, layers: int, rate: float, warm_up: str, seed: int) -> list[float]:
    """Train an encoder to reverse digits; return its losses, a mean for each EVERY steps."""
    residual = WIRINGS[wiring]
    config = ModelConfig(
        vocabulary=10,
        d_model=32,
        heads=2,
        d_ff=128,
        layers=layers,
        tokens=nn.Embedding,
        output=untied_output,
        positions=partial(LearnedPositions, max_length=8),
        residual=residual,
        final_norm=LayerNorm if residual is PreNorm else nn.Identity,
    )
    schedule = partial(cosine_schedule, peak=rate, warm_up=WARM_UPS[warm_up], steps=STEPS)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = EncoderModel(config)
        trainer = Trainer(model, backwards, schedule=schedule, batch_size=32, seed=seed)
        losses = torch.tensor(trainer.run(STEPS).losses)
    return [round(loss, 2) for loss in losses.view(-1, EVERY).mean(dim=1).tolist()]


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Return what `tools/norm_placement.py` recorded: warm-up → wiring → layers, rates, seeds."""
    return json.loads(Path(__file__).with_name("norm_placement.json").read_text("utf8"))


def curves(warm_up: str, wiring: str) -> Tensor:
    """Return losses for each depth and rate, averaged over the seeds."""
    return torch.tensor(recorded()[warm_up][wiring]).mean(dim=2)


def final(warm_up: str, wiring: str) -> Tensor:
    """Return the losses of the last ten steps, a row for each depth, a column for each rate."""
    return curves(warm_up, wiring)[..., -10 // EVERY :].mean(dim=-1)


class NormPlacement(Widget):
    """Which stacks learn to reverse eight digits, by depth and learning rate, in both wirings.

    Controls: `warm_up` (how long the learning rate grows at first), `layers` and `rate` (the runs
    whose losses are drawn). All runs were recorded; a number is a mean of three seeds.
    """

    stem = "norm_placement"
    alt = (
        "The loss after training, by layers and learning rate, without warm-up, as two heat maps. "
        "Pre-norm is near 0 at every depth at the rates 0.003 and 0.01. Post-norm is so only in "
        "its shallow stacks: the deeper it is, the lower the rate has to be, and 8 and 12 layers "
        "learn at none of the four."
    )
    warm_up = Stop([*WARM_UPS], "none", label="Warm-up")
    layers = Stop(LAYERS, 4, label="Layers", view=True)
    rate = Stop(RATES, 0.01, label="Learning rate", view=True)
    scale = traitlets.Dict({"guess": GUESS, "every": EVERY}, read_only=True).tag(sync=True)

    def frame_at(self, warm_up: str) -> dict[str, Any]:
        """Return, for each wiring, the loss at the end of each run, and all losses (halves)."""
        return {
            "final": [final(warm_up, wiring).flatten().tolist() for wiring in WIRINGS],
            "curves": halves(torch.stack([curves(warm_up, wiring) for wiring in WIRINGS])),
        }

    def figure(self) -> Any:
        """Draw the heat maps side by side."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(8.4, 3.6), layout="constrained")
        for ax, wiring in zip(figure.subplots(1, 2), WIRINGS, strict=True):
            losses = final(self.warm_up, wiring)
            ax.imshow(losses.numpy(), cmap=plots.WEIGHTS, vmin=0, vmax=GUESS, aspect="auto")
            for row, values in enumerate(losses.tolist()):
                for column, loss in enumerate(values):
                    ink = "white" if loss > plots.DARK * GUESS else plots.INK
                    ax.text(column, row, f"{loss:.2f}", ha="center", va="center", color=ink)
            ax.set_xticks(range(len(RATES)), map(str, RATES))
            ax.set_yticks(range(len(LAYERS)), map(str, LAYERS))
            ax.set(title=f"{wiring}: loss at the end", xlabel="learning rate", ylabel="layers")
        return figure

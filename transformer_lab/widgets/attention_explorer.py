"""The attention explorer: what an untrained attention layer does with a sentence."""

import math
import zlib
from typing import Any

import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.widgets._base import Stop, Widget

TOKENS = ["The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired"]
D_MODEL = 64
HEADS = 4


def embedding(tokens: list[str]) -> Float[Tensor, "T D"]:
    """Give each word its vector, normally distributed; the same word, the same vector."""
    return torch.stack([_normal(word.lower(), D_MODEL) for word in tokens])


def projections(head: int, d_k: int) -> tuple[Float[Tensor, "D K"], Float[Tensor, "D K"]]:
    """Give W_Q and W_K of a head before training: queries and keys keep a variance of about 1."""
    return tuple(
        _normal(f"{name} of head {head}", D_MODEL, d_k) / math.sqrt(D_MODEL)
        for name in ("query", "key")
    )


def _normal(name: str, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    return torch.randn(*shape, generator=generator)


class AttentionExplorer(Widget):
    """Every head's attention weights over "The cat sat on the mat because it was tired".

    Sliders: `d_k` (width of a query or key), `heads` (how many are shown; a head's weights don't
    depend on the others), `length` (words), `scaled` (whether scores are divided by sqrt(d_k)).
    """

    stem = "attention_explorer"
    alt = (
        "Attention weights of four untrained heads over the words of a sentence, one square for "
        "each head, queries as rows and keys as columns. Each row sums to one, and each head "
        "spreads its rows differently."
    )
    d_k = Stop([1, 2, 4, 8, 16, 32, 64], 16)
    heads = Stop(list(range(1, HEADS + 1)), HEADS, view=True)
    length = Stop(list(range(2, len(TOKENS) + 1)), 6)
    scaled = Stop([True, False], True)
    tokens = traitlets.List(TOKENS, read_only=True).tag(sync=True)

    def weights_at(
        self, d_k: int, length: int, scaled: bool
    ) -> tuple[Float[Tensor, "H T T"], Float[Tensor, "H T T"]]:
        """Compute the scores and the weights of all four heads."""
        x = embedding(TOKENS[:length])
        matrices = [projections(head, d_k) for head in range(HEADS)]
        q, k = (torch.stack([x @ W for W in pair]) for pair in zip(*matrices, strict=True))
        if not scaled:
            q = q * math.sqrt(d_k)  # undoes the division that attention makes
        _, weights = scaled_dot_product_attention(q, k, k)
        return q @ k.mT / math.sqrt(d_k), weights

    def frame_at(self, **at: Any) -> dict[str, Any]:
        """Return weights (uint8, 255 is 1) and scores (float16), head by head, row by row."""
        scores, weights = self.weights_at(**at)
        return {
            "weights": (weights * 255).round().to(torch.uint8).numpy().tobytes(),
            "scores": scores.half().numpy().tobytes(),
            "largest": [round(w, 3) for w in weights.amax(-1).mean(-1).tolist()],
        }

    def figure(self) -> Any:
        """Draw the heads side by side."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        _, weights = self.weights_at(self.d_k, self.length, self.scaled)
        tokens = TOKENS[: self.length]
        figure = Figure(figsize=(6.4, 6.4), layout="constrained")
        axes = figure.subplots(2, 2).flat
        for head, ax in enumerate(axes):
            ax.set_visible(head < self.heads)
            plots.weights(weights[head], queries=tokens, keys=tokens, ax=ax)
            ax.set_title(f"head {head + 1}")
        return figure

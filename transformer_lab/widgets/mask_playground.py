"""The mask playground: who may attend to whom, and what becomes of the weights."""

from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.masking import causal_mask, padding_mask, sliding_window_mask
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._learner import Trouble, answer
from transformer_lab.widgets._traits import Function, Stop
from transformer_lab.widgets.attention_explorer import embedding, projections

ENGLISH = ["The", "cat", "eats", "fish", "and", "the", "dog", "sleeps"]
PORTUGUESE = ["O", "gato", "come", "peixe", "e", "o", "cão", "dorme"]
PAD = "<pad>"
WINDOW = 3
D_K = 16
#: Why a key is hidden, as bits that add up: it is not the causal mask's, padding, too far back.
NOT_CAUSAL, PADDING, TOO_FAR = 1, 2, 4


class MaskPlayground(Widget):
    """A mask, the scores under it, and the weights that come of it.

    Controls: `kind` (of mask; the window is 3 words wide), `length` (of the longest sequence),
    `fill` (how the hidden is hidden). `mask=your_function` shows your causal mask: it is called
    as `your_function(length)`, and True = may attend.
    """

    stem = "mask_playground"
    alt = (
        "Three squares side by side, queries as rows and keys as columns: the mask with its "
        "hidden half hatched, the scores, and the attention weights, which are zero wherever the "
        "mask hides a key."
    )
    kind = Stop(
        ["causal", "padding", "causal + padding", "causal + left padding", "window", "cross"],
        "causal",
        label="Mask",
    )
    length = Stop([4, 5, 6, 7, 8], 6, label="Words")
    fill = Stop(
        ["-inf before softmax", "-1e9 before softmax", "0 after softmax", "both"],
        "-inf before softmax",
        label="Hide by",
    )
    mask = Function(causal_mask)

    def reasons(self, kind: str, length: int) -> tuple[list[str], list[str], Tensor]:
        """Return queries, keys, and why each pair is hidden (0 = it is not)."""
        queries = keys = _padded(ENGLISH, length, kind)
        if kind == "cross":
            queries, keys = _padded(PORTUGUESE, length, kind)[:-1], keys
        hidden = torch.zeros(len(queries), len(keys), dtype=torch.int)
        if "causal" in kind:
            hidden += ~self._causal(length) * NOT_CAUSAL
        if kind == "window":
            within = sliding_window_mask(length, window=WINDOW)
            later = ~causal_mask(length)
            hidden += later * NOT_CAUSAL + (~within & ~later) * TOO_FAR
        real = torch.tensor([key != PAD for key in keys])
        return queries, keys, hidden + ~padding_mask(real) * PADDING

    def _causal(self, length: int) -> Bool[Tensor, "T T"]:
        mask = answer(self.mask, length, shape=(length, length), dtype=None)
        if mask.dtype != torch.bool:
            raise Trouble(
                f"The mask should be boolean, True = may attend, but is {mask.dtype}. "
                "An additive one becomes it by `mask == 0`."
            )
        return mask

    def frame_at(self, kind: str, length: int, fill: str) -> dict[str, Any]:
        """Return the tokens, the reasons (a byte each), the scores and the weights."""
        queries, keys, hidden = self.reasons(kind, length)
        scores, weights = weigh(queries, keys, hidden == 0, fill)
        return {
            "queries": queries,
            "keys": keys,
            "hidden": bytes(hidden.flatten().tolist()),
            "scores": halves(scores),
            "weights": halves(weights),
        }

    def figure(self) -> Any:
        """Draw mask, scores and weights side by side."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        queries, keys, hidden = self.reasons(self.kind, self.length)
        scores, weights = weigh(queries, keys, hidden == 0, self.fill)
        figure = Figure(figsize=(10.5, 4.2), layout="constrained")
        panels = {"mask": (hidden == 0).float(), "scores": scores, "weights": weights}
        for (title, matrix), ax in zip(panels.items(), figure.subplots(1, 3), strict=True):
            plots.weights(torch.zeros_like(matrix), queries, keys, ax, title=title)
            for text in list(ax.texts):
                text.remove()
            signed = title == "scores"
            ax.images[0].set(data=matrix.numpy(), cmap=plots.SIGNS if signed else plots.WEIGHTS)
            ax.images[0].set_clim(-3 if signed else 0, 3 if signed else 1)
            plots.hatch(ax, hidden == 0)
        return figure


def weigh(
    queries: list[str], keys: list[str], mask: Bool[Tensor, "T S"], fill: str
) -> tuple[Float[Tensor, "T S"], Float[Tensor, "T S"]]:
    """Return the scores of an untrained head, and its weights under a mask, hidden in some way."""
    W_q, W_k = projections(0, D_K)
    q, k = embedding(queries) @ W_q, embedding(keys) @ W_k
    scores = q @ k.mT / D_K**0.5
    if fill == "both":
        return scores, scaled_dot_product_attention(q, k, k, mask)[1]
    if fill == "0 after softmax":
        return scores, scores.softmax(-1) * mask
    low = float("-inf") if fill == "-inf before softmax" else -1e9
    return scores, scores.masked_fill(~mask, low).softmax(-1)


def _padded(words: list[str], length: int, kind: str) -> list[str]:
    if "left" in kind:
        return [PAD] * 2 + words[: length - 2]
    if "padding" in kind or kind == "cross":
        return words[: length - 2] + [PAD] * 2
    return words[:length]

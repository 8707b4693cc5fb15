"""The mask playground: who may attend to whom, and what becomes of the weights."""

import itertools
import math
import zlib
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.masking import causal_mask, padding_mask, sliding_window_mask
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._learner import Trouble, answer
from transformer_lab.widgets._traits import Function, Stop

ENGLISH = ["The", "cat", "eats", "fish", "and", "the", "dog", "sleeps"]
PORTUGUESE = ["O", "gato", "come", "peixe", "e", "o", "cão", "dorme"]
PAD = "<pad>"
WINDOW = 3
D_MODEL, D_K = 64, 16
#: Why a key is hidden, as bits that add up: it is not the causal mask's, padding, too far back.
NOT_CAUSAL, PADDING, TOO_FAR = 1, 2, 4

#: What comes of a row from which everything is hidden.
EMPTY = {
    "-inf before softmax": ": the softmax divides 0 by 0, and all of it is NaN.",
    "-1e9 before softmax": ", all scores are equal, and the softmax shares it evenly among what "
    "should be hidden.",
}


def embedding(tokens: list[str]) -> Float[Tensor, "T D"]:
    """Return a vector for each word, normally distributed; the same word, the same vector."""
    return torch.stack([_normal(word.lower(), D_MODEL) for word in tokens])


def projections(head: int, d_k: int) -> tuple[Float[Tensor, "D K"], Float[Tensor, "D K"]]:
    """Return W_Q and W_K of a head before training: queries and keys keep a variance of about 1."""
    query = _normal(f"query of head {head}", D_MODEL, d_k)
    key = _normal(f"key of head {head}", D_MODEL, d_k)
    return query / math.sqrt(D_MODEL), key / math.sqrt(D_MODEL)


def _normal(name: str, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    return torch.randn(*shape, generator=generator)


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
        label="Hide by (both: -inf before, 0 after)",
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
                "Convert an additive mask by `mask == 0`."
            )
        return mask

    def frame_at(self, kind: str, length: int, fill: str) -> dict[str, Any]:
        """Return the tokens, the reasons (a byte each), scores, weights, and what moves what."""
        queries, keys, hidden = self.reasons(kind, length)
        scores, weights = weigh(queries, keys, hidden == 0, fill)
        pairs = itertools.product(range(len(queries)), range(len(keys)))
        said = [because(kind, queries, hidden.tolist(), i, j) for i, j in pairs]
        reasons = [*dict.fromkeys(said)]
        return {
            "queries": queries,
            "keys": keys,
            "hidden": bytes(hidden.flatten().tolist()),
            "because": bytes(map(reasons.index, said)),
            "reasons": reasons,
            "ends": [ending(row, fill) for row in hidden.tolist()],
            "state": state(weights),
            "scores": halves(scores),
            "weights": halves(weights),
            "moves": bytes(moved(queries, keys, hidden == 0, fill).flatten().tolist()),
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


def because(kind: str, queries: list[str], hidden: list[list[int]], i: int, j: int) -> str:
    """Return whether query i may see key j, and why, in words."""
    if why := hidden[i][j]:
        later = "it comes later" if j > i else "your function hides it"
        reasons = {
            PADDING: "the key is padding",
            NOT_CAUSAL: later,
            TOO_FAR: f"it is {i - j} words back, outside the window of {WINDOW}",
        }
        return f"No: {', and '.join(words for bit, words in reasons.items() if why & bit)}."
    if "causal" in kind and j > i:
        return "Yes, though it comes later: a leak."
    if queries[i] == PAD:
        return "Yes: only keys are hidden, because the row of padding is never read."
    if kind == "cross":
        return "Yes: in cross-attention every query may see every key."
    if i == j:
        return "Yes: a word may see itself."
    before = "it is a word, before or after" if kind == "padding" else "it came before"
    return f"Yes: {before}."


def ending(hidden: list[int], fill: str) -> str:
    """Return in words what comes of the hidden keys of a row, if anything."""
    if all(hidden):
        return f"Everything is hidden from this row{EMPTY.get(fill, ': its weights are 0.')}"
    if fill == "0 after softmax" and any(hidden):
        return (
            "The hidden keys have taken their share before they were erased, so what is left "
            "still depends on them: a leak."
        )
    return ""


def state(weights: Float[Tensor, "T S"]) -> str:
    """Return in words whether the rows of weights add up to 1."""
    sums = weights.sum(dim=-1)
    for rows, one, many in (
        (sums.isnan(), "is NaN", "are NaN"),
        ((sums - 1).abs() > 0.01, "does not add up to 1", "do not add up to 1"),
    ):
        if count := int(rows.sum()):
            whose = "1 row of weights" if count == 1 else f"{count} rows of weights"
            return f"{whose} {one if count == 1 else many}."
    return "Every row of weights adds up to 1."


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


def moved(
    queries: list[str], keys: list[str], mask: Bool[Tensor, "T S"], fill: str
) -> Bool[Tensor, "T S"]:
    """Return whether a query's output (row) moves when a key's word (column) is another one."""

    def outputs(j: int | None) -> Tensor:
        read = [word if i != j else "another" for i, word in enumerate(keys)]
        asking = read if queries == keys else queries
        return weigh(asking, read, mask, fill)[1] @ embedding(read)

    before = outputs(None)
    after = torch.stack([outputs(j) for j in range(len(keys))], dim=1)
    return ~torch.isclose(after, before[:, None], atol=1e-5, equal_nan=True).all(dim=-1)


def _padded(words: list[str], length: int, kind: str) -> list[str]:
    if "left" in kind:
        return [PAD] * 2 + words[: length - 2]
    if "padding" in kind or kind == "cross":
        return words[: length - 2] + [PAD] * 2
    return words[:length]

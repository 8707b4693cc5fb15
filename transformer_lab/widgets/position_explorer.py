"""The position explorer: four kinds of position encoding, and their effect on scores."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.masking import causal_mask
from transformer_lab.positional_encoding import (
    ALiBi,
    alibi_slopes,
    position_angles,
    rotate_pairs,
    sinusoidal_encoding,
)
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._learner import answer, name_of
from transformer_lab.widgets._traits import Function, Stop

LENGTH = 64
HEADS = 8
SENTENCES = [["dog", "bites", "man"], ["man", "bites", "dog"]]
DISTANCES = torch.arange(1 - LENGTH, LENGTH)
STARTS = LENGTH, 2 * LENGTH
SHOWN_SLOPES = {"slope 1/2": 0, "slope 1/16": 3, "slope 1/256": 7}
KEY_TURN = 3
#: What a column and a row of the table are, where they are no feature and no position.
NAMES = {"rotary": ("key", "query"), "ALiBi": ("head", "distance")}
WHAT = {
    "none": "Nothing is added: a word's vector does not say where it stands.",
    "sinusoidal": "What is added to each word.",
    "rotary": "Queries and keys are turned: the scores of equal vectors, by their positions.",
    "ALiBi": "What each of 8 heads takes off a score at each distance.",
}
SEES = {
    "none": "By distance: a score sees nothing of positions.",
    "sinusoidal": f"By distance: the dot product with position {STARTS[0]}, and with {STARTS[1]}.",
    "rotary": f"By distance: the score of an equal key, and of one turned on by {KEY_TURN}.",
    "ALiBi": "By distance: what three heads take off the scores of earlier words.",
}


class PositionExplorer(Widget):
    """Positions as a picture, one feature of it as a wave, and scores by distance.

    Controls: `kind` (none, sinusoidal, rotary, ALiBi), `length` (positions), `d_model` (features;
    for rotary, of a head), `base` (how much slower the slowest hand is), `feature` (the wave; for
    rotary the position of the key, for ALiBi the head).
    `encoding=your_function` shows yours for "sinusoidal": it is called as
    `your_function(positions, d_model, base=base)` and gives a row for each position.
    """

    stem = "position_explorer"
    alt = (
        "Four pictures. The table of sines and cosines, positions down and features across, with "
        "narrow stripes on the left and wide ones on the right. One of its columns as a wave. The "
        "dot product of two positions, highest at distance 0 and alike on both sides. And what "
        "dog reads in “dog bites man” and in “man bites dog”."
    )
    kind = Stop(["none", "sinusoidal", "rotary", "ALiBi"], "sinusoidal", label="Positions")
    length = Stop([8, 16, 32, LENGTH], 32, label="Length", view=True)
    d_model = Stop([4, 8, 16, 32, 64], 32, label="Features")
    base = Stop([10.0, 100.0, 1000.0, 10_000.0], 10_000.0, label="Base")
    feature = Stop(list(range(64)), 6, label="Feature", view=True)
    encoding = Function(sinusoidal_encoding)

    def table(self, kind: str, d_model: int, base: float) -> Float[Tensor, "T columns"]:
        """Return what the picture shows: a row for each position, for ALiBi for each distance.

        For rotary, the columns are positions too, those of keys.
        """
        positions = torch.arange(LENGTH)
        if kind == "none":
            return torch.zeros(LENGTH, d_model)
        if kind == "sinusoidal":
            return self._encode(LENGTH, d_model, base)
        if kind == "rotary":
            [alike, _] = self.curves(kind, d_model, base).values()
            return alike[positions - positions[:, None] + LENGTH - 1]
        return -positions[:, None] * alibi_slopes(HEADS)

    def _encode(self, length: int, d_model: int, base: float) -> Float[Tensor, "T D"]:
        def encoding(positions: Tensor, d_model: int) -> Any:
            return self.encoding(positions, d_model, base=base)

        encoding.__name__ = name_of(self.encoding)
        return answer(encoding, torch.arange(length), d_model, shape=(length, d_model))

    def curves(
        self, kind: str, d_model: int, base: float
    ) -> dict[str, Float[Tensor, " distances"]]:
        """Return how a score depends on positions, by the distance of the key from the query."""
        if kind == "none":
            return {"any two": torch.zeros(len(DISTANCES))}
        if kind == "sinusoidal":
            table = self._encode(3 * LENGTH, d_model, base)
            found = {f"from {t}": table[t + DISTANCES] @ table[t] for t in STARTS}
        if kind == "rotary":
            query = torch.tensor([1.0, 0.0]).repeat(d_model // 2)
            angles = [
                position_angles(DISTANCES + more, d_model, base, torch.float32)
                for more in (0, KEY_TURN)
            ]
            keys = [rotate_pairs(query.expand(len(DISTANCES), -1), turn) for turn in angles]
            found = {"key = query": keys[0] @ query, f"turned by {KEY_TURN}": keys[1] @ query}
        if kind == "ALiBi":
            later = torch.where(DISTANCES > 0, torch.nan, 0.0)
            slopes = alibi_slopes(HEADS)
            return {name: slopes[i] * DISTANCES + later for name, i in SHOWN_SLOPES.items()}
        return {name: curve / (d_model / 2) for name, curve in found.items()}

    def weights(
        self, words: list[str], kind: str, d_model: int, base: float
    ) -> Float[Tensor, "T T"]:
        """Return the attention of an untrained head to a sentence."""
        generator = torch.Generator().manual_seed(3)
        vectors = torch.randn(3, d_model, generator=generator)
        W_q, W_k = torch.randn(2, d_model, d_model, generator=generator) / math.sqrt(d_model)
        x = vectors[[sorted(words).index(word) for word in words]]
        if kind == "sinusoidal":
            x = x + self._encode(LENGTH, d_model, base)[: len(x)]
        q, k = ((x @ W).expand(HEADS, -1, -1) for W in (W_q, W_k))
        if kind == "rotary":  # by the formula, which works on a page, too
            turn = position_angles(torch.arange(len(x)), d_model, base, x.dtype)
            q, k = rotate_pairs(q, turn), rotate_pairs(k, turn)
        if kind == "ALiBi":
            q, k = ALiBi()(q, k)
        mask = causal_mask(len(x)) if kind == "ALiBi" else None
        return scaled_dot_product_attention(q, k, k, mask)[1][0]

    def frame_at(self, **at: Any) -> dict[str, Any]:
        """Return the table and the curves (halves), and the weights in both sentences."""
        table, curves = self.table(**at), self.curves(**at)
        weights = [self.weights(words, **at) for words in SENTENCES]
        turns = position_angles(torch.ones(1).int(), at["d_model"], at["base"], torch.float64)[0]
        known = at["kind"] == "sinusoidal" and not self.has_own_function()
        return {
            "what": WHAT[at["kind"]],
            "sees": SEES[at["kind"]],
            "waves": [round(2 * math.pi / turn, 1) for turn in turns.tolist()] if known else [],
            "table": b"" if at["kind"] == "rotary" else halves(table),  # a curve, shifted
            "columns": table.size(1),
            "curves": halves(torch.stack(list(curves.values()))),
            "names": list(curves),
            "weights": [[[round(w, 3) for w in row] for row in x.tolist()] for x in weights],
        }

    def figure(self) -> Any:
        """Draw the four pictures."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        at = {name: getattr(self, name) for name in self.axes()}
        table = self.table(**at)[: self.length]
        columns, rows = NAMES.get(self.kind, ("feature", "position"))
        if self.kind == "rotary":
            table = table[:, : self.length]
        column = min(self.feature, table.size(1) - 1)
        figure = Figure(figsize=(9.6, 7.2), layout="constrained")
        picture, wave, curve, reads = figure.subplots(2, 2).flat
        most = self.length / 2 if self.kind == "ALiBi" else 1
        picture.imshow(table.numpy(), cmap=plots.SIGNS, vmin=-most, vmax=most, aspect="auto")
        picture.set(title=f"{self.kind}", xlabel=columns, ylabel=rows)
        near = slice(LENGTH - self.length, LENGTH + self.length - 1)
        named = {name: values[near] for name, values in self.curves(**at).items()}
        one = {f"{columns} {column}": table[:, column]}
        plots.lines(range(self.length), one, wave, x_label=rows, y_label="")
        distances, name = DISTANCES[near].tolist(), "distance of key from query"
        plots.lines(distances, named, curve, x_label=name, y_label="")
        for shift, words in zip((-0.2, 0.2), SENTENCES, strict=True):
            row = self.weights(words, **at)[words.index("dog")]
            places = [SENTENCES[0].index(word) + shift for word in words]
            colour = plots.INDIGO if shift < 0 else plots.GOLD
            reads.bar(places, row.tolist(), width=0.36, color=colour, label=" ".join(words))
        reads.set_xticks(range(3), SENTENCES[0])
        reads.set(ylim=(0, 1), title="what dog reads")
        reads.legend(frameon=False)
        return figure

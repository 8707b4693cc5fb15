"""One head: the attention of each word of a sentence in one head of a trained model."""

from typing import Any

from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._real import note
from transformer_lab.widgets._traits import Words
from transformer_lab.widgets.real_heads import weights_of

SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "The cat sat on the mat because it was soft.",
    "The mat was under the cat because it was tired.",
]
MODEL, LAYER, HEAD = "MiniLM", 3, 1
LEAST = 0.05  # the minimum weight that is written as a number
ACROSS = 44  # letters in a line


class OneHead(Widget):
    """The sentence itself, each word as dark as the weight that the chosen word gives to it.

    Control: `tokens` (the words of the sentence). The head is number 1 of layer 3 of MiniLM, both
    counted from 0; `RealHeads` shows all. Needs the real models, which `transformer-lab pretrained`
    installs.
    """

    stem = "one_head"
    alt = (
        "Where the word it looks in the sentence The cat sat on the mat because it was tired, in "
        "one head of the trained model MiniLM: most of its weight is on cat, far less on mat."
    )
    tokens = Words(SENTENCES, fit=(1, 200), label="Sentence")

    def frame_at(self, tokens: list[str]) -> dict[str, Any]:
        """Return the model's tokens, the head's weights, and what was not read."""
        sentence = " ".join(tokens)
        pieces, _, weights = weights_of(MODEL, sentence)
        head = halves(weights[LAYER, HEAD])
        return {"pieces": pieces, "weights": head, "note": note(MODEL, sentence)}

    def figure(self) -> Any:
        """Draw the sentence with the weights of "it", or of the first word where there is none."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        pieces, _, weights = weights_of(MODEL, " ".join(self.tokens))
        asks = pieces.index("it") if "it" in pieces else 1
        figure = Figure(figsize=(8, 3), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(0, ACROSS), ylim=(-1 - sum(map(len, pieces)) // ACROSS, 1))
        axes.axis("off")
        at, line = 0.0, 0
        for i, (piece, weight) in enumerate(zip(pieces, weights[LAYER, HEAD, asks], strict=True)):
            wide = len(piece) + 1.5
            at, line = (at, line) if at + wide <= ACROSS else (0.0, line - 1)
            box = {"boxstyle": "round", "lw": 0, "fc": (plots.KEY, 0.7 * weight.item())}
            ink = plots.QUERY if i == asks else plots.INK
            axes.text(at + wide / 2, line, piece, size=20, ha="center", color=ink, bbox=box)
            if weight >= LEAST:
                axes.text(at + wide / 2, line - 0.42, f"{weight:.2f}", size=11, ha="center")
            at += wide
        return figure

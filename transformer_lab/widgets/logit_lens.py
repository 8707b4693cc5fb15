"""The logit lens: what a GPT would write if it stopped after its embedding, or after a layer."""

from functools import cache
from typing import Any

import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from transformer_lab.model import DecoderModel
from transformer_lab.pretrained.shakespeare import READS, load_shakespeare
from transformer_lab.trace import trace
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._learner import Trouble
from transformer_lab.widgets._traits import Stop, Text

TOP = 5
#: The neuron of the last layer that the chapter `norm` finds, and the activation of full colour.
NEURON, STRONGEST = 45, 15
TEXT = "When shall we three meet again\nIn thunder, lightning, or in rain"
#: The GPT of the book, loaded once; nothing has to be installed for it.
gpt = cache(load_shakespeare)


def lens(model: DecoderModel, ids: Tensor) -> Float[Tensor, "depths T V"]:
    """Return the probabilities of the next token, from the stream as it is at each depth.

    Depth 0 is the embedding, depth n the stream after layer n. Each is read as the last one is: by
    the last norm and the output matrix.
    """
    with torch.no_grad(), trace(model) as record:
        model(ids)
        names = ["embeddings", *(f"decoder.layers.{n}" for n in range(len(model.decoder.layers)))]
        stream = torch.cat([record.latest(name).output for name in names])
        return model.output(model.decoder.norm(stream)).softmax(-1)


def activations(model: DecoderModel, ids: Tensor) -> Float[Tensor, "T"]:
    """Return the activation of the neuron in the last layer, at each position."""
    name = f"decoder.layers.{len(model.decoder.layers) - 1}.feed_forward.down"
    with torch.no_grad(), trace(model, name) as record:
        model(ids)
    return record.latest(name).inputs[0][0, :, NEURON]


class LogitLens(Widget):
    """What the GPT of the book would write next after each of its layers, at every position.

    Below them is how strongly one neuron of the last layer fires.

    Controls: `text` and `position` (whose five likeliest characters are shown).
    """

    stem = "logit_lens"
    alt = (
        "Under each character of “When shall we three meet again” and of the line after it are "
        "four guesses of the next one: from the embedding alone, and after the first, second and "
        "third layer. The deeper, the more often the guess is what the text says, and the surer. "
        "Below them is the activation of one neuron, high after “In” and “in” only."
    )
    text = Text(TEXT, most=240, label="Your text", swept=False)
    position = Stop([*range(READS)], 9, label="Position", view=True)
    model = traitlets.Unicode("GPT", read_only=True).tag(sync=True)

    def frame_at(self, text: str) -> dict[str, Any]:
        """Return the characters that are read, and at each depth the likeliest next ones."""
        real = gpt()
        known = real.tokenizer.encode([text])[0]
        ids = known[:, -READS:]
        if not ids.numel():
            raise Trouble("Type a character that the GPT knows: a letter, a space, a comma.")
        best, candidates = lens(real.model, ids).topk(TOP)
        labels = real.tokenizer.pieces(candidates.flatten())
        return {
            "read": real.tokenizer.pieces(ids[0]),
            "depths": len(best),
            "names": ["".join(labels[i : i + TOP]) for i in range(0, len(labels), TOP)],
            "shares": halves(best),
            "neuron": NEURON,
            "fires": halves(activations(real.model, ids)),
            "note": f"The first {unread} characters are not read: there is room for {READS}."
            if (unread := known.numel() - ids.numel())
            else "",
        }

    def figure(self) -> Any:
        """Draw the guesses and the neuron as a table: the more colour, the surer or stronger."""
        from matplotlib.figure import Figure

        read, names = self.frame["read"], self.frame["names"]
        shares, fires = (
            torch.frombuffer(bytearray(self.frame[name]), dtype=torch.half).float()
            for name in ("shares", "fires")
        )
        dark = torch.cat([shares[::TOP], fires / STRONGEST])
        written = [guess[0] for guess in names] + [f"{f:.0f}" if f >= 0.5 else "" for f in fires]
        figure = Figure(figsize=(9, 3), layout="constrained")
        ax = figure.subplots()
        ax.imshow(dark.view(-1, len(read)).numpy(), cmap="Purples", vmin=0, vmax=1, aspect="auto")
        for n, content in enumerate(written):
            depth, t = divmod(n, len(read))
            colour = "white" if dark[n] > 0.5 else "black"
            ax.text(t, depth, content, ha="center", va="center", color=colour, fontsize=8)
        rows = [*map(depth_name, range(self.frame["depths"])), f"neuron {NEURON}"]
        ax.set_yticks(range(len(rows)), rows)
        ax.set_xticks(range(len(read)), read, fontsize=8)
        ax.set_title("the character that is read, and below it the guesses of the next one")
        ax.xaxis.tick_top()
        return figure


def depth_name(depth: int) -> str:
    """Name a depth."""
    return f"layer {depth}" if depth else "embedding"

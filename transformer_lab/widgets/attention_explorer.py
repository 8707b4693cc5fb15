"""The attention explorer: what an untrained attention layer does with a sentence."""

import math
import zlib
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.widgets._base import Widget, halves, shares
from transformer_lab.widgets._learner import Trouble, answer
from transformer_lab.widgets._traits import Function, Stop, Words

SENTENCES = [
    "The cat sat on the mat because it was tired",
    "The mat sat on the cat because it was tired",
    "O gato comeu o peixe porque ele estava com fome",
]
TOKENS = SENTENCES[0].split()
D_MODEL = 64
HEADS = 4


def embedding(tokens: list[str]) -> Float[Tensor, "T D"]:
    """Return a vector for each word, normally distributed; the same word, the same vector."""
    return torch.stack([_normal(word.lower(), D_MODEL) for word in tokens])


def values(tokens: list[str]) -> Float[Tensor, "T 2"]:
    """Return each word's value: two numbers, to be drawn as an arrow, of length 1."""
    return F.normalize(embedding(tokens) @ _normal("values", D_MODEL, 2), dim=-1)


def projections(head: int, d_k: int) -> tuple[Float[Tensor, "D K"], Float[Tensor, "D K"]]:
    """Return W_Q and W_K of a head before training: queries and keys keep a variance of about 1."""
    query = _normal(f"query of head {head}", D_MODEL, d_k)
    key = _normal(f"key of head {head}", D_MODEL, d_k)
    return query / math.sqrt(D_MODEL), key / math.sqrt(D_MODEL)


def _normal(name: str, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    return torch.randn(*shape, generator=generator)


def _queries_and_keys(
    d_k: int, scaled: bool, tokens: list[str]
) -> tuple[Float[Tensor, "H T K"], Float[Tensor, "H T K"]]:
    x = embedding(tokens)
    matrices = [projections(head, d_k) for head in range(HEADS)]
    q, k = (torch.stack([x @ W for W in pair]) for pair in zip(*matrices, strict=True))
    return (q if scaled else q * math.sqrt(d_k)), k  # undoes the division that attention makes


def _scores(q: Float[Tensor, "H T K"], k: Float[Tensor, "H T K"]) -> Float[Tensor, "H T T"]:
    return q @ k.mT / math.sqrt(q.size(-1))


class AttentionExplorer(Widget):
    """Every head's attention weights over "The cat sat on the mat because it was tired".

    Controls: `d_k` (width of a query or key), `heads` (how many are shown; a head's weights don't
    depend on the others), `length` (words), `scaled` (whether scores are divided by sqrt(d_k)),
    `tokens` (the words, 2 to 10 of them). `attention=your_function` shows yours: it is called as
    `your_function(q, k, v)`, with four heads in front, and v such that its output is its weights.
    """

    stem = "attention_explorer"
    alt = (
        "Attention weights of four untrained heads over the words of a sentence, one square for "
        "each head, queries as rows and keys as columns. Each row sums to one, and each head "
        "spreads its rows differently."
    )
    d_k = Stop([1, 2, 4, 8, 16, 32, 64], 16, label="Key width d_k")
    heads = Stop(list(range(1, HEADS + 1)), HEADS, label="Heads", view=True)
    length = Stop(list(range(2, len(TOKENS) + 1)), 6, label="Words")
    scaled = Stop([True, False], True, label="divide by √d_k")
    tokens = Words(SENTENCES, label="Sentence")
    attention = Function(scaled_dot_product_attention)

    def weights_at(
        self, d_k: int, length: int, scaled: bool, tokens: list[str] = TOKENS
    ) -> tuple[Float[Tensor, "H T T"], Float[Tensor, "H T T"]]:
        """Compute the scores and the weights of all four heads."""
        q, k = _queries_and_keys(d_k, scaled, tokens[:length])
        identity = torch.eye(q.size(1)).expand(HEADS, -1, -1)  # of these, the output is the weights
        weights = answer(self.attention, q, k, identity, shape=tuple(identity.shape))
        if weights.min() < 0 or weights.max() > 1 + 1e-5:
            raise Trouble(
                f"The weights should lie between 0 and 1, but go from {weights.min():.2f} to "
                f"{weights.max():.2f}. Is the softmax missing?"
            )
        return _scores(q, k), weights

    def frame_at(self, **at: Any) -> dict[str, Any]:
        """Return the weights, and of the whole sentence the scores of each head and the values."""
        _, weights = self.weights_at(**at)
        return {
            "weights": shares(weights),
            "scores": halves(_scores(*_queries_and_keys(at["d_k"], at["scaled"], at["tokens"]))),
            "values": halves(values(at["tokens"])),
            "largest": [round(w, 3) for w in weights.amax(-1).mean(-1).tolist()],
        }

    def figure(self) -> Any:
        """Draw the heads side by side."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        _, weights = self.weights_at(self.d_k, self.length, self.scaled, self.tokens)
        tokens = self.tokens[: self.length]
        figure = Figure(figsize=(6.4, 6.4), layout="constrained")
        axes = figure.subplots(2, 2).flat
        for head, ax in enumerate(axes):
            ax.set_visible(head < self.heads)
            plots.weights(weights[head], queries=tokens, keys=tokens, ax=ax)
            ax.set_title(f"head {head + 1}")
        return figure

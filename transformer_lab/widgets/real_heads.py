"""Real heads: the attention of every head of a trained model, in a sentence of one's own."""

from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from transformer_lab.generate import GivenSource, generate
from transformer_lab.pretrained import Pretrained
from transformer_lab.pretrained.bergamot import END
from transformer_lab.trace import trace
from transformer_lab.widgets._base import Widget, shares
from transformer_lab.widgets._real import (
    ATTENTION,
    LOADERS,
    Silent,
    changed,
    note,
    pieces,
    read,
    real_model,
)
from transformer_lab.widgets._traits import Heads, Stop, Words

SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "The cat eats fish.",
    "Say zebra piano cloud river zebra piano cloud river",
]
OTHERS = ["A kitten rests on a rug.", "The piano is out of tune."]
MOST_LAYERS, MOST_HEADS = 30, 12
LINE = 0.15  # between the heads on the wall
LONGEST = 24  # the maximum of tokens in a translation


class RealHeads(Widget):
    """Every head of the GPT, MiniLM, SmolLM2 or the translator, on a sentence.

    Controls: `model` (an encoder, a decoder, or the cross-attention of an encoder-decoder),
    `layer` and `head` (counted from 0; a model that has fewer shows its last), `tokens` (the words
    of the sentence), `second` (those of a sentence that MiniLM compares it with), `silent` (heads
    that add nothing, each as its layer and its number), `order` (whether tokens know their places).
    All but the GPT need the real models, which `transformer-lab pretrained` installs.
    """

    stem = "real_heads"
    alt = (
        "A wall of small squares, the attention weights of every head of a trained model, a row "
        "for each layer; and one head in large, with the tokens of the sentence as rows (queries) "
        "and columns (keys)."
    )
    model = Stop(list(LOADERS), "MiniLM", label="Model")
    layer = Stop(list(range(MOST_LAYERS)), 0, label="Layer", view=True)
    head = Stop(list(range(MOST_HEADS)), 2, label="Head", view=True)
    tokens = Words(SENTENCES, fit=(1, 200), label="Sentence")
    second = Words(OTHERS, fit=(1, 200), label="Compare with", swept=False)
    silent = Heads(MOST_LAYERS, MOST_HEADS, label="Silent heads", swept=False)
    order = Stop([True, False], True, label="Tokens know their places", swept=False)

    def frame_at(
        self, model: str, tokens: list[str], second: list[str], silent: list, order: bool
    ) -> dict[str, Any]:
        """Return the tokens of queries and keys, the wall of all heads, and their habits.

        And the outcome: of the changed model, and of the model itself.
        """
        sentence, other, mute = " ".join(tokens), " ".join(second), tuple(map(tuple, silent))
        queries, keys, weights = weights_of(model, sentence, mute, order)
        layers, heads, *_ = weights.shape
        likings = habits(weights, keys, of_itself=model != "translator")
        return {
            "queries": queries,
            "keys": keys,
            "layers": layers,
            "heads": heads,
            "banks": banks(layers),
            "wall": shares(wall(weights)),
            "places": list(likings),
            "habits": shares(torch.stack(list(likings.values()), dim=-1)),
            "outcome": [
                outcome(model, sentence, other, mute, order),
                outcome(model, sentence, other, (), True),
            ],
            "note": note(model, sentence),
        }

    def figure(self) -> Any:
        """Draw the wall, and the chosen head beside it."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        silent = tuple(map(tuple, self.silent))
        sentence = " ".join(self.tokens)
        queries, keys, weights = weights_of(self.model, sentence, silent, self.order)
        layers, heads, T, S = weights.shape
        layer, head = min(self.layer, layers - 1), min(self.head, heads - 1)
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
        left.imshow(wall(weights).numpy(), cmap=plots.WEIGHTS, vmin=0, vmax=1, aspect="auto")
        deep = layers // banks(layers)
        left.set_yticks([(T + 1) * (i + 0.5) for i in range(deep)], range(deep))
        left.set_xticks([(S + 1) * (i + 0.5) for i in range(heads)], range(heads))
        left.set(title=f"all heads of {self.model}", xlabel="head", ylabel="layer")
        title = f"layer {layer}, head {head}"
        plots.weights(weights[layer, head], queries, keys, right, title=title)
        return figure


@cache
def weights_of(
    model: str, sentence: str, silent: Silent = (), order: bool = True
) -> tuple[list[str], list[str], Float[Tensor, "L H T S"]]:
    """Return the tokens that ask, those that are asked, and the weights of every head.

    Of the translator it is the cross-attention: a row for each token of its translation shows
    where it looked while choosing that token.
    """
    real, attention = real_model(model), ATTENTION[model]
    ids = read(real, sentence)
    with changed(real.model, attention.format, silent, order), torch.no_grad():
        queries = _translation(real, ids) if model == "translator" else ids
        with trace(real.model, attention.format("*")) as record:
            if model == "translator":
                start = torch.full((1, 1), real.model.start_id)
                real.model(ids, torch.cat([start, queries[:, :-1]], dim=-1))
            else:
                real.model(ids)
    weights = torch.cat(list(record.attention().values()))  # one sentence: L takes B's place
    return pieces(real, queries[0].tolist()), pieces(real, ids[0].tolist()), weights


@cache
def outcome(model: str, sentence: str, second: str, silent: Silent, order: bool) -> str:
    """Return MiniLM's similarity of two sentences, or what is written: a translation, or next."""
    real = real_model(model)
    with changed(real.model, ATTENTION[model].format, silent, order), torch.no_grad():
        if model == "translator":
            (text,) = real.tokenizer.decode(_translation(real, read(real, sentence)))
            return f"“{text}”"
        if model == "MiniLM":
            first, other = (_meaning(real, text) for text in (sentence, second))
            return f"{float(first @ other):.2f}"
        if model == "GPT":
            best, ids = real.model(read(real, sentence))[0, -1].softmax(-1).topk(3)
            shown = zip(pieces(real, ids.tolist()), best.tolist(), strict=True)
            return ", ".join(f"“{piece}” {share:.2f}" for piece, share in shown)
    return ""


def _meaning(minilm: Pretrained, sentence: str) -> Float[Tensor, " D"]:
    return F.normalize(minilm.model.encode(read(minilm, sentence))[0].mean(dim=0), dim=0)


def banks(layers: int) -> int:
    """Return the number of columns of the wall, so that many layers don't make it too high."""
    return 2 if layers > 20 else 1


def wall(weights: Float[Tensor, "L H T S"]) -> Float[Tensor, "high wide"]:
    """Arrange all heads as one picture: layers below each other, heads side by side, with lines."""
    framed = F.pad(weights, (0, 1, 0, 1), value=LINE).transpose(1, 2)  # (L, T + 1, H, S + 1)
    parts = framed.flatten(2).flatten(0, 1).chunk(banks(len(weights)))
    return torch.cat(parts, dim=-1)


def habits(
    weights: Float[Tensor, "L H T S"], keys: list[str], *, of_itself: bool
) -> dict[str, Float[Tensor, "L H"]]:
    """Return what each head gives to certain places, averaged over the queries that have one."""
    T, S = weights.shape[2:]
    i, j = torch.arange(T)[:, None], torch.arange(S)
    places = {"the first token": (j == 0) & (i > 0), "the last token": (j == S - 1) & (i < T - 1)}
    if of_itself:
        words = [key.lower() for key in keys]
        same = torch.tensor([[one == other for other in words] for one in words])
        places |= {
            "the token before": j == i - 1,
            "the token itself": j == i,
            "the token after": j == i + 1,
            "the same token elsewhere": same & (i != j),
            "what followed the same token before": F.pad(same, (1, -1)) & (j <= i),
        }
    else:
        places |= {"the token at the same place": j == i}
    return {
        name: (weights * there).sum(-1)[..., there.any(-1)].mean(-1)
        for name, there in places.items()
        if there.any()
    }


def _translation(translator: Pretrained, ids: Tensor) -> Tensor:
    """Return the translation by greedy decoding."""
    given = GivenSource(translator.model, ids)
    return generate(given, given.start, max_new_tokens=LONGEST, eos_id=END, pad_id=END)

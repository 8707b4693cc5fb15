"""The stepper: one sentence goes through attention, every number of it by hand and in sight."""

from typing import Any, NamedTuple

import torch
import traitlets
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.tasks.living import (
    BEGINNING,
    D_K,
    D_V,
    ENDINGS,
    FEATURES,
    HEADS,
    SOUGHT,
    Layer,
    noise,
    read,
    sentence,
    vectors,
)
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._learner import Trouble, answer
from transformer_lab.widgets._traits import Edits, Function, Stop


class Table(NamedTuple):
    """A table of a step: the names of its rows, columns and numbers in attention_stepper.js.

    After a name, "i" takes the row of the word that asks; "T" turns rows into columns.
    """

    title: str
    rows: str
    columns: str
    values: str
    role: str = ""
    scale: float = 3
    keys: str = ""  # where the keys are that a mask may hide: "rows" or "columns"


class Step(NamedTuple):
    """A step: tables (of a product, its factors first), what is said of a cell, and which first.

    In {role:name} a name has its role's colour. What is said second is for a key that is hidden,
    and for the last row of a sum. `first` names a row and a column: "asks", "best" (the key with
    the largest weight), "most" (the
    largest number of the row), "sought" (what is most asked for), or a number.
    """

    name: str
    tables: list[Table]
    says: list[str]
    first: list[int | str]
    look: str = ""  # classes of the picture, for its style
    is_second: bool = False  # whether it shows the second layer, whichever is chosen
    rests: int = 1  # for how many beats the film stays here


_X = Table("X: words", "words", "features", "x")
_K_TURNED = Table("× Kᵀ: a column for each key", "sought", "words", "k T", "key")
_V = Table("= V: values", "words", "gives", "v", "value")
_W_Q = Table("× W_Q", "features", "sought", "query", "query", 8)
_QUERY = Table("its query", "asks", "sought", "q i", "query", 8)
_ALL_WEIGHTS = Table("weights", "words", "words", "weights", scale=1, keys="columns")
_SOFTMAX = Table("softmax (scores: own scale)", "words", "softmax", "powers", "bars", 1, "rows")
_MOVED = Table("what is collected is added", "added", "features", "moved")
_LATER = " comes later, so it is hidden: a score of −∞, and a weight of 0."
_MEETS = [
    "{query:row} meets {key:column}: {product}{rest} = {whole}{divided}: score {b:value}.{other}",
    "{key:column}" + _LATER,
]
#: From a word that asks alone to all of them at once, and on to the next layer.
STEPS = [
    Step(
        "words",
        [Table("X: a row for each word", "words", "features", "x")],
        [
            "{query:row} is {b:value} on the axis “{column}”. Each word is a list of numbers, and "
            "each number has a name."
        ],
        ["asks", "most"],
        look="tl-few",
    ),
    Step(
        "query",
        [
            Table("its vector", "asks", "features", "x i"),
            _W_Q,
            Table("= query", "asks", "sought", "q i", "query", 8),
        ],
        ["{query:asks} looks for “{column}”: {product} = {b:value}."],
        [0, "most"],
    ),
    Step(
        "keys",
        [
            _X,
            Table("× W_K", "features", "sought", "key", "key"),
            Table("= K: keys", "words", "sought", "k", "key"),
        ],
        [
            "{key:row} can be found by “{column}”: {product} = {b:value}. Here a key says what a "
            "word is."
        ],
        ["best", "sought"],
        look="tl-tall",
    ),
    Step(
        "scores",
        [
            _QUERY,
            _K_TURNED,
            Table("= scores", "asks", "words", "scores i", scale=4, keys="columns"),
        ],
        _MEETS,
        [0, "best"],
        look="tl-meets",
    ),
    Step(
        "weights",
        [_SOFTMAX],
        [
            "{key:row}: e{sup:0} = {1}; the sum of all is {all}; {1} / {all} = {b:2}, its weight. "
            "All weights add up to 1.",
            "{key:row}" + _LATER,
        ],
        ["best", 2],
        look="tl-few",
        rests=2,
    ),
    Step(
        "values",
        [_X, Table("× W_V", "features", "gives", "value", "value"), _V],
        ["{value:row} gives {b:value} of “{column}” to a word that finds it: {product}."],
        ["best", "most"],
        look="tl-tall",
    ),
    Step(
        "sum",
        [Table("each value times its weight", "terms", "weighted", "shares", "value", 1.5)],
        [
            "{value:row} has a weight of {0}, so it gives {given}.",
            "All shares together: {query:asks} collects {given}.",
        ],
        [99, "most"],
        look="tl-few tl-tall tl-drawn",
    ),
    Step(
        "move",
        [_MOVED],
        ["{query:asks} was {old} and is now {new}: attention moves a word."],
        [99, "most"],
        look="tl-few tl-drawn",
        rests=2,
    ),
    Step(
        "all queries",
        [_X, _W_Q, Table("= Q: queries", "words", "sought", "q", "query", 8)],
        ["{query:row} looks for “{column}”: {product} = {b:value}. One product makes all queries."],
        ["asks", "most"],
        look="tl-tall",
    ),
    Step(
        "all scores",
        [
            Table("Q: queries", "words", "sought", "q", "query", 8),
            _K_TURNED,
            Table("= scores", "words", "words", "scores", scale=4, keys="columns"),
        ],
        _MEETS,
        ["asks", "best"],
        look="tl-tall tl-meets tl-one",
    ),
    Step(
        "all weights",
        [_ALL_WEIGHTS],
        [
            "{query:row} gives {key:column} a weight of {b:value}. Each row adds up to 1.",
            "{key:column}" + _LATER,
        ],
        ["asks", "best"],
        look="tl-meets",
    ),
    Step(
        "all outputs",
        [
            _ALL_WEIGHTS,
            Table("× V: values", "words", "gives", "v", "value"),
            Table("= output", "words", "gives", "output", "value"),
        ],
        ["{query:row} collects {b:value} of “{column}”, which is added to its own vector."],
        ["asks", "most"],
        look="tl-one tl-flat",
    ),
    Step(
        "asks again",
        [_SOFTMAX],
        [
            "{query:asks} asks again, with the numbers that it has now: {key:row} gets {b:2}. "
            "{verdict:verdict}",
            "{key:row}" + _LATER,
        ],
        ["best", 2],
        look="tl-few",
        is_second=True,
        rests=2,
    ),
    Step(
        "moves again",
        [_MOVED],
        ["{query:asks} was {old} and is now {new}. {verdict:verdict}"],
        [99, "most"],
        look="tl-few tl-drawn",
        is_second=True,
        rests=2,
    ),
]
#: Of what there is a table for each head of each layer.
EACH = ["q", "k", "v", "scores", "weights", "output"]
#: The last word goes by another name, since the reader chooses it.
LAST = "last"
NAMES = ["who?", "what about it?", "random", "random"]
SAYS_SOMETHING = ["cat", "sat", "mat", "it", *ENDINGS]


def example() -> dict[str, Any]:
    """Return what the page needs to compute all that is shown, and to say it."""
    filling = {word: numbers.tolist() for word, numbers in noise().items()}
    words = list(filling)
    made = [
        {
            "name": name,
            "gives": list(head.gives),
            **{part: getattr(head, part).tolist() for part in ("query", "key", "value")},
            "writes": head.output.tolist(),
        }
        for name, head in zip(NAMES, HEADS, strict=True)
    ]
    return {
        "beginning": BEGINNING,
        "features": FEATURES,
        "sought": SOUGHT,
        "steps": [step._asdict() | {"tables": [*map(list, step.tables)]} for step in STEPS],
        "each": EACH,
        "needs": "Your attention needs Python: it is shown here only for the first position of "
        "the controls.",
        "other": "is from the other N numbers, which repeat these, softly, with random noise.",
        "softmax": ["score", "eˢ", "weight"],
        "vectors": dict(zip(words, vectors(words).tolist(), strict=True)),
        "noise": {w: [[round(n, 2) for n in row] for row in two] for w, two in filling.items()},
        "heads": made,
    }


class AttentionStepper(Widget):
    """ "The cat sat on the mat because it was tired", one step of attention at a time.

    Controls: `asks` (the word whose query is followed), `step` (1 to 14; the last two are the
    second layer's), `ending` (the last word), `layer` (both have the same heads), `length` (words),
    `heads` (1 asks who, 2 what about it; 3 and 4 are random, as before training), `head` (which of
    them is shown), `d_k` (beyond 4, the numbers repeat the first four, with noise), `scaled`
    (whether scores are divided by sqrt(d_k)), `causal` (whether the future is hidden), `features`
    (numbers of your own, each as `["cat", "alive", 3.0]`).

    `attention=your_function` shows yours: it is called as `your_function(q, k, v)`, and with a mask
    if `causal` is on. Heads stand in front, and v is such that its output is its weights.
    """

    stem = "attention_stepper"
    alt = (
        "A word asks the words of “The cat sat on the mat because it was …”: bars for its scores, "
        "bars for its weights, and arrows for what it collects and how that moves it."
    )
    asks = Stop([*BEGINNING, LAST], "it", label="Who asks?", view=True)
    step = Stop([*range(1, len(STEPS) + 1)], 1, label="Step", view=True)
    ending = Stop(ENDINGS, "tired", label="… because it was", computed=True)
    layer = Stop(["first", "second"], "first", label="Layer", view=True)
    length = Stop([*range(2, 11)], 10, label="Words", computed=True)
    heads = Stop([1, 2, 3, 4], 1, label="Heads", computed=True)
    head = Stop([1, 2, 3, 4], 1, label="Head shown", view=True)
    d_k = Stop([1, 2, 4, 8, 16, 32, 64], D_K, label="Key width d_k", computed=True)
    scaled = Stop([True, False], True, label="divide by √d_k", computed=True)
    causal = Stop([False, True], False, label="hide the future", computed=True)
    features = Edits(
        SAYS_SOMETHING, FEATURES, low=-4.0, high=4.0, step=0.5, label="Your own numbers"
    )
    attention = Function(scaled_dot_product_attention)
    example = traitlets.Dict(example(), read_only=True).tag(sync=True)

    def _layers(
        self,
        ending: str,
        length: int,
        heads: int,
        d_k: int,
        scaled: bool,
        causal: bool,
        features: list[list],
    ) -> tuple[list[str], list[Layer]]:
        words = sentence(ending)[:length]
        x = vectors(words).double()
        for word, feature, number in features:
            for i in [i for i, other in enumerate(words) if other.lower() == word]:
                x[i, FEATURES.index(feature)] = number

        def weights(q: Tensor, k: Tensor, v: Tensor, *mask: Tensor) -> Tensor:
            if self.attention is scaled_dot_product_attention:
                return scaled_dot_product_attention(q, k, v, *mask)[0]
            single = (part.float() for part in (q, k, v))
            found = answer(self.attention, *single, *mask, shape=tuple(v.shape))
            if found.min() < 0 or found.max() > 1 + 1e-5:
                raise Trouble(
                    f"The weights should lie between 0 and 1, but go from {found.min():.2f} to "
                    f"{found.max():.2f}. Is the softmax missing?"
                )
            return found.double()

        return words, read(
            words,
            x,
            layers=2,
            heads=heads,
            d_k=d_k,
            scaled=scaled,
            causal=causal,
            attention=weights,
        )

    def frame_at(self, **at: Any) -> dict[str, Any]:
        """Return all numbers of both layers; for a learner's function also where they hold.

        With that, a page without a kernel knows what it may show.
        """
        _, layers = self._layers(**at)
        own = self.has_own_function()
        shown = {name: [_rounded(getattr(layer, name)) for layer in layers] for name in EACH}
        x = [_rounded(layer.x) for layer in layers] + [_rounded(layers[-1].after)]
        return {"x": x, **shown, "own": list(at.values()) if own else None}

    def _shown(self) -> tuple[list[str], int, int, Layer]:
        """Return the words, which of them asks, which head is shown, and the layer."""
        words, layers = self._layers(**{name: getattr(self, name) for name in self.axes()})
        i = min([*BEGINNING, LAST].index(self.asks), len(words) - 1)
        return words, i, min(self.head, self.heads) - 1, layers[self.layer == "second"]

    def told(self) -> str:
        """Return the still picture in words, with the weights and what is collected."""
        if "trouble" in self.frame:
            return self.alt
        words, i, head, layer = self._shown()
        found = zip(words, layer.weights[head, i].tolist(), strict=True)
        weights = [f"{word} {weight:.2f}" for word, weight in found if weight > 0.02]
        given = zip(layer.output[head, i].tolist(), HEADS[head].gives, strict=True)
        collects = " and ".join(f"{number:.2f} {name}" for number, name in given)
        later = " What comes later is hidden." * self.causal
        return (
            f"{self.alt} {words[i]} gives these weights: {', '.join(weights)}; and collects "
            f"{collects}.{later}"
        )

    def figure(self) -> Any:
        """Draw scores, weights, and how the word moves."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        words, i, head, layer = self._shown()
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        right = figure.add_subplot(1, 3, 3)  # first, since a small picture shows the first
        left, middle = (figure.add_subplot(1, 3, place) for place in (1, 2))
        later = [self.causal and j > i for j in range(len(words))]
        for ax, name, low in ((left, "scores", None), (middle, "weights", 0)):
            found = zip(getattr(layer, name)[head, i].tolist(), later, strict=True)
            numbers = [0 if hidden else number for number, hidden in found]
            bars = ax.barh(range(len(words)), numbers, color=plots.INDIGO)
            texts = [f"{number:.2f}" for number in numbers]
            if name == "scores":
                texts = [
                    "−∞" if hidden else text for text, hidden in zip(texts, later, strict=True)
                ]
            ax.bar_label(bars, texts, padding=3)
            ax.set(title=f"{name} of {words[i]}", yticks=range(len(words)))
            ax.set_yticklabels(words)
            ax.invert_yaxis()
            ax.set_xlim(low, 1.25 * max(*numbers, 0.1))
        gives = HEADS[head].gives
        known = [FEATURES.index(name) for name in gives if name in FEATURES]
        x: Any = layer.x[:, known] if known else torch.zeros(len(words), D_V).double()
        moves = layer.weights[head, i, :, None] * layer.v[head]
        chain: Any = torch.cat([x[i : i + 1], x[i] + moves.cumsum(0)])
        end: Any = chain[-1]
        right.axline((0, 0), slope=1, color="0.85", ls="--", lw=1)
        for j in {1, 5} & set(range(len(words))) - {i} if head == 0 else ():  # cat and mat
            right.annotate("", x[j], (0, 0), arrowprops=_arrow("0.75", 1))
            _name(right, words[j], x[j], (8, 8), "0.4")
        right.annotate("", end, x[i], arrowprops=_arrow(plots.QUERY, 6) | {"alpha": 0.5})
        for n, word in enumerate(words):
            if moves[n].abs().max() > 0.02:
                right.annotate("", chain[n + 1], chain[n], arrowprops=_arrow(plots.VALUE, 1.5))
                between = (chain[n] + chain[n + 1]) / 2
                above = end[0] * between[1] > end[1] * between[0]  # the sum, whose arrow is free
                off = (-10, 8) if above else (20, -8)
                _name(right, word, between, off, plots.VALUE)
        right.plot(*x[i], "o", color=plots.QUERY)
        _name(right, f"new {words[i]}", end, (32, 0), plots.QUERY, weight="bold")
        seen = torch.cat([chain, x[[j for j in (1, 5) if j < len(words)]] if head == 0 else chain])
        reach = 1.4 * max(1.0, seen.max().item())
        least = min(-0.1 * reach, 1.2 * seen.min().item())
        right.set(xlim=(least, reach), ylim=(least, reach), xlabel=gives[0], ylabel=gives[1])
        right.set_title(f"{words[i]} moves")
        return figure


def _name(ax: Any, text: str, at: Any, off: tuple[int, int], colour: str, **more: Any) -> None:
    where = {"xytext": off, "textcoords": "offset points", "ha": "center", "va": "center"}
    ax.annotate(text, at.tolist(), color=colour, **where, **more)


def _arrow(colour: str, width: float) -> dict[str, Any]:
    return {"arrowstyle": "-|>", "lw": width, "color": colour, "shrinkA": 0, "shrinkB": 0}


def _rounded(numbers: Tensor) -> list:
    return numbers.mul(1e6).round().div(1e6).tolist()

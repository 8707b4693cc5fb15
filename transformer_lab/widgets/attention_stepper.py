"""The stepper: one sentence goes through attention, every number of it by hand and in sight."""

from typing import Any

import traitlets
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.tasks.living import (
    BEGINNING,
    D_K,
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

STEPS = [
    "words", "query", "keys", "scores", "weights", "values", "sum", "move",
    "all queries", "all scores", "all weights", "all outputs",
]  # fmt: skip
#: The last word goes by another name, since the reader chooses it.
LAST = "last"
NAMES = ["who?", "what about it?", "random", "random"]
SAYS_SOMETHING = ["cat", "sat", "mat", "it", *ENDINGS]


def example() -> dict[str, Any]:
    """Return what the page needs to compute all that is shown."""
    filling = {word: numbers.tolist() for word, numbers in noise().items()}
    words = list(filling)
    made = [
        {
            "name": name,
            "gives": list(head.gives),
            **{part: getattr(head, part).tolist() for part in ("query", "key", "value", "output")},
        }
        for name, head in zip(NAMES, HEADS, strict=True)
    ]
    return {
        "beginning": BEGINNING,
        "features": FEATURES,
        "sought": SOUGHT,
        "steps": STEPS,
        "vectors": dict(zip(words, vectors(words).tolist(), strict=True)),
        "noise": {w: [[round(n, 1) for n in row] for row in two] for w, two in filling.items()},
        "heads": made,
    }


class AttentionStepper(Widget):
    """ "The cat sat on the mat because it was tired", one step of attention at a time.

    Controls: `asks` (the word whose query is followed), `step` (1 to 12), `ending` (the last word),
    `layer` (both have the same heads), `length` (words), `heads` (1 asks who, 2 what about it; 3
    and 4 are random, as before training), `d_k` (beyond 4 filled up with noise), `scaled` (whether
    scores are divided by sqrt(d_k)), `causal` (whether the future is hidden), `features` (numbers
    of your own, each as `["cat", "alive", 3.0]`).

    `attention=your_function` shows yours: it is called as `your_function(q, k, v)`, and with a mask
    if `causal` is on. Heads stand in front, and v is such that its output is its weights.
    """

    stem = "attention_stepper"
    alt = (
        "The word it asks the ten words of The cat sat on the mat because it was tired. Its scores "
        "are 3 for cat, mat and tired, and 0 for all others. Their softmax gives 0.30 to each of "
        "the three. The values add up to 0.90 alive and 0.60 thing, and there it moves."
    )
    asks = Stop([*BEGINNING, LAST], "it", label="Who asks?", view=True)
    step = Stop([*range(1, len(STEPS) + 1)], 1, label="Step", view=True)
    ending = Stop(ENDINGS, "tired", label="… because it was", computed=True)
    layer = Stop(["first", "second"], "first", label="Layer", view=True)
    length = Stop([*range(2, 11)], 10, label="Words", computed=True)
    heads = Stop([1, 2, 3, 4], 1, label="Heads", computed=True)
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
        shown = {
            name: [_rounded(getattr(layer, name)) for layer in layers]
            for name in ("q", "k", "v", "scores", "weights", "output")
        }
        x = [_rounded(layer.x) for layer in layers] + [_rounded(layers[-1].after)]
        return {"x": x, **shown, "own": list(at.values()) if own else None}

    def figure(self) -> Any:
        """Draw scores, weights, and how the word moves."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        words, layers = self._layers(**{name: getattr(self, name) for name in self.axes()})
        layer = layers[self.layer == "second"]
        i = min([*BEGINNING, LAST].index(self.asks), len(words) - 1)
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, middle, right = figure.subplots(1, 3)
        for ax, name, low in ((left, "scores", None), (middle, "weights", 0)):
            numbers = getattr(layer, name)[0, i].tolist()
            bars = ax.barh(range(len(words)), numbers, color=plots.INDIGO)
            ax.bar_label(bars, [f"{number:.2f}" for number in numbers], padding=3)
            ax.set(title=f"{name} of {words[i]}", yticks=range(len(words)))
            ax.set_yticklabels(words)
            ax.invert_yaxis()
            ax.set_xlim(low, 1.25 * max(*numbers, 0.1))
        at = layer.x[i, :2]
        for weight, value in zip(layer.weights[0, i], layer.v[0], strict=True):
            step = (weight * value).tolist()
            if max(map(abs, step)) > 0.02:
                right.annotate("", at + weight * value, at, arrowprops=_arrow(plots.VALUE, 1.5))
            at = at + weight * value
        right.annotate("", at, layer.x[i, :2], arrowprops=_arrow(plots.QUERY, 3))
        right.plot(*layer.x[i, :2], "o", color=plots.QUERY)
        right.text(*at, f"  new {words[i]}", color=plots.QUERY)
        reach = 1.4 * max(1.0, at.abs().max().item())
        right.set(xlim=(-0.1, reach), ylim=(-0.1, reach), xlabel="alive", ylabel="thing")
        right.set_title(f"{words[i]} moves")
        return figure


def _arrow(colour: str, width: float) -> dict[str, Any]:
    return {"arrowstyle": "-|>", "lw": width, "color": colour, "shrinkA": 0, "shrinkB": 0}


def _rounded(numbers: Tensor) -> list:
    return numbers.mul(1e6).round().div(1e6).tolist()

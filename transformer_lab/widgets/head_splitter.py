"""The head splitter: where each number goes on its way through the heads, and whom it hears."""

import math
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.multi_head import MultiHeadAttention, split_heads
from transformer_lab.parameters import count_parameters
from transformer_lab.widgets._base import Widget
from transformer_lab.widgets._learner import Trouble, answer, name_of
from transformer_lab.widgets._traits import Function, Stop

WORDS = ["The", "cat", "eats", "fish"]
D_MODEL = 8
T = len(WORDS)
NUMBERS = torch.arange(T * D_MODEL).view(T, D_MODEL)
#: Steps at which the numbers lie head by head.
APART = ("split", "attend")


def layer(heads: int) -> MultiHeadAttention:
    """Make an untrained layer; its matrices are the same for every number of heads."""
    made = MultiHeadAttention(d_model=D_MODEL, heads=heads, bias=False).requires_grad_(False)
    generator = torch.Generator().manual_seed(0)
    for matrix in made.parameters():
        nn.init.normal_(matrix, std=1 / math.sqrt(D_MODEL), generator=generator)
    return made


def words() -> Float[Tensor, "T D"]:
    """Return a vector for each word."""
    return torch.randn(T, D_MODEL, generator=torch.Generator().manual_seed(1))


def reshape_split(x: Float[Tensor, "T HK"], heads: int) -> Float[Tensor, "{heads} T K"]:
    """Return the right shape in the wrong way: nothing moves, so heads get words."""
    return x.reshape(heads, len(x), -1)


def places_of(split: Callable, heads: int) -> Int[Tensor, "{heads} T K"]:
    """Return which number stands where in the heads. Raises Trouble if one is lost."""
    shape = (heads, T, D_MODEL // heads)
    places = answer(split, NUMBERS.float(), heads, shape=shape).round().long()
    lost = sorted(set(NUMBERS.flatten().tolist()) - set(places.flatten().tolist()))
    if lost:
        row, column = divmod(lost[0], D_MODEL)
        raise Trouble(
            f"{name_of(split)} should only move the {NUMBERS.numel()} numbers, but {len(lost)} are "
            f"lost: first of them, number {column} of {WORDS[row]!r}."
        )
    return places


def heard(
    multi: MultiHeadAttention, places: Int[Tensor, "H T K"]
) -> tuple[Float[Tensor, "T D W"], Float[Tensor, "T D W"]]:
    """Return which share of each number comes from each word: after attention, and after W_O.

    `places` says which number stands where in the heads; merging takes it back. After W_O the
    numbers of a row count by the size of their weights.
    """
    q, k = (part(words()).flatten()[places] for part in (multi.query, multi.key))
    owner = torch.eye(T)[places // D_MODEL]  # (H, T, K, W)
    mixed, _ = scaled_dot_product_attention(q, k, owner.flatten(-2))
    merged = torch.empty(NUMBERS.numel(), T)
    merged[places.flatten()] = mixed.reshape(merged.shape)
    merged = merged.view(*NUMBERS.shape, -1)
    sizes = multi.output.weight.abs()
    return merged, sizes / sizes.sum(-1, keepdim=True) @ merged


class HeadSplitter(Widget):
    """The numbers of "The cat eats fish" on their way through split, attention, merge and W_O.

    Two ways to split are shown, the right one and the reshape that has the same shape. Controls:
    `heads` (the width is 8, so 1 to 8), `step`, `word` (whose numbers are followed).
    `split=your_function` shows yours in place of the right one: it is called as
    `your_function(x, heads)` with x of shape (4, 8), and gives (heads, 4, 8 / heads).
    """

    stem = "head_splitter"
    alt = (
        "A table of four words with eight numbers each, split into heads in two ways. Split "
        "rightly, each head has some numbers of every word. Reshaped, the same shape comes out, "
        "but each head has all numbers of some of the words, and none of the others."
    )
    heads = Stop([1, 2, 4, 8], 2, label="Heads")
    step = Stop(["project", *APART, "merge", "W_O"], "split", label="Step", view=True)
    word = Stop(WORDS, "cat", label="Follow", view=True)
    split = Function(split_heads)

    def frame_at(self, heads: int) -> dict[str, Any]:
        """Return what holds for both ways, in words, and for each its places and what is heard."""
        multi, K = layer(heads), D_MODEL // heads
        whose = "your" if self.has_own_function() else "correct"
        codes = {
            f"{whose} split: {name_of(self.split)}(x, {heads})": self.split,
            f"wrong reshape: x.reshape({heads}, {T}, {K})": reshape_split,
        }
        ways = []
        for code, split in codes.items():
            places = places_of(split, heads)
            shares = [share.flatten(0, 1).tolist() for share in heard(multi, places)]
            rounded = [[[round(share, 3) for share in number] for number in x] for x in shares]
            ways.append({"code": code, "places": places.flatten().tolist(), "heard": rounded})
        packed, apart = f"(T, H·K) = ({T}, {D_MODEL})", f"(H, T, K) = ({heads}, {T}, {K})"
        return {
            "ways": ways,
            "facts": f"Key width: {D_MODEL} / {heads} = {K}. "
            f"Attention weights: {heads} · {T} · {T} = {heads * T * T}. "
            f"Parameters: 4 · {D_MODEL} · {D_MODEL} = {count_parameters(multi)}.",
            "steps": [
                [packed, "One product makes the numbers of all heads. A row is a word."],
                [apart, f"Each head gets {T} rows, {K} wide. Dark: the word you follow."],
                [
                    apart,
                    "Each head mixes its rows. The small number: the share of the word you follow.",
                ],
                [packed, "Every number goes back to where it came from."],
                [
                    f"(T, D) = ({T}, {D_MODEL})",
                    "One more matrix mixes each row across heads. Shares by size of its weights.",
                ],
            ],
        }

    def figure(self) -> Any:
        """Draw both ways side by side, as the page does."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        figure = Figure(figsize=(10.5, 3.2), layout="constrained")
        apart, width = self.step in APART, D_MODEL // self.heads
        for way, ax in zip(self.frame["ways"], figure.subplots(1, 2), strict=True):
            owners: list[set[str]] = [set() for _ in WORDS]
            for place, number in enumerate(way["places"]):
                head, rest = divmod(place, T * width)
                row, column = divmod(rest, width)
                if not apart:
                    (row, column), head = divmod(number, D_MODEL), 0
                share, text = self._seen(way, number)
                owners[row].add(WORDS[number // D_MODEL])
                x = head * (width + 0.3) + column
                ax.fill_between(
                    [x, x + 0.94], row, row + 0.9, color=plots.WEIGHTS(share), ec="grey"
                )
                ink = "white" if share > plots.DARK else plots.INK
                ax.text(x + 0.47, row + 0.45, text, ha="center", va="center", color=ink)
            ax.set(xlim=(0, D_MODEL + 2.1), ylim=(T, -0.1), xticks=[], title=way["code"])
            labels = [""] * T
            for row, held in enumerate(owners):
                names = sorted(held, key=WORDS.index)  # of several words, their first letters
                labels[row] = names[0] if len(names) == 1 else "+".join(n[0] for n in names)
            ax.set_yticks([row + 0.45 for row in range(T)], labels)
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
        return figure

    def _seen(self, way: dict, number: int) -> tuple[float, str]:
        """Return how much of a number is the followed word's, and what is written on it."""
        row, column = divmod(number, D_MODEL)
        name = f"{WORDS[row][0]}{column}"
        if self.step in ("project", "split"):
            return float(WORDS[row] == self.word), name
        share = way["heard"][self.step == "W_O"][number][WORDS.index(self.word)]
        return share, f"{name}\n{share:.2f}".replace("\n0", "\n")

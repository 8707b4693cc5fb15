"""Attention: several causal heads, as a module."""

import math

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .given import rotate
from .parts import READY_MADE, SHAPES, attention_inputs, one_step


class Attention(nn.Module):
    """Several causal heads."""

    def __init__(
        self, width: int, heads: int, kv_heads: int | None = None, base: float = 10_000
    ) -> None:
        super().__init__()
        self.heads, self.base, self.head_width = heads, base, width // heads
        kept = self.head_width * (kv_heads or heads)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, kept, bias=False)
        self.value = nn.Linear(width, kept, bias=False)
        self.output = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.projected(x)
        scores = self.scores(self.turned(self.split(query)), self.turned_key(self.split(key)))
        return self.mixed(self.merged(self.weights(scores) @ self.split(value)))

    def projected(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.query(x), self.key(x), self.value(x)

    def split(self, x: Tensor) -> Tensor:
        return self.shared(x.unflatten(-1, (-1, self.head_width)).transpose(1, 2))

    def shared(self, x: Tensor) -> Tensor:
        return x.repeat_interleave(self.heads // x.size(1), dim=1)

    def turned(self, x: Tensor) -> Tensor:
        return rotate(x, self.base)

    def turned_key(self, x: Tensor) -> Tensor:
        return self.turned(x)

    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / math.sqrt(q.size(-1))

    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).tril().bool()
        return scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)

    def merged(self, heads: Tensor) -> Tensor:
        return heads.transpose(1, 2).flatten(-2)

    def mixed(self, x: Tensor) -> Tensor:
        return self.output(x)


EXERCISE = Exercise(
    __name__,
    Attention,
    results={
        SHAPES: "",
        "output": "texts, tokens, features",
        "output after a step": "texts, tokens, features",
    },
    section="book/whole_model#A GPT on one page",
    forbidden=READY_MADE,
    driver=one_step,
    seconds=10.0,
)


@EXERCISE.requires(
    "With its four matrices it gives what causal attention gives, and it learns from a step.",
    points=4,
)
def values(draw: Draw) -> list[Inputs]:
    """Return one head, several, and as many as the text has tokens."""
    return [
        attention_inputs(draw, 1, 3, 2, heads=1),
        attention_inputs(draw, 2, 4, 4, heads=2),
        attention_inputs(draw, 2, 3, 12, heads=3),
        attention_inputs(draw, 3, 5, 8, heads=2),
    ]


@EXERCISE.requires("It takes texts of any length, also of one token.", points=1)
def lengths(draw: Draw) -> list[Inputs]:
    """Return one token, and more tokens than features."""
    return [
        attention_inputs(draw, 2, 1, 4, heads=2),
        attention_inputs(draw, 1, 9, 4, heads=2),
        attention_inputs(draw, 2, 20, 6, heads=1),
        attention_inputs(draw, 1, 70, 4, heads=2),
    ]


@EXERCISE.mistake(
    "there is no causal mask",
    why="Each token sees those that follow. In training it then reads what it should predict.",
)
class NoMask(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        return scores.softmax(dim=-1)


@EXERCISE.mistake(
    "the mask is inverted",
    why="A token may attend to itself and to those before it: rows are queries and columns keys, "
    "so the lower triangle stays.",
)
class Future(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).triu().bool()
        return scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)


@EXERCISE.mistake(
    "no token sees itself",
    why="The diagonal belongs to what may be seen. Without it the first token sees nothing, and "
    "its row is nan.",
)
class NotItself(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).tril(-1).bool()
        return scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)


@NotItself.also
class NotItselfButFinite(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).tril(-1).bool()
        return scores.masked_fill(~may_attend, -1e9).softmax(dim=-1)


@EXERCISE.mistake(
    "each token sees the next one, too",
    why="The lower triangle with its diagonal is what may be seen: `.tril()`, not `.tril(1)`.",
)
class OneAhead(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).tril(1).bool()
        return scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)


@EXERCISE.mistake(
    "the mask comes after softmax",
    why="What is set to 0 after the softmax has already taken its share: the weights of a row no "
    "longer sum to one. Set hidden scores to -inf before it.",
)
class MaskAfter(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        return scores.softmax(dim=-1).tril()


@EXERCISE.mistake(
    "masked scores are set to 0",
    why="A score of 0 is a score like any other: e⁰ is 1. Hidden scores are -inf.",
)
class MaskedWithZero(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        return scores.tril().softmax(dim=-1)


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares its attention among the keys: its row sums to one, so softmax runs "
    "over the last axis.",
)
class OverQueries(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        may_attend = torch.ones_like(scores).tril().bool()
        return scores.masked_fill(~may_attend, -math.inf).softmax(dim=-2)


@EXERCISE.mistake(
    "the scores are divided by the root of the whole width",
    why="Each head's vectors have width / heads numbers: divide by the root of that.",
)
class ByTheWidth(Attention):
    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / math.sqrt(q.size(-1) * self.heads)


@EXERCISE.mistake(
    "the scores are not scaled",
    why="Divide by the root of a head's width. Otherwise softmax soon puts all its weight on one "
    "token.",
)
class NotScaled(Attention):
    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT


@EXERCISE.mistake(
    "it divides by d_k, not by its square root",
    why="The variance of a score grows with d_k, and its size with the root of that.",
)
class NoRoot(Attention):
    def scores(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / q.size(-1)


@EXERCISE.mistake(
    "the heads are reshaped, not transposed",
    why="The features of a token lie side by side, head after head. Cut them into (heads, width / "
    "heads) first; then transpose tokens and heads.",
)
class Reshaped(Attention):
    def split(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), self.heads, x.size(1), -1)


@EXERCISE.mistake(
    "the heads are merged by a reshape alone",
    why="Transpose tokens and heads back first, then flatten.",
)
class MergedByReshape(Attention):
    def merged(self, heads: Tensor) -> Tensor:
        return heads.reshape(heads.size(0), heads.size(2), -1)


@EXERCISE.mistake(
    "nothing is rotated by its position",
    why="Attention itself knows no order: `rotate` the queries and the keys of each head. It takes "
    "the positions from the last axis but one, so split into heads and transpose first.",
)
class NotTurned(Attention):
    def turned(self, x: Tensor) -> Tensor:
        return x


@EXERCISE.mistake(
    "only queries or only keys are rotated",
    why="The difference of the two angles tells the distance, so `rotate` both.",
)
class OneTurned(Attention):
    def turned_key(self, x: Tensor) -> Tensor:
        return x


@EXERCISE.mistake(
    "the values are rotated, too",
    why="The angles say how far two tokens are from each other, which only the scores need: "
    "rotate queries and keys. Values say what is found.",
)
class ValuesTurned(Attention):
    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.projected(x)
        scores = self.scores(self.turned(self.split(query)), self.turned(self.split(key)))
        return self.mixed(self.merged(self.weights(scores) @ self.turned(self.split(value))))


@EXERCISE.mistake(
    "no gradient gets through",
    why="The output is right, but the weights before it can learn nothing: .detach(), .item(), "
    ".numpy(), torch.no_grad() and torch.tensor(...) cut the gradient off.",
)
class Cut(Attention):
    def merged(self, heads: Tensor) -> Tensor:
        return super().merged(heads).detach()


@Cut.also
class WeightsCut(Attention):
    def weights(self, scores: Tensor) -> Tensor:
        return super().weights(scores).detach()


@EXERCISE.mistake(
    "it is rotated before it is split into heads",
    why="Each head has fast and slow pairs of its own: cut into heads first, then `rotate`.",
)
class TurnedBeforeTheCut(Attention):
    def projected(self, x: Tensor) -> tuple[Tensor, ...]:
        return rotate(self.query(x)), rotate(self.key(x)), self.value(x)

    def turned(self, x: Tensor) -> Tensor:
        return x


@EXERCISE.mistake(
    "the layer that mixes the heads is not used",
    why="After the heads are put side by side, the fourth layer mixes them.",
)
class NotMixed(Attention):
    def mixed(self, x: Tensor) -> Tensor:
        return x + 0 * self.output(x)


@EXERCISE.mistake(
    "the layers are made in another order",
    why="The order is query, key, value, output. The checker does not know your names, so it sets "
    "the weights in this order.",
)
class KeyFirst(Attention):
    def projected(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.key(x), self.query(x), self.value(x)


@KeyFirst.also
class ValueSecond(Attention):
    def projected(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.query(x), self.value(x), self.key(x)


@KeyFirst.also
class OutputFirst(Attention):
    def projected(self, x: Tensor) -> tuple[Tensor, ...]:
        return self.key(x), self.value(x), self.output(x)

    def mixed(self, x: Tensor) -> Tensor:
        return self.query(x)


@EXERCISE.mistake(
    "its layers have biases",
    why="`nn.Linear` has a bias unless you say `bias=False`, and then there are eight parameters.",
)
class WithBiases(Attention):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(width)) for _ in range(4))

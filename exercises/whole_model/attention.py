"""Attention: several causal heads, as a module."""

import math

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .given import rotate
from .parts import READY_MADE, SHAPES, attention_inputs, fitting, one_step


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
        query, key, value = self.query(x), self.key(x), self.value(x)
        q, k, v = self.split(query), self.split(key), self.split(value)
        q, k = rotate(q, self.base), rotate(k, self.base)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        may_attend = torch.ones_like(scores).tril().bool()
        weights = scores.masked_fill(~may_attend, -math.inf).softmax(dim=-1)
        heads = weights @ v
        return self.output(heads.transpose(1, 2).flatten(-2))

    def split(self, x: Tensor) -> Tensor:
        x = x.unflatten(-1, (-1, self.head_width)).transpose(1, 2)
        return x.repeat_interleave(self.heads // x.size(1), dim=1)


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
    effect=fitting,
    seconds=10.0,
)


@EXERCISE.requires("It gives what causal attention gives, before and after a step.", points=4)
def values(draw: Draw) -> list[Inputs]:
    """Return one head, several, as many as the text has tokens, and scores that are all 0."""
    x, *others = attention_inputs(draw, 1, 3, 4, heads=2).args
    return [
        Inputs((0 * x, *others)),
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
        attention_inputs(draw, 1, 70, 16, heads=1),
    ]


#: Pieces of its code that several mistakes change.
MASKED = ".masked_fill(~may_attend, -math.inf)"
TURNED = "q, k = rotate(q, self.base), rotate(k, self.base)"
PROJECTED = "query, key, value = self.query(x), self.key(x), self.value(x)"

EXERCISE.edit(
    "there is no causal mask",
    {MASKED: ""},
    why="Each token sees those that follow. In training it then reads what it should predict.",
)
EXERCISE.edit(
    "the mask is inverted",
    {".tril()": ".triu()"},
    {"~may_attend": "may_attend"},
    why="A token may attend to itself and to those before it.\nRows are queries and columns keys, "
    "so the lower triangle stays, and what is not in it is filled with -inf.",
)
EXERCISE.edit(
    "no token sees itself",
    {".tril()": ".tril(-1)"},
    {".tril()": ".tril(-1)", "-math.inf": "-1e9"},
    why="The diagonal belongs to what may be seen. Without it the first token sees nothing, and "
    "its row is nan.",
)
EXERCISE.edit(
    "each token sees the next one, too",
    {".tril()": ".tril(1)"},
    why="The lower triangle with its diagonal is what may be seen.\n`.tril()`, not `.tril(1)`.",
)
EXERCISE.edit(
    "the mask comes after softmax",
    {MASKED: "", "softmax(dim=-1)": "softmax(dim=-1).tril()"},
    why="What is set to 0 after the softmax has already taken its share: the weights of a row no "
    "longer sum to one.\nSet hidden scores to -inf before it.",
)
EXERCISE.edit(
    "masked scores are set to 0",
    {"-math.inf": "0.0"},
    why="A score of 0 is a score like any other: e⁰ is 1.\nHidden scores are -inf.",
)
EXERCISE.edit(
    "softmax runs over the queries, not the keys",
    {"softmax(dim=-1)": "softmax(dim=-2)"},
    why="Each query shares its attention among the keys.\nIts row sums to one, so softmax runs "
    "over the last axis.",
)
EXERCISE.edit(
    "the scores are divided by the root of the whole width",
    {"q.size(-1)": "x.size(-1)"},
    why="Each head's vectors have width / heads numbers.\nDivide by the root of that.",
)
EXERCISE.edit(
    "the scores are not scaled",
    {" / math.sqrt(q.size(-1))": ""},
    why="\nDivide by the root of a head's width. Otherwise softmax soon puts all its weight on one "
    "token.",
)
EXERCISE.edit(
    "it divides by d_k, not by its square root",
    {"math.sqrt(q.size(-1))": "q.size(-1)"},
    why="The variance of a score grows with d_k, and its size with the root of that.",
)
EXERCISE.edit(
    "the heads are reshaped, not transposed",
    {
        "x.unflatten(-1, (-1, self.head_width)).transpose(1, 2)": "x.reshape(x.size(0), self.heads,"
        " x.size(1), -1)"
    },
    why="The features of a token lie side by side, head after head.\nCut them into (heads, width / "
    "heads) first; then transpose tokens and heads.",
)
EXERCISE.edit(
    "the heads are merged by a reshape alone",
    {"heads.transpose(1, 2).flatten(-2)": "heads.reshape(x.shape)"},
    why="\nTranspose tokens and heads back first, then flatten.",
)
EXERCISE.edit(
    "nothing is rotated by its position",
    {TURNED: "pass"},
    why="Attention itself knows no order, and `rotate` counts along the last axis but one: that "
    "must be the tokens', not the heads'.\nSplit into heads, transpose, then `rotate` both.",
)
EXERCISE.edit(
    "only queries or only keys are rotated",
    {TURNED: "q = rotate(q, self.base)"},
    {TURNED: "k = rotate(k, self.base)"},
    why="The difference of the two angles tells the distance, so `rotate` both.",
)
EXERCISE.edit(
    "the values are rotated, too",
    {TURNED: f"{TURNED}\n        v = rotate(v, self.base)"},
    why="The angles say how far two tokens are from each other, which only the scores need.\n"
    "Rotate queries and keys. Values say what is found.",
)
EXERCISE.edit(
    "no gradient gets through",
    {"heads = weights @ v": "heads = (weights @ v).detach()"},
    {"softmax(dim=-1)": "softmax(dim=-1).detach()"},
    why="The output is right, but the weights before it can learn nothing: .detach(), .item(), "
    ".numpy(), torch.no_grad() and torch.tensor(...)\nCut the gradient off.",
)
EXERCISE.edit(
    "it is rotated before it is split into heads",
    {
        PROJECTED: f"{PROJECTED}\n        query, key = rotate(query), rotate(key)",
        TURNED: "pass",
    },
    why="Each head has fast and slow pairs of its own.\nCut into heads first, then `rotate`.",
)
EXERCISE.edit(
    "the layer that mixes the heads is not used",
    {"return self.output(": "return ("},
    why="After the heads are put side by side, the fourth layer mixes them.",
)
EXERCISE.edit(
    "the layers are made in another order",
    {PROJECTED: "query, key, value = self.key(x), self.query(x), self.value(x)"},
    {PROJECTED: "query, key, value = self.query(x), self.value(x), self.key(x)"},
    {
        PROJECTED: "query, key, value = self.key(x), self.value(x), self.output(x)",
        "self.output(heads": "self.query(heads",
    },
    why="The order is query, key, value, output. The checker does not know your names, so it sets "
    "the weights in this order.",
)

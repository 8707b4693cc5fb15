"""alibi_bias: minus slope times distance in each head, with the future hidden."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def alibi_bias(heads: int, T: int, S: int) -> Tensor:
    """Return minus slope times distance for each head, with the future hidden."""
    back = behind(T, S)
    return faded(slopes(heads), back).masked_fill(hidden(back), -torch.inf)


def slopes(heads: int) -> Tensor:
    """Return each head's slope."""
    return 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)


def behind(T: int, S: int) -> Tensor:
    """Return how far each key lies behind each query, if the queries are the last T of S."""
    return torch.arange(S - T, S)[:, None] - torch.arange(S)


def faded(slopes: Tensor, back: Tensor) -> Tensor:
    """Return minus slope times distance."""
    return -slopes[:, None, None] * back


def hidden(back: Tensor) -> Tensor:
    """Return which keys come after the query."""
    return back < 0


EXERCISE = Exercise(
    __name__, alibi_bias, results={"bias": "queries, keys"}, section="ALiBi: let attention fade"
)


@EXERCISE.requires(
    "Each key costs slope times distance, and a later key gets minus infinity.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    """Return as many queries as keys, and heads whose slopes aren't powers of two."""
    n, heads = draw.ids(1, low=5, high=60).item(), 2 ** draw.ids(1, low=1, high=5).item()
    cases = ((2, 3, 3), (4, 4, 4), (8, 5, 5), (1, 1, 1), (16, 2, 2), (32, 2, 2), (heads, n, n))
    return [Inputs(case) for case in cases]


@EXERCISE.requires(
    "If there are fewer queries than keys, the queries are the last tokens.", points=1
)
def general(draw: Draw) -> list[Inputs]:
    """Return few queries at the end of many keys, once beyond a fixed-size buffer."""
    few, more = draw.ids(1, low=1, high=20).item(), draw.ids(1, low=1_100, high=1_300).item()
    return [Inputs(case) for case in ((2, 1, 3), (4, 2, 5), (1, few, more), (1, 2, 4))]


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many heads as tokens, or many."""
    return [Inputs(case) for case in ((2, 2, 2), (4, 4, 4), (8, 8, 8), (16, 3, 3))]


EXERCISE.edit(
    "the bias grows with the distance",
    {"-slopes": "slopes"},
    why="Distant keys should count less, so the bias is negative: minus slope times distance. "
    "With a plus the farthest key wins.",
)
EXERCISE.edit(
    "the slopes begin at 1",
    {"1, heads + 1": "heads"},
    why="Heads are counted from 1 here.\nThe first slope is 2 to the power of -8/H, not of 0. "
    "Eight heads have 1/2, 1/4, … 1/256.",
)
EXERCISE.edit(
    "the slopes are 1/2, 1/4, 1/8, … for any number of heads",
    {"8 * torch.arange(1, heads + 1) / heads": "torch.arange(1, heads + 1)"},
    why="That is right for eight heads.\nWith H heads each slope is 2 to the power of -8/H times "
    "the one before, so that the last one is always 1/256.",
)
EXERCISE.edit(
    "the queries are counted from 0, whatever came before",
    {"S - T, S": "T"},
    {"back < 0": "torch.ones_like(back).triu(1) == 1"},
    why="The queries are the last of all tokens. Counted from 0, the first new word is treated as "
    "word 0.\nWith T queries and S keys, query i is at position S - T + i.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the future is not hidden",
    {"back < 0": "back.sqrt() < 0"},
    "faded(slopes(heads), behind(T, S).abs())",
    "faded(slopes(heads), behind(T, S).clamp(min=0))",
    why="The attention is causal: a key after the query gets minus infinity. Without it the "
    "formula even rewards the future, because its distance is negative.",
)
EXERCISE.edit(
    "the past is hidden, not the future",
    {"< 0": "> 0"},
    why="Minus infinity belongs where the key comes after the query, u > t. Yours is where the "
    "key comes before it.",
)
EXERCISE.edit(
    "a token is hidden from itself",
    {"0": "1"},
    why="The key at the query's own position has distance 0 and a bias of 0.\nHide only later "
    "keys. Otherwise the first token has nothing to read.",
    of=hidden,
)
EXERCISE.edit(
    "0 times minus infinity is nan",
    {"(slopes(heads), back)": "(slopes(heads), hidden(back) * -torch.inf)"},
    why="(back < 0) * -inf looks right but gives nan wherever nothing is hidden, because 0 times "
    "infinity is nan.\nSelect instead of multiplying: masked_fill or torch.where.",
    section="book/masking#A row that sees nothing",
)
EXERCISE.edit(
    "the slopes come in reverse order",
    "slopes(heads).flip(0)",
    why="The first head fades fastest.\nIts slope is the largest, 2 to the power of -8/H.",
    of=slopes,
)
EXERCISE.edit(
    "a later key gets a large number, not minus infinity",
    {"-torch.inf": "torch.finfo(torch.float32).min"},
    {"torch.inf": "1e9"},
    why="The task asks for -inf.\nA hidden key gets weight 0, however low the other scores are.",
)
EXERCISE.edit(
    "queries and keys are swapped",
    {"(T, S)": "(T, S).transpose(-2, -1)"},
    why="Rows are queries and columns are keys: (H, T, S).",
)
EXERCISE.edit(
    "the distance is squared",
    {"* back": "* back**2"},
    why="The cost grows linearly, slope times distance: each step costs the same.",
)
EXERCISE.edit(
    "the key's position counts, not its distance",
    {"-slopes": "slopes", "* back": "* torch.arange(back.size(-1)).expand(back.shape)"},
    why="The same number is added to a whole row, which softmax does not notice. But the task asks "
    "for the bias itself.\n0 at the query's own position, and lower the farther back the key is.",
)
EXERCISE.edit(
    "the exponent is rounded to an integer",
    {"/ heads": "// heads"},
    why="// rounds down to an integer. With 16 heads the first slope is 2 to the power of -1/2, "
    "and every second exponent is not an integer.\nDivide with /.",
)
EXERCISE.edit(
    "each slope is half the one before, for any number of heads",
    "slopes(heads)[0] * 2.0 ** -torch.arange(heads)",
    why="That is right for eight heads.\nWith H heads each slope is 2 to the power of -8/H times "
    "the one before, so that the last one is always 1/256.",
    of=slopes,
)

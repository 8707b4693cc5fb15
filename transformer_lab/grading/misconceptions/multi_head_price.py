# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to count a layer's parameters and to say its shapes."""

from transformer_lab.grading.misconceptions import mistake

PRICE = "book/multi_head#The price"
GROUPED = "book/multi_head#Sharing keys and values"
SHAPE = "book/multi_head#Every shape"
SIDE = "book/multi_head#Several heads, side by side"


def kv_width(d_model: int, heads: int, kv_heads: int) -> int:
    """Give the width of all keys of a word."""
    return d_model // heads * kv_heads


@mistake(
    "W_O is left out",
    why="It counts the three matrices that go in. The fourth, W_O, mixes the answers on the way "
    "out: d_model times d_model numbers, and d_model biases.",
    section=PRICE,
)
def count_no_output(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return (d_model + bias) * (d_model + 2 * kv_width(d_model, heads, kv_heads))


@mistake(
    "the biases are left out",
    why="The paper's formulas have none, but when `bias` is True, each matrix has one bias for "
    "each number that it gives out.",
    section=PRICE,
)
def count_no_bias(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return 2 * d_model * (d_model + kv_width(d_model, heads, kv_heads))


@mistake(
    "the biases are always counted",
    why="With bias=False there are none, and the count is that of the matrices alone.",
    section=PRICE,
)
def count_always_bias(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return 2 * (d_model + 1) * (d_model + kv_width(d_model, heads, kv_heads))


@mistake(
    "every head is as wide as the whole",
    why="More heads are narrower heads: each has d_model / heads columns, so together they have "
    "d_model. The number of heads drops out.",
    section=PRICE,
)
def count_wide_heads(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return (d_model + bias) * d_model * (heads + 2 * kv_heads + 1)


@mistake(
    "keys and values are counted for every head",
    why="Only kv_heads heads have keys and values of their own. Their matrices have kv_heads times "
    "d_model / heads columns.",
    section=GROUPED,
)
def count_as_many(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return 4 * d_model * (d_model + bias)


@mistake(
    "keys and values share one matrix",
    why="Keys say what a word is found by, values what it gives: two matrices, of the same size.",
    section=PRICE,
)
def count_shared(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return (d_model + bias) * (2 * d_model + kv_width(d_model, heads, kv_heads))


@mistake(
    "the count is no whole number",
    why="/ gives a number with a point, even where the division comes out even. Parameters are "
    "counted: divide with //.",
    section=PRICE,
)
def count_fraction(d_model: int, heads: int, kv_heads: int, bias: bool) -> float:
    return 2 * (d_model + bias) * (d_model + d_model / heads * kv_heads)


COUNT_MISTAKES = (
    count_no_output,
    count_no_bias,
    count_always_bias,
    count_wide_heads,
    count_as_many,
    count_shared,
    count_fraction,
)

Shapes = tuple[tuple[int | float, ...], ...]


@mistake(
    "the packed matrix is transposed",
    why="x W with x of width D needs a W of D rows; its columns are those of W_Q, W_K and W_V side "
    "by side. (nn.Linear stores it the other way round.)",
    section="book/multi_head#One projection for all heads",
)
def shapes_transposed(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (3 * D, D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@mistake(
    "the packed matrix makes one thing, not three",
    why="It makes queries, keys and values at once, so it has three times as many columns as a "
    "word has numbers.",
    section="book/multi_head#One projection for all heads",
)
def shapes_one(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@mistake(
    "the keys are as many as the queries",
    why="In cross-attention it is the other sentence that is asked. There are S keys, whatever T.",
    section=SHAPE,
)
def shapes_t_keys(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, T, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@mistake(
    "the heads stand behind the words",
    why="Attention works on the last two axes, words by width. After the split the heads stand in "
    "front of the words: (B, H, S, D // H).",
    section=SHAPE,
)
def shapes_behind(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, S, H, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@mistake(
    "each head is as wide as the whole",
    why="A head gets its share of the width: D // H.",
    section=SIDE,
)
def shapes_wide(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@mistake(
    "the mask has no axis for the heads",
    why="It meets (B, H, T, S) from the back, so the first of three axes would meet the heads. It "
    "needs one of length 1 for the heads, and one for the queries.",
    section="book/multi_head#What goes wrong",
)
def shapes_mask(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, S), (B, T, D)


@mistake(
    "the merged answers are as narrow as one head",
    why="Merged, the answers of H heads lie end to end: H times D // H numbers, which is D.",
    section=SIDE,
)
def shapes_narrow(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D // H)


@mistake(
    "a size is no whole number",
    why="/ gives a number with a point, and no tensor has such a size. Divide with //.",
    section=SIDE,
)
def shapes_fraction(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D / H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


SHAPES_MISTAKES = (
    shapes_transposed,
    shapes_one,
    shapes_t_keys,
    shapes_behind,
    shapes_wide,
    shapes_mask,
    shapes_narrow,
    shapes_fraction,
)

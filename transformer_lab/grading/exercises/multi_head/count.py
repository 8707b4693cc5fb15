"""count_parameters: count the numbers of four matrices, and of their biases."""

from transformer_lab.grading.exercise import Draw, Exercise, Inputs


def count_parameters(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    """Count the numbers of four matrices, and of their biases."""
    keys = kv_width(d_model, heads, kv_heads)
    outputs = d_model + 2 * keys + d_model
    return outputs * d_model + biases(outputs, bias)


def kv_width(d_model: int, heads: int, kv_heads: int) -> int:
    """Give the width of all keys of a word."""
    return d_model // heads * kv_heads


def biases(outputs: int, bias: bool) -> int:
    """Give one bias for each number that goes out, if there are any."""
    return outputs if bias else 0


EXERCISE = Exercise(__name__, count_parameters, results={"count": ""}, section="The price")


@EXERCISE.requires("It counts four matrices, and their biases if there are any.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give as many heads of keys and values as heads, without biases and with them."""
    drawn = [_grouped_sizes(draw)[:2] for _ in range(2)]
    sizes = ((512, 8), (4, 2), (64, 1), *drawn)
    return [Inputs((d, h, h, bias)) for d, h in sizes for bias in (False, True)]


@EXERCISE.requires("Fewer heads of keys and values make narrower matrices.", points=1)
def grouped(draw: Draw) -> list[Inputs]:
    """Give fewer heads of keys and values than heads."""
    sizes = ((512, 8, 2), (64, 8, 1), _grouped_sizes(draw), _grouped_sizes(draw))
    return [Inputs((*size, bias)) for size in sizes for bias in (False, True)]


def _grouped_sizes(draw: Draw) -> tuple[int, int, int]:
    """Draw the width of a model, its heads, and how many of them have keys and values."""
    kv_heads, group, width = draw.ids(3, low=2, high=16).tolist()
    return kv_heads * group * width, kv_heads * group, kv_heads


@EXERCISE.mistake(
    "W_O is left out",
    why="It counts the three matrices that go in. The fourth, W_O, mixes the answers on the way "
    "out: d_model times d_model numbers, and d_model biases.",
)
def no_output(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    outputs = d_model + 2 * kv_width(d_model, heads, kv_heads)
    return outputs * d_model + biases(outputs, bias)


@EXERCISE.mistake(
    "the biases are left out",
    why="The paper's formulas have none, but when `bias` is True, each matrix has one bias for "
    "each number that it gives out.",
    of=biases,
)
def no_bias(outputs: int, bias: bool) -> int:
    return 0


@EXERCISE.mistake(
    "the biases are always counted",
    why="With bias=False there are none, and the count is that of the matrices alone.",
    of=biases,
)
def always_bias(outputs: int, bias: bool) -> int:
    return outputs


@EXERCISE.mistake(
    "every head is as wide as the whole",
    why="More heads are narrower heads: each has d_model / heads columns, so together they have "
    "d_model. The number of heads drops out.",
)
def wide_heads(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return (d_model + bias) * d_model * (heads + 2 * kv_heads + 1)


@EXERCISE.mistake(
    "keys and values are counted for every head",
    why="Only kv_heads heads have keys and values of their own. Their matrices have kv_heads times "
    "d_model / heads columns.",
    section="Sharing keys and values",
    of=kv_width,
)
def as_many(d_model: int, heads: int, kv_heads: int) -> int:
    return d_model


@EXERCISE.mistake(
    "keys and values share one matrix",
    why="Keys say what a word is found by, values what it gives: two matrices, of the same size.",
)
def shared(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    outputs = 2 * d_model + kv_width(d_model, heads, kv_heads)
    return outputs * d_model + biases(outputs, bias)


@EXERCISE.mistake(
    "each matrix has d_model biases, the narrow ones too",
    why="A matrix has one bias for each number that it gives out, and keys and values are narrower "
    "than d_model when they are shared.",
    section="Sharing keys and values",
)
def full_biases(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    outputs = 2 * d_model + 2 * kv_width(d_model, heads, kv_heads)
    return outputs * d_model + biases(4 * d_model, bias)


@EXERCISE.mistake(
    "W_O has no bias",
    why="The fourth matrix has one bias for each number that it gives out, as the others.",
)
def no_output_bias(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return count_parameters(d_model, heads, kv_heads, bias) - biases(d_model, bias)


@EXERCISE.mistake(
    "there is one bias for each matrix",
    why="Each number that goes out has a bias of its own, d_model of them for the queries.",
)
def four_biases(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    return count_parameters(d_model, heads, kv_heads, False) + biases(4, bias)


@EXERCISE.mistake(
    "only one head of keys and values is counted",
    why="That is multi-query attention. Here there are kv_heads heads of keys and values, each "
    "d_model / heads wide.",
    section="Sharing keys and values",
    of=kv_width,
)
def one_kv_head(d_model: int, heads: int, kv_heads: int) -> int:
    return d_model // heads


@EXERCISE.mistake(
    "the matrix of the queries is narrow as well",
    why="Only keys and values are shared between heads of queries. The queries keep all heads, "
    "d_model numbers.",
    section="Sharing keys and values",
)
def narrow_queries(d_model: int, heads: int, kv_heads: int, bias: bool) -> int:
    outputs = 3 * kv_width(d_model, heads, kv_heads) + d_model
    return outputs * d_model + biases(outputs, bias)

"""shapes: count the axes."""

from transformer_lab.grading.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int, ...], ...]


def shapes(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (D, d_k), (B, S, d_k), (B, T, S), (B, T, d_v)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={"W_Q": "", "keys": "", "weights": "", "output": ""},
    section="The whole thing in one line",
)


@EXERCISE.requires("The four shapes are right, whatever the sizes.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different."""
    return [Inputs(tuple(draw.distinct(6))) for _ in range(4)]


@EXERCISE.mistake(
    "the matrix is transposed",
    why="x W with words of width D needs a W of D rows; each column makes one number of a query. "
    "(nn.Linear stores it the other way round.)",
)
def transposed(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (d_k, D), (B, S, d_k), (B, T, S), (B, T, d_v)


@EXERCISE.mistake(
    "the keys are as many as the queries",
    why="It is the other text that is asked: there are S keys, whatever T.",
    section="Self and cross: who asks, who is asked",
)
def t_keys(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, T, d_k), (B, T, S), (B, T, d_v)


@EXERCISE.mistake(
    "the weights are square",
    why="Every query meets every key, so there is a row for each query and a column for each key: "
    "square only where a text asks itself.",
    section="Self and cross: who asks, who is asked",
)
def square(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, T), (B, T, d_v)


@EXERCISE.mistake(
    "the weights are turned round",
    why="Rows are queries, columns are keys: each row adds up to 1.",
)
def turned(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, S, T), (B, T, d_v)


@EXERCISE.mistake(
    "the output is as wide as a key",
    why="The output is a mixture of values, so it is as wide as a value.",
)
def key_wide(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, S), (B, T, d_k)


@EXERCISE.mistake(
    "the output is as long as the text that is asked",
    why="Each query gets one answer, so there are as many as there are queries.",
)
def source_long(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, S), (B, S, d_v)


@EXERCISE.mistake(
    "the queries' matrix is as wide as a value",
    why="A query is compared with keys, so it is as wide as a key: W_Q has d_k columns.",
)
def value_wide(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_v), (B, S, d_k), (B, T, S), (B, T, d_v)


@EXERCISE.mistake(
    "the keys are as wide as the words",
    why="Keys are what W_K makes of the words: d_k numbers each.",
)
def word_wide(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, D), (B, T, S), (B, T, d_v)


@EXERCISE.mistake(
    "the output is as wide as a word",
    why="The output is a mixture of values, so it is as wide as a value.",
)
def output_word_wide(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, S), (B, T, D)


@EXERCISE.mistake(
    "the keys' axes are turned round",
    why="Keys lie as rows. They are transposed only in the product with the queries.",
)
def keys_turned(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, d_k, S), (B, T, S), (B, T, d_v)


@EXERCISE.mistake(
    "the matrix has an axis for the batch",
    why="All texts go through the same matrix, so it has no such axis.",
)
def batched(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (B, D, d_k), (B, S, d_k), (B, T, S), (B, T, d_v)

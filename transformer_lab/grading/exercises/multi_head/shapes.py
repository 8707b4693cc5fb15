"""shapes: count the axes."""

from transformer_lab.grading.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int | float, ...], ...]


def shapes(B: int, T: int, S: int, D: int, H: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={
        "packed matrix": "",
        "keys": "",
        "weights": "",
        "mask": "",
        "merged answers": "",
    },
    section="Several heads, side by side",
)


@EXERCISE.requires("The five shapes are right, whatever the sizes.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different."""
    drawn = [draw.distinct(5) for _ in range(4)]
    return [Inputs((*lengths, heads * width, heads)) for *lengths, heads, width in drawn]


@EXERCISE.mistake(
    "the packed matrix is transposed",
    why="x W with x of width D needs a W of D rows; its columns are those of W_Q, W_K and W_V side "
    "by side. (nn.Linear stores it the other way round.)",
    section="One projection for all heads",
)
def transposed(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (3 * D, D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the packed matrix makes one thing, not three",
    why="It makes queries, keys and values at once, so it has three times as many columns as a "
    "word has numbers.",
    section="One projection for all heads",
)
def one(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the keys are as many as the queries",
    why="In cross-attention it is the other sentence that is asked. There are S keys, whatever T.",
    section="Every shape",
)
def t_keys(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, T, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the heads stand behind the words",
    why="Attention works on the last two axes, words by width. After the split the heads stand "
    "in front of the words.",
    section="Every shape",
)
def behind(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, S, H, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "each head is as wide as the whole",
    why="A head gets its share of the width: D // H.",
)
def wide(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the mask has no axis for the heads",
    why="It meets (B, H, T, S) from the back, so the first of three axes would meet the heads. It "
    "needs one of length 1 for the heads, and one for the queries.",
    section="What goes wrong",
)
def mask(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the merged answers are as narrow as one head",
    why="Merged, the answers of H heads lie end to end: H times D // H numbers, which is D.",
)
def narrow(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D // H)


@EXERCISE.mistake(
    "the heads come before the batch",
    why="The batch is always the first axis, and the heads come behind it.",
    section="Every shape",
)
def heads_first(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (H, B, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the weights have no axis for the heads",
    why="Every head has weights of its own.",
    section="Every shape",
)
def no_heads(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, T, S), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the weights are turned round",
    why="Rows are queries, columns are keys: T, then S.",
    section="Every shape",
)
def turned(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, S, T), (B, 1, 1, S), (B, T, D)


@EXERCISE.mistake(
    "the mask has a table for every head",
    why="Padding is the same for all heads and all queries: an axis of length 1 for each of them "
    "is enough.",
    section="What goes wrong",
)
def full_mask(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, H, T, S), (B, T, D)


@full_mask.also
def full_rows(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, T, S), (B, T, D)


@EXERCISE.mistake(
    "the merged answers are as long as the keys",
    why="Each query gets one answer, so there are T of them, however many words are asked.",
    section="Every shape",
)
def key_long(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, S, D)


@EXERCISE.mistake(
    "the answers are not merged",
    why="Merged, the answers of the heads lie end to end, and the axis of the heads is gone.",
    section="Every shape",
)
def not_merged(B: int, T: int, S: int, D: int, H: int) -> Shapes:
    return (D, 3 * D), (B, H, S, D // H), (B, H, T, S), (B, 1, 1, S), (B, H, T, D // H)

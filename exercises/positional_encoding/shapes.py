"""shapes: the shapes of what carries positions."""

from tensorgrader.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int, ...], ...]


def shapes(B: int, T: int, D: int, H: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of what carries positions."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={
        "shape of the encoding": "",
        "shape of the sum": "",
        "shape of the angles": "",
        "shape of the turned queries": "",
        "shape of the bias": "",
    },
    section="RoPE: turn queries and keys",
)


@EXERCISE.requires("All five shapes are right, for any sizes.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return sizes that all differ, and one sentence with one head."""
    drawn = [draw.distinct(4) for _ in range(4)]
    sizes = [(B, T, heads * 2 * pairs, heads) for B, T, heads, pairs in drawn]
    return [Inputs(case) for case in (*sizes, (1, 3, 8, 1))]


@EXERCISE.mistake(
    "the encoding has an axis for the batch",
    why="All sentences share one table, so it has no such axis. It is added to every sentence by "
    "broadcasting.",
    section="Every shape",
)
def batch(B: int, T: int, D: int, H: int) -> Shapes:
    return ((B, T, D), *shapes(B, T, D, H)[1:])


@EXERCISE.mistake(
    "there is an angle for each feature",
    why="Two features share one hand, so a head of width K has K / 2 angles for each position.",
)
def angles(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (T, D // H), turned, bias


@EXERCISE.mistake(
    "the angles are those of the whole width",
    why="What is turned is one head's query, of width K = D / H. So there are K / 2 hands, not "
    "D / 2.",
)
def whole_width(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (T, D // 2), turned, bias


@EXERCISE.mistake(
    "the queries are turned before they are split into heads",
    why="Rotary works in each head on its own, after the projection and the split.",
)
def not_split(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, angles, _, bias = shapes(B, T, D, H)
    return table, total, angles, (B, T, D), bias


@EXERCISE.mistake(
    "turning halves the queries' width",
    why="Each pair of features is turned into a pair again: K features go in, K come out. Only the "
    "angles are half as many.",
)
def halved(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, angles, _, bias = shapes(B, T, D, H)
    return table, total, angles, (B, H, T, D // H // 2), bias


@EXERCISE.mistake(
    "the bias has no axis for the heads",
    why="Each head has its own slope, so there is a table of T by T for every head.",
    section="ALiBi: let attention fade",
)
def one_bias(B: int, T: int, D: int, H: int) -> Shapes:
    return (*shapes(B, T, D, H)[:4], (T, T))


@EXERCISE.mistake(
    "the queries' heads stand behind the words",
    why="Attention works on the last two axes, words by width, so the heads stand in front of "
    "them.",
)
def heads_behind(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, angles, _, bias = shapes(B, T, D, H)
    return table, total, angles, (B, T, H, D // H), bias


@EXERCISE.mistake(
    "the bias has an axis for the batch",
    why="The distances are the same in all sentences.",
    section="ALiBi: let attention fade",
)
def batched_bias(B: int, T: int, D: int, H: int) -> Shapes:
    return (*shapes(B, T, D, H)[:4], (B, H, T, T))


@EXERCISE.mistake(
    "the sum has lost the batch",
    why="The table is added to every sentence, and there are as many as before.",
    section="Every shape",
)
def no_batch(B: int, T: int, D: int, H: int) -> Shapes:
    table, _, *rest = shapes(B, T, D, H)
    return table, (T, D), *rest


@EXERCISE.mistake(
    "the angles have an axis for the batch, or for the heads",
    why="All sentences and all heads turn by the same angles.",
)
def batched_angles(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (B, T, D // H // 2), turned, bias


@batched_angles.also
def angles_of_heads(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (H, T, D // H // 2), turned, bias


@EXERCISE.mistake(
    "the encoding is as wide as a head",
    why="The table is added to the words before they are split into heads.",
    section="Every shape",
)
def narrow(B: int, T: int, D: int, H: int) -> Shapes:
    return ((T, D // H), *shapes(B, T, D, H)[1:])


@EXERCISE.mistake(
    "the bias has no axis for the keys",
    why="A bias belongs to a pair of tokens, as a score does: for each query a number for each "
    "key.",
    section="ALiBi: let attention fade",
)
def bias_of_tokens(B: int, T: int, D: int, H: int) -> Shapes:
    return (*shapes(B, T, D, H)[:4], (H, T))

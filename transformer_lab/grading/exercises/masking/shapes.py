"""shapes: count the axes."""

from transformer_lab.grading.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int, ...], ...]


def shapes(B: int, H: int, T: int, S: int) -> tuple[tuple[int, ...], ...]:
    """Count the axes."""
    return (B, H, T, S), (T, T), (B, 1, S), (B, T, T)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={"scores": "", "causal mask": "", "padding mask": "", "combined mask": ""},
    section="Every shape",
)


@EXERCISE.requires("The four shapes are right, whatever the sizes.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different."""
    return [Inputs(tuple(draw.distinct(4))) for _ in range(4)]


@EXERCISE.mistake(
    "the heads are forgotten",
    why="Every head has scores of its own, so they have an axis for the heads.",
)
def no_heads(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, T, S), (T, T), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "the scores count keys before queries",
    why="Rows are queries, columns are keys: T, then S.",
)
def keys_first(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, S, T), (T, T), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "the padding mask lacks its axis for the queries",
    why="(B, S) is broadcast as (T, S): the sentences become queries. One row serves all queries "
    "of a sentence.",
    section="What goes wrong",
)
def padding_flat(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, S), (B, T, T)


@EXERCISE.mistake(
    "the padding mask hides rows",
    why="With the 1 at the end it says which queries are real. Keys are what it hides.",
    section="What goes wrong",
)
def padding_rows(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, S, 1), (B, T, T)


@EXERCISE.mistake(
    "every sentence has a causal mask of its own",
    why="What comes later is the same for all sentences: one table (T, T) serves the whole batch.",
)
def causal_per_sentence(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (B, T, T), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "both masks together are still one for all sentences",
    why="Padding is another in each sentence, so both together are too: broadcasting makes one "
    "table for each.",
)
def both_for_all(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, 1, S), (T, T)


@EXERCISE.mistake(
    "the heads come last",
    why="Attention works on the last two axes, queries by keys, so the heads stand before them.",
)
def heads_last(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, T, S, H), (T, T), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "the heads come before the batch",
    why="The batch is always the first axis.",
)
def heads_first(B: int, H: int, T: int, S: int) -> Shapes:
    return (H, B, T, S), (T, T), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "the causal mask has a column for each key of the other text",
    why="What is hidden is a text's own future: rows and columns are of the same text.",
)
def causal_across(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, S), (B, 1, S), (B, T, T)


@EXERCISE.mistake(
    "the padding mask has a row for every query",
    why="One row serves all queries of a sentence.",
)
def padding_full(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, T, S), (B, T, T)


@EXERCISE.mistake(
    "the combined mask has a row for all queries",
    why="The causal half of it is another for each query.",
)
def both_one_row(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, 1, S), (B, 1, T)


@EXERCISE.mistake(
    "the padding mask has an axis for the heads",
    why="As asked for here it serves queries only. The axis for the heads is added when it meets "
    "the scores.",
)
def padding_heads(B: int, H: int, T: int, S: int) -> Shapes:
    return (B, H, T, S), (T, T), (B, 1, 1, S), (B, T, T)

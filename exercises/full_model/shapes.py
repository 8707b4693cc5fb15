"""shapes: the shapes in a running encoder-decoder."""

from tensorgrader.exercise import Draw, Exercise, Inputs

Shapes = tuple[tuple[int, ...], ...]


def shapes(B: int, S: int, T: int, D: int, H: int, V: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes in a running encoder-decoder."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


EXERCISE = Exercise(
    __name__,
    shapes,
    results={
        "shape of the memory": "",
        "shape of the cross-attention's weights": "",
        "shape of the logits": "",
        "shape of the table of tokens": "",
        "shape of the keys in the cache": "",
    },
    section="Three models from the same parts",
)


@EXERCISE.requires("All five shapes are right, whatever the sizes.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return sizes that all differ, and one sentence with one head."""
    drawn = [draw.distinct(6) for _ in range(4)]
    sizes = [(*lengths, heads * width, heads, V) for *lengths, heads, width, V in drawn]
    return [Inputs(case) for case in (*sizes, (1, 3, 2, 4, 1, 7))]


def right(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    """Return the five correct shapes."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


EXERCISE.edit(
    "the memory has the length of the written text",
    "((B, T, D), *right(B, S, T, D, H, V)[1:])",
    why="The memory has a vector for each token of the *source*: S of them, however much has been "
    "written.",
)
EXERCISE.edit(
    "the cross-attention weights are transposed",
    "memory, _, *rest = right(B, S, T, D, H, V); return memory, (B, H, S, T), *rest",
    why="Rows are queries, the tokens being written: T of them. Columns are keys, the tokens of "
    "the source: S of them.",
)
EXERCISE.edit(
    "the heads are missing",
    {"(B, H, T, S)": "(B, T, S)"},
    why="Each head has weights of its own: an axis of H, after the batch.",
    section="Every shape",
)
EXERCISE.edit(
    "the table is transposed",
    {"V, D": "D, V"},
    why="The table has a row for each word of the vocabulary, so that an id selects its row.",
    section="book/from_text_to_loss#From ids to vectors",
)
EXERCISE.edit(
    "the keys are as wide as the model",
    {"D // H": "D"},
    why="The heads share the width: a key has D // H features.",
    section="book/training_and_writing#The cache",
)
EXERCISE.edit(
    "the weights are those of self-attention",
    {"(B, H, T, S)": "(B, H, T, T)"},
    why="In cross-attention, T written tokens attend to S tokens of the source.",
)
EXERCISE.edit(
    "the cache is as long as the source",
    {"(B, H, T, D // H)": "(B, H, S, D // H)"},
    why="The cache holds the keys of the tokens *written*: T of them.",
    section="book/training_and_writing#The cache",
)
EXERCISE.edit(
    "there are logits for the source",
    {"T, V": "S, V"},
    why="Logits are predictions of the written text.\nOne row for each of its T tokens.",
)
EXERCISE.edit(
    "the keys in the cache have no axis for the heads",
    {"H, T, D // H": "T, D"},
    why="Keys are cached as they are used in the scores, split into heads.",
    section="book/training_and_writing#The cache",
)
EXERCISE.edit(
    "the memory is cut into heads",
    "((B, H, S, D // H), *right(B, S, T, D, H, V)[1:])",
    why="The memory is the encoder's output, a vector of D features for each token.",
)
EXERCISE.edit(
    "there are logits for the last place only",
    {"T, V": "V"},
    why="That is enough for writing. In training each position predicts what comes next: T rows.",
)
EXERCISE.edit(
    "the table has a row for each token of the text",
    {"(V, D)": "(T, D)"},
    why="The table has a row for each word of the vocabulary, whether it occurs in the text or "
    "not.",
)

# ruff: noqa: D103 -- the decorator says what is wrong; B, S, T, D, H and V are the book's
"""Known-wrong shapes of an encoder-decoder at work."""

from transformer_lab.grading.misconceptions import mistake

SHAPES = "book/full_model#Every shape"
TIED = "book/full_model#From vectors to logits, with the same table"
CACHE = "book/full_model#The cache"
LAYERS = "book/full_model#Three models from the same parts"

Shapes = tuple[tuple[int, ...], ...]


def right(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    """Give the five shapes as they are."""
    return (B, S, D), (B, H, T, S), (B, T, V), (V, D), (B, H, T, D // H)


@mistake(
    "the memory is as long as what is written",
    why="The memory has a vector for each token of the *source*: S of them, however much has been "
    "written.",
    section=LAYERS,
)
def shapes_memory(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    return ((B, T, D), *right(B, S, T, D, H, V)[1:])


@mistake(
    "the cross-attention's weights lie the other way",
    why="Rows are queries, and who asks is what is being written: T rows. Columns are what is "
    "asked: S of them.",
    section=LAYERS,
)
def shapes_cross(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    memory, _, *rest = right(B, S, T, D, H, V)
    return memory, (B, H, S, T), *rest


@mistake(
    "the heads are missing",
    why="Each head has weights of its own: an axis of H, behind the batch.",
    section=SHAPES,
)
def shapes_no_heads(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    memory, _, *rest = right(B, S, T, D, H, V)
    return memory, (B, T, S), *rest


@mistake(
    "there is a logit for each feature, not for each word",
    why="The output turns a vector of D features into scores for V words.",
    section=TIED,
)
def shapes_logits(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    memory, weights, _, *rest = right(B, S, T, D, H, V)
    return memory, weights, (B, T, D), *rest


@mistake(
    "the table lies the other way",
    why="A row for each word of the vocabulary, so that an id picks its row: (V, D).",
    section="book/full_model#From ids to vectors",
)
def shapes_table(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    *first, _, keys = right(B, S, T, D, H, V)
    return *first, (D, V), keys


@mistake(
    "the keys are as wide as the model",
    why="The heads share the width: a key has D // H features.",
    section=CACHE,
)
def shapes_wide_keys(B: int, S: int, T: int, D: int, H: int, V: int) -> Shapes:
    return *right(B, S, T, D, H, V)[:-1], (B, H, T, D)


SHAPES_MISTAKES = (
    shapes_memory,
    shapes_cross,
    shapes_no_heads,
    shapes_logits,
    shapes_table,
    shapes_wide_keys,
)

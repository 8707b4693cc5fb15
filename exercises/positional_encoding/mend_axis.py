"""add_table: add the first rows of the table along the sentence."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def add_table(x: Tensor, table: Tensor) -> Tensor:
    """Add the first rows of the table along the sentence."""
    return x + table[: x.size(-2)]


EXERCISE = Exercise(
    __name__, add_table, results={"sum": "tokens, features"}, section="What goes wrong"
)


@EXERCISE.requires("Row t of the table is added to token t of every sentence.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return sentences that are longer or shorter than the batch; once with one feature."""
    sizes = ((2, 3, 4, 7), (3, 2, 2, 6), (4, 5, 3, 9), (2, 3, 1, 5))
    return [Inputs((draw.normal(b, t, d), draw.normal(n, d))) for b, t, d, n in sizes]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return batches of one, and as many sentences as tokens."""
    sizes = ((1, 3, 4), (1, 4, 2), (1, 5, 3), (3, 3, 2), (4, 4, 3), (2, 2, 5))
    return [Inputs((draw.normal(b, t, d), draw.normal(t + 2, d))) for b, t, d in sizes]


EXERCISE.edit(
    "the mistake is still in it",
    {"[: x.size(-2)]": "[: x.size(0), None]"},
    why="Compare two words of one sentence: they have the same vector added. Then compare the "
    "same position in two sentences: they have different vectors added. Which axis is which?",
)
EXERCISE.edit(
    "every token gets the same vector",
    {": x.size(-2)": "x.size(1)"},
    {": x.size(-2)": "0"},
    why="table[n] is one row, and it is added everywhere. You need the first n rows, one for each "
    "token of a sentence.",
)
EXERCISE.edit(
    "the last rows are added, not the first",
    {": x.size(-2)": "-x.size(1) :"},
    why="The first token is at position 0 and gets row 0.\ntable[-n:] are the last rows.",
)
EXERCISE.edit(
    "the number of rows is still the batch size",
    {"-2": "0"},
    why="x.size(0) is the number of sentences. The number of rows is the number of tokens of a "
    "sentence, which is another axis.",
)
EXERCISE.edit(
    "the right rows still lie along the batch",
    {"[: x.size(-2)]": "[: x.size(1), None]"},
    why="Now there is a row for each token, but [:, None] puts them along the first axis, the "
    "batch. Without it the rows are aligned with the tokens.",
)
EXERCISE.edit(
    "the rows begin at 1",
    {": x.size(-2)": "1 : x.size(-2) + 1"},
    why="The first token is at position 0 and gets row 0.",
)
EXERCISE.edit(
    "the number of rows is the width",
    {"-2": "2"},
    why="x.size(-1) is the width of a vector. The number of rows is the number of tokens of a "
    "sentence, which is another axis.",
)
EXERCISE.edit(
    "the counting continues into the next sentence",
    "places = torch.arange(x.size(0) * x.size(1)).view(x.size(0), x.size(1)); "
    "return x + table[places % table.size(0)]",
    why="Each sentence begins with row 0: a position is counted in the token's own sentence, not "
    "in the batch.",
)
EXERCISE.edit(
    "the words are multiplied by the root of the width",
    {"x + table": "x * x.size(-1) ** 0.5 + table"},
    why="The model of 2017 does so before it adds its table.\nHere, use the word vectors as they "
    "are.",
)

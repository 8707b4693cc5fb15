"""count_parameters: the parameters of an encoder layer: attention, network, two norms."""

from tensorgrader.exercise import Draw, Exercise, Inputs


def count_parameters(d_model: int, heads: int, d_ff: int) -> int:
    """Return the number of parameters of an encoder layer: attention, network, two norms."""
    attention = 4 * (d_model**2 + d_model)
    return attention + 2 * d_model * d_ff + d_ff + d_model + 2 * 2 * d_model


EXERCISE = Exercise(
    __name__,
    count_parameters,
    results={"number of parameters": ""},
    section="Two thirds of a layer",
)


@EXERCISE.requires("The number is right, for any sizes.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return a layer to count by hand, the paper's, and others."""
    drawn = [(heads * width, heads, d_ff) for heads, width, d_ff in map(draw.distinct, (3, 3))]
    return [Inputs(case) for case in ((2, 2, 3), (512, 8, 2048), *drawn)]


def attention(d_model: int) -> int:
    """Return the number of parameters of attention, biases included."""
    return 4 * (d_model**2 + d_model)


def network(d_model: int, d_ff: int) -> int:
    """Return the number of parameters of the feed-forward network, biases included."""
    return 2 * d_model * d_ff + d_ff + d_model


EXERCISE.edit(
    "the biases are missing",
    "4 * d_model**2 + 2 * d_model * d_ff + 4 * d_model",
    why="Each of the six matrices has a bias, one number for each of its outputs.",
)
EXERCISE.edit(
    "4 · d_model parameters are missing",
    {"* 2 * d_model": "* 2 * d_model - 4 * d_model"},
    why="This is the number of parameters of the two norms, one around each sublayer, each with a "
    "γ and a β of d_model numbers. It is also the number of biases of attention's four matrices.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "2 · d_model parameters are missing",
    {"* 2 * d_model": "* 2 * d_model - 2 * d_model"},
    why="This is the number of parameters of one of the two norms; or of the β, or the γ, of "
    "both; or of two biases of d_model numbers.",
)
EXERCISE.edit(
    "attention is counted with three matrices",
    {"4": "3"},
    why="Queries, keys and values have one each, and there is a fourth one: the output "
    "projection, which mixes the outputs of the heads.",
)
EXERCISE.edit(
    "attention is multiplied by the number of heads",
    "more = 3 * (d_model**2 + d_model); "
    "return count_parameters(d_model, heads, d_ff) + (heads - 1) * more",
    why="The heads share the width.\nEach has d_model / heads features of every projection. With "
    "any number of heads, each projection is d_model by d_model in all.",
)
EXERCISE.edit(
    "d_ff is taken to be four times d_model",
    {"d_ff + d_ff": "4 * d_model + 4 * d_model"},
    why="That is the paper's choice. Here d_ff is an argument.",
)
EXERCISE.edit(
    "queries, keys and values are counted for one head only",
    "lost = d_model - d_model // heads; "
    "return count_parameters(d_model, heads, d_ff) - 3 * lost * (d_model + 1)",
    why="All heads together have d_model numbers of every projection.\nThree matrices of d_model "
    "by d_model, whatever the number of heads.",
)
EXERCISE.edit(
    "the feed-forward network does not have one bias for each output",
    {"d_ff + d_ff": "d_ff"},
    "count_parameters(d_model, heads, d_ff) + d_ff - d_model",
    {"* 2 * d_model": "* 2 * d_model - d_ff + d_model"},
    why="A bias has one number for each output of its matrix.\nThe first has d_ff outputs, the "
    "second d_model.",
    section="The other half: the feed-forward network",
)
EXERCISE.edit(
    "there is one norm too many",
    {"* 2": "* 3"},
    why="An encoder layer has two sublayers, attention and the network, with a norm each.",
    section="A whole layer",
)
EXERCISE.edit(
    "the biases of queries, keys and values are counted for one head only",
    {"* 2 * d_model": "* 2 * d_model - 3 * (d_model - d_model // heads)"},
    why="All heads together are d_model wide, so each of the three has d_model biases.",
)
EXERCISE.edit(
    "W_O reads one head only",
    "missing = (d_model - d_model // heads) * d_model; "
    "return count_parameters(d_model, heads, d_ff) - missing",
    why="The outputs of all heads are concatenated, d_model numbers, and W_O reads them all: it "
    "is as large as the other three.",
)

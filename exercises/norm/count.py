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


@EXERCISE.mistake(
    "the biases are missing",
    why="Each of the six matrices has a bias, one number for each of its outputs.",
)
def no_biases(d_model: int, heads: int, d_ff: int) -> int:
    return 4 * d_model**2 + 2 * d_model * d_ff + 4 * d_model


@EXERCISE.mistake(
    "only the matrices are counted",
    why="Biases and norms are missing. They are few, but they are parameters: a bias for each "
    "matrix, and for each norm a γ and a β.",
)
def matrices(d_model: int, heads: int, d_ff: int) -> int:
    return 4 * d_model**2 + 2 * d_model * d_ff


@EXERCISE.mistake(
    "4 · d_model parameters are missing",
    why="This is the number of parameters of the two norms, one around each sublayer, each with a "
    "γ and a β of d_model numbers. It is also the number of biases of attention's four matrices.",
    section="γ and β: one pair for each feature",
)
def no_norms(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - 4 * d_model


@EXERCISE.mistake(
    "2 · d_model parameters are missing",
    why="This is the number of parameters of one of the two norms; or of the β, or the γ, of "
    "both; or of two biases of d_model numbers.",
)
def one_norm(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - 2 * d_model


EXERCISE.edit(
    "a norm is counted with two numbers",
    {"* 2 * d_model": "* 2"},
    why="γ and β are vectors with one number for each feature: 2 · d_model for each norm, not 2.",
    section="γ and β: one pair for each feature",
)

EXERCISE.edit(
    "attention is counted with three matrices",
    {"4": "3"},
    why="Queries, keys and values have one each, and there is a fourth one: the output "
    "projection, which mixes the outputs of the heads.",
)


@EXERCISE.mistake(
    "attention is multiplied by the number of heads",
    why="The heads share the width: each has d_model / heads features of every projection. With "
    "any number of heads, each projection is d_model by d_model in all.",
)
def times_heads(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) + (heads - 1) * attention(d_model)


@times_heads.also
def times_heads_but_for_the_output(d_model: int, heads: int, d_ff: int) -> int:
    more = 3 * (d_model**2 + d_model)
    return count_parameters(d_model, heads, d_ff) + (heads - 1) * more


@EXERCISE.mistake(
    "d_ff is taken to be four times d_model",
    why="That is the paper's choice. Here d_ff is an argument.",
)
def four_times(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, 4 * d_model)


@EXERCISE.mistake(
    "the feed-forward network is counted with one matrix",
    why="It has two: one projects up from d_model to d_ff, one down from d_ff to d_model.",
    section="The other half: the feed-forward network",
)
def one_layer(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - d_model * d_ff - d_model


@EXERCISE.mistake(
    "queries, keys and values are counted for one head only",
    why="All heads together have d_model numbers of every projection: three matrices of d_model by "
    "d_model, whatever the number of heads.",
)
def one_head(d_model: int, heads: int, d_ff: int) -> int:
    lost = d_model - d_model // heads
    return count_parameters(d_model, heads, d_ff) - 3 * lost * (d_model + 1)


@EXERCISE.mistake(
    "the biases of the feed-forward network are missing",
    why="Its two matrices have a bias each, of d_ff and of d_model numbers.",
    section="The other half: the feed-forward network",
)
def no_network_biases(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - d_ff - d_model


no_wide_bias = EXERCISE.edit(
    "one bias of the feed-forward network is missing, or is too long or too short",
    {"d_ff + d_ff": "d_ff"},
    why="The first matrix has d_ff outputs and so d_ff biases, the second d_model.",
    section="The other half: the feed-forward network",
)


@no_wide_bias.also
def two_wide_biases(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) + d_ff - d_model


@no_wide_bias.also
def two_narrow_biases(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - d_ff + d_model


EXERCISE.edit(
    "there is one norm too many",
    {"* 2": "* 3"},
    why="An encoder layer has two sublayers, attention and the network, with a norm each.",
    section="A whole layer",
)

EXERCISE.edit(
    "attention is left out",
    {"attention + 2": "2"},
    why="An encoder layer is attention and a feed-forward network, each with a norm.",
    section="A whole layer",
)

EXERCISE.edit(
    "the feed-forward network is left out",
    {"attention + 2 * d_model * d_ff + d_ff + d_model": "attention"},
    why="The feed-forward network has two thirds of the layer's parameters.",
)


@EXERCISE.mistake(
    "attention is counted with one matrix",
    why="There are four: for queries, keys, values and the output, each d_model × d_model.",
)
def one_matrix(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - 3 * (d_model**2 + d_model)


@EXERCISE.mistake(
    "the biases of queries, keys and values are counted for one head only",
    why="All heads together are d_model wide, so each of the three has d_model biases.",
)
def one_head_of_biases(d_model: int, heads: int, d_ff: int) -> int:
    return count_parameters(d_model, heads, d_ff) - 3 * (d_model - d_model // heads)


@EXERCISE.mistake(
    "W_O reads one head only",
    why="The outputs of all heads are concatenated, d_model numbers, and W_O reads them all: it "
    "is as large as the other three.",
)
def narrow_output(d_model: int, heads: int, d_ff: int) -> int:
    missing = (d_model - d_model // heads) * d_model
    return count_parameters(d_model, heads, d_ff) - missing

# ruff: noqa: D103 -- the decorator says what is wrong
"""Known-wrong ways to count a layer's parameters, and wrong shapes."""

from transformer_lab.grading.misconceptions import mistake

COUNT = "book/norm#Half? Two thirds"
FEATURES = "book/norm#γ and β: one pair for each feature"
AXES = "book/norm#Which numbers are averaged?"
NETWORK = "book/norm#The other half: the feed-forward network"

Shapes = tuple[tuple[int, ...], ...]


def attention(d_model: int) -> int:
    """Count the four matrices of attention with their biases."""
    return 4 * (d_model**2 + d_model)


def network(d_model: int, d_ff: int) -> int:
    """Count the two layers of the feed-forward network with their biases."""
    return 2 * d_model * d_ff + d_ff + d_model


def right(d_model: int, d_ff: int) -> int:
    """Count the whole layer."""
    return attention(d_model) + network(d_model, d_ff) + 4 * d_model


@mistake(
    "the biases are missing",
    why="Each of the six matrices has a bias, one number for each of its outputs.",
    section=COUNT,
)
def count_no_biases(d_model: int, heads: int, d_ff: int) -> int:
    return 4 * d_model**2 + 2 * d_model * d_ff + 4 * d_model


@mistake(
    "only the matrices are counted",
    why="Biases and norms are missing. They hardly count, but they are parameters: a bias for each "
    "matrix, and for each norm a γ and a β.",
    section=COUNT,
)
def count_matrices(d_model: int, heads: int, d_ff: int) -> int:
    return 4 * d_model**2 + 2 * d_model * d_ff


@mistake(
    "4 · d_model parameters are missing",
    why="So many have the two norms together, one around each sublayer, each with a γ and a β of "
    "d_model numbers; and so many have the biases of attention's four matrices.",
    section=FEATURES,
)
def count_no_norms(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) - 4 * d_model


@mistake(
    "2 · d_model parameters are missing",
    why="So many has one of the two norms, those of attention and of the feed-forward network; so "
    "many have the β of both, or the γ; and so many have two biases of d_model numbers.",
    section=COUNT,
)
def count_one_norm(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) - 2 * d_model


@mistake(
    "a norm has two numbers",
    why="γ and β are vectors, with one number for each feature: 2 · d_model for each norm, and not "
    "2.",
    section=FEATURES,
)
def count_scalar_norms(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) - 4 * d_model + 4


@mistake(
    "attention has three matrices",
    why="Queries, keys and values have one each, and there is a fourth: the output projection, "
    "which mixes what the heads have read.",
    section=COUNT,
)
def count_no_output(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) - d_model**2 - d_model


@mistake(
    "attention is multiplied by the number of heads",
    why="The heads share the width: each has d_model / heads features of every projection. "
    "However many heads there are, the matrices together are d_model by d_model.",
    section=COUNT,
)
def count_times_heads(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) + (heads - 1) * attention(d_model)


@mistake(
    "d_ff is taken to be four times d_model",
    why="That is so in the paper. Here d_ff is an argument.",
    section=COUNT,
)
def count_four_times(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, 4 * d_model)


@mistake(
    "the feed-forward network has one matrix",
    why="It has two: one widens from d_model to d_ff, one narrows from d_ff to d_model.",
    section=NETWORK,
)
def count_one_layer(d_model: int, heads: int, d_ff: int) -> int:
    return right(d_model, d_ff) - d_model * d_ff - d_model


def shapes(B: int, T: int, D: int, F: int) -> Shapes:
    """Give the five shapes as they are."""
    return (B, T, 1), (D,), (D, F), (B, T, F), (B, T, D)


@mistake(
    "the mean has lost its last axis",
    why="(B, T) cannot be subtracted from (B, T, D). What keepdim=True keeps is an axis of length "
    "1: (B, T, 1).",
    section=AXES,
)
def shapes_lost_axis(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, T), *shapes(B, T, D, F)[1:])


@mistake(
    "the mean is taken over the wrong axis",
    why="LayerNorm takes one mean for each token, over its features: an axis of length 1 stands "
    "in the place of the features.",
    section=AXES,
)
def shapes_mean_of_tokens(B: int, T: int, D: int, F: int) -> Shapes:
    return ((B, 1, D), *shapes(B, T, D, F)[1:])


@mistake(
    "γ has an axis for the tokens",
    why="γ is one vector for all tokens, with one number for each feature: (D,).",
    section=FEATURES,
)
def shapes_gamma_of_tokens(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (T, D), *rest


@shapes_gamma_of_tokens.also
def shapes_gamma_of_all(B: int, T: int, D: int, F: int) -> Shapes:
    mean, _, *rest = shapes(B, T, D, F)
    return mean, (B, T, D), *rest


@mistake(
    "the first matrix lies the other way",
    why="nn.Linear stores its weight as (outputs, inputs). In x @ W, as asked here, the inputs "
    "come first: (D, F).",
    section=NETWORK,
)
def shapes_matrix_turned(B: int, T: int, D: int, F: int) -> Shapes:
    mean, gamma, _, hidden, output = shapes(B, T, D, F)
    return mean, gamma, (F, D), hidden, output


@mistake(
    "the hidden vectors are not wider",
    why="The first matrix widens: inside, each token has d_ff numbers.",
    section=NETWORK,
)
def shapes_not_widened(B: int, T: int, D: int, F: int) -> Shapes:
    mean, gamma, matrix, _, output = shapes(B, T, D, F)
    return mean, gamma, matrix, (B, T, D), output


@mistake(
    "the output stays wide",
    why="The second matrix narrows, back to D: the result is to be added to the stream.",
    section=NETWORK,
)
def shapes_not_narrowed(B: int, T: int, D: int, F: int) -> Shapes:
    return (*shapes(B, T, D, F)[:4], (B, T, F))


COUNT_MISTAKES = (
    count_no_biases,
    count_matrices,
    count_no_norms,
    count_one_norm,
    count_scalar_norms,
    count_no_output,
    count_times_heads,
    count_four_times,
    count_one_layer,
)
SHAPES_MISTAKES = (
    shapes_lost_axis,
    shapes_mean_of_tokens,
    shapes_gamma_of_tokens,
    shapes_gamma_of_all,
    shapes_matrix_turned,
    shapes_not_widened,
    shapes_not_narrowed,
)

"""whole_layer: two post-norm sublayers."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .given import sublayer
from .layer import layer_norm
from .parts import token_vectors
from .post import post_norm


def whole_layer(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    """Apply two post-norm sublayers."""
    middle = post_norm(x, first, gammas[0], betas[0], eps)
    return post_norm(middle, second, gammas[1], betas[1], eps)


EXERCISE = Exercise(
    __name__,
    whole_layer,
    results={"stream": "tokens, features"},
    section="A whole layer",
    forbidden=NORMS,
)


@EXERCISE.requires(
    "Sublayer, add, normalise: twice, and the second sublayer reads the output of the first norm.",
    points=2,
)
def values(draw: Draw) -> list[Inputs]:
    """Return two sublayers with their norms, and an ε that is tiny or matters."""
    cases = []
    vectors = token_vectors(draw, (2, 3), (3, 4), (4, 5), (2, 3, 4))
    for x, eps in zip(vectors, (1e-5, 0.25, 0.5, 1e-5), strict=True):
        d = x.size(-1)
        matrices = draw.normal(d, d), draw.normal(d, d)
        cases.append(Inputs((x, *matrices, draw.normal(2, d) + 1, draw.normal(2, d), eps)))
    return cases


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many tokens as features and sentences, and an ε that matters."""
    cases = []
    for x in token_vectors(draw, (3, 3), (3, 3, 3), (4, 4, 4)):
        d = x.size(-1)
        matrices = draw.normal(d, d), draw.normal(d, d)
        cases.append(Inputs((x, *matrices, draw.normal(2, d) + 1, draw.normal(2, d), 0.25)))
    return cases


@EXERCISE.mistake(
    "the mistake is still in it",
    why="Silence the second sublayer with a weight of zeros. The result of the first should still "
    "be there. To which vector is the second sublayer's result added?",
)
def bug(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(x + sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the second sublayer reads the first one's input",
    why="The addition is right now, but the second sublayer has to read the output of the "
    "first norm, the vector that its own result is added to.",
)
def reads_x(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(middle + sublayer(x, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "both sublayers share one norm",
    why="Each norm has a γ and a β of its own: row 0 belongs to the first, row 1 to the second.",
    section="γ and β: one pair for each feature",
)
def shares_norm(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return whole_layer(x, first, second, gammas[[0, 0]], betas[[0, 0]], eps)


@EXERCISE.mistake(
    "the two norms are swapped",
    why="Row 0 of γ and β belongs to the first sublayer, row 1 to the second.",
    section="γ and β: one pair for each feature",
)
def norms_swapped(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return whole_layer(x, first, second, gammas.flip(0), betas.flip(0), eps)


@EXERCISE.mistake(
    "both sublayers have the first one's matrix",
    why="Each sublayer has its own matrix: use the second matrix in the second sublayer.",
    section="A whole layer",
)
def shares_matrix(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return whole_layer(x, first, first, gammas, betas, eps)


@EXERCISE.mistake(
    "the two sublayers are swapped",
    why="The first sublayer reads the input, the second the output of the first norm.",
    section="A whole layer",
)
def sublayers_swapped(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return whole_layer(x, second, first, gammas, betas, eps)


EXERCISE.edit(
    "the second norm is gone",
    {"post_norm(middle, second, gammas[1], betas[1], eps)": "middle + sublayer(middle, second)"},
    why="Sublayer, add, normalise: all three, twice.",
    section="A whole layer",
)


@EXERCISE.mistake(
    "the second addition is gone",
    why="One name was wrong, not the plus: each sublayer's result is added to what the sublayer "
    "has read.",
    section="The residual stream: add, don't replace",
)
def not_added(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the input is added once more",
    why="The input is in the stream already, by the first addition. Add the second sublayer's "
    "result to what it has read, and to nothing else.",
    section="The residual stream: add, don't replace",
)
def adds_both(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return layer_norm(x + middle + sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the second addition is to the sum before the norm",
    why="Add the second sublayer's result to what it has read: the output of the first norm.",
    section="A whole layer",
)
def before_the_norm(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    added = x + sublayer(x, first)
    middle = layer_norm(added, gammas[0], betas[0], eps)
    return layer_norm(added + sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the first addition is gone",
    why="The first sublayer was right: its result is added to the input.",
    section="The residual stream: add, don't replace",
)
def first_not_added(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = layer_norm(sublayer(x, first), gammas[0], betas[0], eps)
    return post_norm(middle, second, gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the first norm is gone",
    why="Sublayer, add, normalise: all three, twice.",
    section="A whole layer",
)
def no_first_norm(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return post_norm(x + sublayer(x, first), second, gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "one of the two sublayers is left out",
    why="Sublayer, add, normalise: all three, twice, with a matrix each.",
    section="A whole layer",
)
def no_second_sublayer(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    return layer_norm(post_norm(x, first, gammas[0], betas[0], eps), gammas[1], betas[1], eps)

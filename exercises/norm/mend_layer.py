"""whole_layer: two post-norm sublayers."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .given import sublayer as sublayer
from .layer import layer_norm as layer_norm
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


EXERCISE.edit(
    "the mistake is still in it",
    "middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps); "
    "return layer_norm(x + sublayer(middle, second), gammas[1], betas[1], eps)",
    why="Silence the second sublayer with a weight of zeros. The result of the first should still "
    "be there. To which vector is the second sublayer's result added?",
)
EXERCISE.edit(
    "the second sublayer reads the first one's input",
    "middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps); "
    "return layer_norm(middle + sublayer(x, second), gammas[1], betas[1], eps)",
    why="The addition is right now, but the second sublayer has to read the output of the "
    "first norm, the vector that its own result is added to.",
)
EXERCISE.edit(
    "both sublayers share one norm",
    "whole_layer(x, first, second, gammas[[0, 0]], betas[[0, 0]], eps)",
    why="Each norm has a γ and a β of its own.\nRow 0 belongs to the first, row 1 to the second.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "the two norms are swapped",
    "whole_layer(x, first, second, gammas.flip(0), betas.flip(0), eps)",
    why="Row 0 of γ and β belongs to the first sublayer, row 1 to the second.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "both sublayers have the first one's matrix",
    {"second,": "first,"},
    why="Each sublayer has its own matrix.\nUse the second matrix in the second sublayer.",
)
EXERCISE.edit(
    "the second addition is gone",
    "middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps); "
    "return layer_norm(sublayer(middle, second), gammas[1], betas[1], eps)",
    why="One name was wrong, not the plus: each sublayer's result is added to what the sublayer "
    "has read.",
    section="The residual stream: add, don't replace",
)
EXERCISE.edit(
    "the input is added once more",
    "middle = layer_norm(x + sublayer(x, first), gammas[0], betas[0], eps); "
    "return layer_norm(x + middle + sublayer(middle, second), gammas[1], betas[1], eps)",
    why="The input is in the stream already, by the first addition.\nAdd the second sublayer's "
    "result to what it has read, and to nothing else.",
    section="The residual stream: add, don't replace",
)
EXERCISE.edit(
    "the second addition is to the sum before the norm",
    "added = x + sublayer(x, first); middle = layer_norm(added, gammas[0], betas[0], eps); "
    "return layer_norm(added + sublayer(middle, second), gammas[1], betas[1], eps)",
    why="\nAdd the second sublayer's result to what it has read: the output of the first norm.",
)

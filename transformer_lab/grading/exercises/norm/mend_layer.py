"""whole_layer: chain two post-norm sublayers."""

from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.given import sublayer
from transformer_lab.grading.exercises.norm.parts import (
    right_norm,
    token_vectors,
)
from transformer_lab.grading.exercises.norm.post import post_norm
from transformer_lab.grading.exercises.ready_mades import NORMS


def whole_layer(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    """Chain two post-norm sublayers."""
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
    "Sublayer, add, normalise: twice, and the second reads what the first has made.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give two sublayers, each with its norm."""
    cases = []
    for x in token_vectors(draw, (2, 3), (3, 4), (4, 5), (2, 3, 4)):
        d = x.size(-1)
        matrices = draw.normal(d, d), draw.normal(d, d)
        cases.append(Inputs((x, *matrices, draw.normal(2, d) + 1, draw.normal(2, d), 1e-5)))
    return cases


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.mistake(
    "the mistake is still in it",
    why="Silence the second sublayer, with a weight of zeros. What the first has written should "
    "still be there. Which vector is the second one's result added to?",
)
def bug(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = right_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return right_norm(x + sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the second sublayer reads the first one's input",
    why="The addition is right now, but the second sublayer has to read what the first has made: "
    "the vector that its result is added to.",
)
def reads_x(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = right_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return right_norm(middle + sublayer(x, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "both sublayers share one norm",
    why="Each norm has a γ and a β of its own: row 0 belongs to the first, row 1 to the second.",
    section="γ and β: one pair for each feature",
)
def shares_norm(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = right_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return right_norm(middle + sublayer(middle, second), gammas[0], betas[0], eps)


@EXERCISE.mistake(
    "the second addition is gone",
    why="It was one name that was wrong, not the plus: each sublayer's result is added to what the "
    "sublayer has read.",
    section="Add, don't replace",
)
def not_added(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = right_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return right_norm(sublayer(middle, second), gammas[1], betas[1], eps)


@EXERCISE.mistake(
    "the input is added once more",
    why="What came in is in the stream already, by the first addition. The second sublayer's "
    "result is added to what it has read, and to nothing else.",
    section="Add, don't replace",
)
def adds_both(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = right_norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return right_norm(x + middle + sublayer(middle, second), gammas[1], betas[1], eps)

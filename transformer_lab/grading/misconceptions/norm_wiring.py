# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to wire a norm and a residual connection around a sublayer."""

from torch import Tensor

from transformer_lab.grading.checks.norm_given import sublayer
from transformer_lab.grading.misconceptions import mistake

ADD = "book/norm#Add, don't replace"
PLACE = "book/norm#Before or after?"
BLOCK = "book/norm#A whole layer"
FEATURES = "book/norm#γ and β: one pair for each feature"
WIRINGS = "book/norm#Three wrong wirings"


def norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Normalise each vector, rightly."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


@mistake(
    "that is pre-norm",
    why="The norm stands before the sublayer, on the branch. Post-norm adds first, and then "
    "normalises the sum, so that the stream itself runs through the norm.",
    section=PLACE,
)
def post_as_pre(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + sublayer(norm(x, gamma, beta, eps), weight)


@mistake(
    "nothing is added",
    why="What the sublayer makes of x is to be added to x. Without the addition all that came "
    "before has to pass through the sublayer, and the identity is hard to learn.",
    section=ADD,
)
def post_replaces(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return norm(sublayer(x, weight), gamma, beta, eps)


@mistake(
    "only the sublayer's result is normalised, not the sum",
    why="First add, then normalise: Norm(x + f(x)). In x + Norm(f(x)) the stream is never cut to "
    "size, and what is added is always equally loud.",
    section=PLACE,
)
def post_norm_of_result(
    x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float
) -> Tensor:
    return x + norm(sublayer(x, weight), gamma, beta, eps)


@mistake(
    "there is no norm",
    why="x + f(x) alone keeps the way clear, but the numbers in the stream grow from layer to "
    "layer. Normalise the sum.",
    section=PLACE,
)
def post_no_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + sublayer(x, weight)


@mistake(
    "the norm is taken twice, before and after",
    why="One norm for each sublayer: in post-norm the sublayer reads x as it is, and the sum is "
    "normalised.",
    section=PLACE,
)
def post_both(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return norm(x + sublayer(norm(x, gamma, beta, eps), weight), gamma, beta, eps)


@mistake(
    "that is post-norm",
    why="The sum is normalised. Pre-norm leaves the sum alone: the norm stands on the branch, "
    "before the sublayer, and nothing is in the stream's way.",
    section=PLACE,
)
def pre_as_post(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return norm(x + sublayer(x, weight), gamma, beta, eps)


@mistake(
    "nothing is added",
    why="What the sublayer makes of the normalised x is to be added to x. Silence the sublayer, "
    "with a weight of zeros: x should come out, and yours gives zeros.",
    section=WIRINGS,
)
def pre_replaces(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return sublayer(norm(x, gamma, beta, eps), weight)


@mistake(
    "it adds to the normalised vector",
    why="That comes of x = norm(x) in a line of its own. The norm is back in the stream, and with "
    "it what pre-norm was to avoid: add to the x that came in.",
    section=WIRINGS,
)
def pre_adds_to_normed(
    x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float
) -> Tensor:
    x = norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


@mistake(
    "the norm stands behind the sublayer, not before it",
    why="The sublayer reads x as it is, of whatever size. Pre-norm gives it the normalised x, and "
    "leaves what comes out alone.",
    section=PLACE,
)
def pre_norm_of_result(
    x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float
) -> Tensor:
    return x + norm(sublayer(x, weight), gamma, beta, eps)


@mistake(
    "there is no norm",
    why="The sublayer reads x as it is. With every layer the stream grows, and each sublayer would "
    "have to cope with another size.",
    section=PLACE,
)
def pre_no_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + sublayer(x, weight)


@mistake(
    "the mistake is still in it",
    why="Silence the second sublayer, with a weight of zeros. What the first has written should "
    "still be there. Which vector is the second one's result added to?",
    section=BLOCK,
)
def layer_bug(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return norm(x + sublayer(middle, second), gammas[1], betas[1], eps)


@mistake(
    "the second sublayer reads the first one's input",
    why="The addition is right now, but the second sublayer has to read what the first has made: "
    "the vector that its result is added to.",
    section=BLOCK,
)
def layer_reads_x(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return norm(middle + sublayer(x, second), gammas[1], betas[1], eps)


@mistake(
    "both sublayers share one norm",
    why="Each norm has a γ and a β of its own: row 0 belongs to the first, row 1 to the second.",
    section=FEATURES,
)
def layer_shares_norm(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return norm(middle + sublayer(middle, second), gammas[0], betas[0], eps)


@mistake(
    "the second addition is gone",
    why="It was one name that was wrong, not the plus: each sublayer's result is added to what the "
    "sublayer has read.",
    section=ADD,
)
def layer_not_added(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return norm(sublayer(middle, second), gammas[1], betas[1], eps)


@mistake(
    "the input is added once more",
    why="What came in is in the stream already, by the first addition. The second sublayer's "
    "result is added to what it has read, and to nothing else.",
    section=ADD,
)
def layer_adds_both(
    x: Tensor, first: Tensor, second: Tensor, gammas: Tensor, betas: Tensor, eps: float
) -> Tensor:
    middle = norm(x + sublayer(x, first), gammas[0], betas[0], eps)
    return norm(x + middle + sublayer(middle, second), gammas[1], betas[1], eps)


POST_MISTAKES = (post_as_pre, post_replaces, post_norm_of_result, post_no_norm, post_both)
PRE_MISTAKES = (pre_as_post, pre_replaces, pre_adds_to_normed, pre_norm_of_result, pre_no_norm)
WHOLE_MISTAKES = (layer_bug, layer_reads_x, layer_shares_norm, layer_not_added, layer_adds_both)

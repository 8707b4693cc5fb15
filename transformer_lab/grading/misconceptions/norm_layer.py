# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write LayerNorm, and to mend one whose variance is the unbiased one."""

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

LAYER = "book/norm#LayerNorm"
AXES = "book/norm#Which numbers are averaged?"
FEATURES = "book/norm#γ and β: one pair for each feature"
BATCH = "book/norm#Why not BatchNorm?"
WRONG = "book/norm#What goes wrong"
RMS = "book/norm#RMSNorm: without the mean"


def normal(x: Tensor, eps: float) -> Tensor:
    """Normalise each vector, rightly."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt()


@mistake(
    "the variance is the unbiased one",
    why="It divides by d - 1. These d numbers are no sample of anything, they are all there are: "
    "divide by d. torch.var and torch.std need correction=0 for that.",
    section=WRONG,
)
def layer_unbiased(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


@mistake(
    "ε stands outside the root",
    why="It is added to the variance, under the root, and not to the root. For vectors that are "
    "small, or nearly all alike, that is a great difference.",
    section=WRONG,
)
def layer_eps_outside(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return (x - mean) / (deviation + eps) * gamma + beta


@mistake(
    "ε is missing",
    why="A vector of equal numbers gives 0 / 0, which is nan. Add ε to the variance before the "
    "root: then the result is β.",
    section=LAYER,
)
def layer_no_eps(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return (x - mean) / deviation * gamma + beta


@mistake(
    "the root is missing",
    why="It divides by the variance. Divided by its root the numbers would have variance 1; "
    "this way they come out the larger, the closer together they were.",
    section=LAYER,
)
def layer_no_root(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps) * gamma + beta


@mistake(
    "the mean and the variance lost their axis (keepdim)",
    why="A mean of shape (T) is broadcast along the other axis: with as many tokens as features it "
    "subtracts one token's mean from another, and no error says so. keepdim=True leaves (T, 1).",
    section=WRONG,
)
def layer_no_keepdim(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt() * gamma + beta


@mistake(
    "it averages over the tokens, not the features",
    why="Each token has a mean and a variance of its own, over its features: the last axis. "
    "Along the tokens, each would see the others, and the future too.",
    section=BATCH,
)
def layer_over_tokens(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


@mistake(
    "it averages over everything",
    why="Without an axis, mean and variance run over all tokens of all sentences, and each token's "
    "result depends on strangers. Give dim=-1.",
    section=AXES,
)
def layer_of_all(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (x - x.mean()) / (x.var(correction=0) + eps).sqrt() * gamma + beta


@mistake(
    "the mean is not subtracted",
    why="The variance is measured from the mean, and then the numbers are divided where they "
    "stand. Subtract the mean first. (RMSNorm leaves the mean in, but it measures from 0 too.)",
    section=LAYER,
)
def layer_not_centred(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() * gamma + beta


@mistake(
    "it is RMSNorm",
    why="It divides by the root of the mean square and leaves the mean in. LayerNorm subtracts the "
    "mean, and measures the variance from there.",
    section=RMS,
)
def layer_as_rms(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


@mistake(
    "β is scaled by γ",
    why="First multiply by γ, then add β: γ · normal + β. With γ · (normal + β) the shift depends "
    "on the scale.",
    section=FEATURES,
)
def layer_beta_inside(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (normal(x, eps) + beta) * gamma


@mistake(
    "γ and β have changed places",
    why="γ multiplies and β is added. At the beginning of training γ is 1 and β is 0, so that the "
    "two change nothing; yours would wipe everything out.",
    section=FEATURES,
)
def layer_swapped(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps) * beta + gamma


@mistake(
    "γ and β are left out",
    why="After the norm each feature is multiplied by its own γ and shifted by its own β.",
    section=FEATURES,
)
def layer_bare(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps)


@mistake(
    "β is left out",
    why="After the scaling by γ, each feature is shifted by its own β. (RMSNorm has none.)",
    section=FEATURES,
)
def layer_no_beta(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps) * gamma


@mistake(
    "it changes the caller's tensor",
    why="-= and /= write into the tensor you were given, and whoever called still has it: the "
    "residual connection adds it afterwards. Make a new one.",
    section=LAYER,
)
def layer_in_place(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    x -= x.mean(-1, keepdim=True)
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


@layer_in_place.also
def layer_all_in_place(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x.copy_(normal(x, eps) * gamma + beta)


@mistake(
    "the mistake is still in it",
    why="Take its result for x = (1, 2, 3) and work out the variance: you get 2/3, where it should "
    "be 1. By what does torch.std divide?",
    section=WRONG,
)
def mend_bug(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True).square() + eps).sqrt()


@mistake(
    "the correction goes the wrong way",
    why="correction is taken off d: with 1, which is what you get if you say nothing, it is d - 1. "
    "Which correction leaves d?",
    section=AXES,
)
def mend_wrong_way(x: Tensor, eps: float) -> Tensor:
    deviation = x.std(-1, correction=-1, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / (deviation.square() + eps).sqrt()


@mistake(
    "the square is gone, and ε stands outside the root",
    why="ε was in its right place, added to the variance, which is the square of the deviation. "
    "Only the deviation itself was wrong.",
    section=WRONG,
)
def mend_eps_outside(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + eps)


@mistake(
    "the statistics run over the tokens now",
    why="The axis was right: each token by itself, over its features, dim=-1.",
    section=AXES,
)
def mend_over_tokens(x: Tensor, eps: float) -> Tensor:
    deviation = x.std(-2, correction=0, keepdim=True)
    return (x - x.mean(-2, keepdim=True)) / (deviation.square() + eps).sqrt()


@mistake(
    "it divides by the variance now",
    why="The root was right: what is wanted is a variance of 1, and dividing by the deviation does "
    "that. Only the deviation itself was wrong.",
    section=LAYER,
)
def mend_no_root(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + eps)


LAYER_MISTAKES = (
    layer_unbiased,
    layer_eps_outside,
    layer_no_eps,
    layer_no_root,
    layer_no_keepdim,
    layer_over_tokens,
    layer_of_all,
    layer_not_centred,
    layer_as_rms,
    layer_beta_inside,
    layer_swapped,
    layer_bare,
    layer_no_beta,
    layer_in_place,
    layer_all_in_place,
)
MEND_MISTAKES = (mend_bug, mend_wrong_way, mend_eps_outside, mend_over_tokens, mend_no_root)

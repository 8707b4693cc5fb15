"""is_layer_norm: compare with a correct norm where every mistake shows."""

from collections.abc import Callable

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs, Made

from .layer import layer_norm

Norm = Callable[[Tensor, Tensor, Tensor, float], Tensor]
Case = tuple[Tensor, Tensor, Tensor, float]
NAMES = {
    "right": "a right norm",
    "centred": "a right norm that rounds in another way",
    "loop": "a right norm that takes one token at a time",
    "sample": "a norm that divides by d - 1",
    "mean": "a norm that leaves the mean in",
    "text": "a norm that averages over the tokens of a text too",
    "texts": "a norm that averages over the texts of a batch too",
    "tokens": "a norm that averages over the tokens in place of the features",
    "square": "a norm that divides by the variance, not by its root",
    "no gamma": "a norm without γ",
    "no beta": "a norm without β",
    "swapped": "a norm in which γ and β are swapped",
    "one gamma": "a norm that uses the first γ for all features",
    "one beta": "a norm that uses the first β for all features",
    "small": "a norm whose numbers are all 2 % too small",
    "first": "a norm that adds β before γ multiplies",
    "outside": "a norm that adds ε to the root, not under it",
    "no eps": "a norm without ε",
    "own eps": "a norm with an ε of its own",
    "writes": "a norm that writes into its argument",
    "squares": "a norm whose variance is a difference of squares",
}


def is_layer_norm(norm: Norm) -> bool:
    """Return whether a function agrees with a correct norm where every mistake shows."""
    return all(passes(norm, case) for case in cases())


def passes(norm: Norm, case: Case) -> bool:
    """Return whether a norm's result is right, and its argument unchanged."""
    x, gamma, beta, eps = case
    given = x.clone()
    right = layer_norm(x, gamma, beta, eps)
    return alike(norm(given, gamma, beta, eps), right) and untouched(given, x)


def alike(yours: Tensor, right: Tensor) -> bool:
    """Return whether tensors are equal up to rounding."""
    return yours.shape == right.shape and torch.allclose(yours, right, rtol=1e-2, atol=1e-2)


def untouched(given: Tensor, x: Tensor) -> bool:
    """Return whether an argument is unchanged."""
    return torch.equal(given, x)


def cases() -> list[Case]:
    """Return small tokens with an ε that matters, and tokens far from 0."""
    x, gamma, beta = numbers()
    return [(x, gamma, beta, 0.5), (x + 4096, gamma, beta, 1e-5)]


def numbers() -> tuple[Tensor, Tensor, Tensor]:
    """Return two texts of three tokens of width four, with a γ and a β."""
    x = (torch.arange(24.0).view(2, 3, 4) * 1.7).sin().mul(8).round() / 4
    return x, torch.tensor([0.5, 2.0, -1.0, 3.0]), torch.tensor([1.0, -2.0, 0.5, 4.0])


EXERCISE = Exercise(__name__, is_layer_norm, results={"verdict": ""}, section="LayerNorm")


@EXERCISE.requires("It accepts right norms, and rejects those that average wrongly.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return norms(draw, "right, sample, centred, mean, loop, text, texts, tokens, square, small")


@EXERCISE.requires("It rejects norms with a mistake in γ or β.", points=1)
def parameters(draw: Draw) -> list[Inputs]:
    return norms(draw, "no gamma, right, no beta, swapped, loop, first, one gamma, one beta")


@EXERCISE.requires("It rejects norms with a mistake in ε.", points=1)
def epsilon(draw: Draw) -> list[Inputs]:
    return norms(draw, "outside, centred, no eps, right, own eps")


@EXERCISE.requires("It rejects norms that modify their argument, or fail far from 0.", points=1)
def harm(draw: Draw) -> list[Inputs]:
    return norms(draw, "writes, right, squares, centred, loop")


@EXERCISE.probe
def hidden(draw: Draw) -> list[Inputs]:
    """Return the faults that show in one kind of trial only."""
    return 2 * norms(draw, "text, writes, squares, sample, own eps, swapped, small")


def norms(draw: Draw, names: str) -> list[Inputs]:
    """Return norms by their names, in random order."""
    return [Inputs((Made(NAMES[n], faulty, (n,)),)) for n in draw.shuffled(names.split(", "))]


def faulty(name: str) -> object:
    """Return a norm, correct or with one fault."""

    def norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float) -> torch.Tensor:
        if name == "loop":
            rows = [norm_of(row, gamma, beta, eps) for row in x.reshape(-1, x.size(-1))]
            return torch.stack(rows).reshape(x.shape)
        return norm_of(x, gamma, beta, eps)

    def norm_of(x, gamma, beta, eps):  # type: ignore[no-untyped-def]
        axes = {"text": (-2, -1), "texts": (0, -1), "tokens": (-2,)}.get(name, (-1,))
        axes = axes if x.dim() > 1 else (-1,)
        mean = x.mean(dim=axes, keepdim=True)
        if name == "centred":
            left = x - x[..., :1]
            left = left - left.sum(dim=-1, keepdim=True) / x.size(-1)
            normal = left * (left.square().mean(dim=-1, keepdim=True) + eps) ** -0.5
            return ((beta + normal * gamma) * 4096).round() / 4096
        if name == "writes":
            x -= mean
            mean = mean * 0
        centred = x if name == "mean" else x - mean
        variance = centred.square().mean(dim=axes, keepdim=True)
        if name == "squares":
            variance = x.square().mean(dim=-1, keepdim=True) - mean.square()
        if name == "sample":
            variance = variance * x.size(-1) / (x.size(-1) - 1)
        eps = {"no eps": 1e-12, "own eps": 1e-5}.get(name, eps)
        root = variance.sqrt() + eps if name == "outside" else (variance + eps).sqrt()
        normal = centred / (variance + eps if name == "square" else root)
        scale, shift = {
            "no gamma": (torch.ones_like(gamma), beta),
            "no beta": (gamma, torch.zeros_like(beta)),
            "swapped": (beta, gamma),
            "first": (gamma, gamma * beta),
            "one gamma": (gamma[..., :1], beta),
            "one beta": (gamma, beta[..., :1]),
            "small": (gamma * 0.98, beta * 0.98),
        }.get(name, (gamma, beta))
        return normal * scale + shift

    return norm


EXERCISE.edit(
    "γ is 1 and β is 0 in every trial",
    "numbers()[0], torch.ones(4), torch.zeros(4)",
    why="With these values a norm that forgets γ or β, or swaps them, is right.\nGive each feature "
    "a γ and a β of its own.",
    of=numbers,
)
EXERCISE.edit(
    "ε is too small to be seen",
    {"beta, 0.5": "beta, 1e-5"},
    why="If the variance is about 1, an ε of 0.00001 changes nothing that a test could see.\nUse a "
    "larger one, such as 0.5.",
)
EXERCISE.edit(
    "only a single token is tried",
    {"x, torch": "x[:1, :1], torch"},
    {"x, torch": "x[0, 0], torch"},
    why="With a single token there is no other to average over by mistake.\nTry a batch of texts "
    "with several tokens.",
)
EXERCISE.edit(
    "right norms are rejected because of rounding",
    {"yours.shape == right.shape": "torch.equal(yours, right)"},
    why="A right norm may sum in another order, so its last digits differ.\nCompare with a "
    "tolerance, such as 0.01.",
)
EXERCISE.edit(
    "a changed argument is not noticed",
    {"torch": "~torch"},
    why="A norm that writes into x returns the right numbers, but destroys the caller's.\nKeep a "
    "copy, and compare afterwards.",
    of=untouched,
)
EXERCISE.edit(
    "only numbers near 0 are tried",
    {"4096": "0"},
    why="A variance computed as a difference of squares is right near 0 and in float64, but wrong "
    "far from 0 in float32.\nTry float32 tokens whose mean is 4,096.",
)
EXERCISE.edit(
    "the tokens are so wide that d - 1 for d goes unnoticed",
    "x = (torch.arange(6 * 4096.0).view(2, 3, 4096) * 1.7).sin().mul(8).round() / 4; "
    "gamma = torch.tensor([0.5, 2.0, -1.0, 3.0]).repeat(1024); "
    "return x, gamma, torch.tensor([1.0, -2.0, 0.5, 4.0]).repeat(1024)",
    why="With 4,096 features, dividing by d - 1 changes the result by less than the tolerance.\n"
    "Use four features.",
    of=numbers,
)
EXERCISE.edit(
    "ε is 0.00001 in every trial",
    {", gamma, beta, 0.5": " / 300, gamma, beta, 1e-5"},
    why="A norm may ignore its argument ε and use 0.00001, as most norms do.\nTry a larger ε too, "
    "such as 0.5.",
)
EXERCISE.edit(
    "γ is 1, β is 0 and ε is tiny in every trial",
    "x, ones = numbers()[0], torch.ones(4); "
    "return alike(norm(x, ones, ones * 0, 1e-5), layer_norm(x, ones, ones * 0, 1e-5))",
    "normal = norm(numbers()[0], torch.ones(4), torch.zeros(4), 1e-5); mean = normal.mean(dim=-1); "
    "variance = normal.var(dim=-1, correction=0); "
    "return alike(mean, torch.zeros_like(mean)) and alike(variance, torch.ones_like(variance))",
    why="The result then has mean 0 and variance 1, from many faulty norms too.\nGive each feature "
    "a γ and a β of its own, and use an ε that is not small compared with the variance.",
)
EXERCISE.edit(
    "only the shape is compared",
    {".allclose(yours, right, rtol=1e-2, atol=1e-2)": ""},
    "x, gamma, beta = numbers(); return norm(x, gamma, beta, 0.5).shape == x.shape",
    why="Nearly every faulty norm gives the right shape.\nCompare the numbers with those of your "
    "layer_norm.",
)
EXERCISE.edit(
    "True and False are swapped",
    {"return": "return not"},
    why="True is for a right norm, False for one with a fault.",
)
EXERCISE.edit(
    "γ and β are the same numbers in every trial",
    "x, gamma, _ = numbers(); return x, gamma, gamma",
    why="A norm that swaps them gives the same result then.\nDraw each by itself.",
    of=numbers,
)

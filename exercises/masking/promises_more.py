"""Further mistakes that keeps_promises is known to make: in what it tries, and how it compares."""

import torch
from torch import Tensor

from .parts import right
from .promises import (
    EXERCISE,
    Softmax,
    empty,
    far,
    halves,
    is_kept_on,
    is_near,
    is_right,
    masks,
    near,
    partly,
    tables,
)


@EXERCISE.mistake(
    "only half precision is tried",
    why="A function may be right in float16 and break a promise in float32: .float() makes a copy "
    "of scores in half precision, but not of those that are float32 already. Try both.",
    of=tables,
)
def only_halves() -> list[Tensor]:
    return halves()


@EXERCISE.mistake(
    "no row is tried in which all that is seen is low",
    why="A function that puts -300 in hidden scores is right as long as something seen lies above "
    "that. Try a row in which all that is seen is near -2000.",
    of=far,
)
def not_that_low() -> list[Tensor]:
    return [torch.tensor([[0.0, 1.0, 900.0], [-200.0, 900.0, -199.0]])]


@not_that_low.within(far)
def high_alone() -> list[Tensor]:
    return [torch.tensor([[0.0, 1.0, 900.0], [0.5, 900.0, 1.0]])]


@EXERCISE.mistake(
    "no hidden score is tried that lies far above the others",
    why="Softmax before the mask, and a number that is added to hidden scores, do no harm as long "
    "as these are low. Try a hidden score of 900 beside scores near 0 and near -2000.",
    of=far,
)
def low_alone() -> list[Tensor]:
    return [torch.tensor([[0.0, 1.0, 2.0], [-2000.0, -1999.0, -1999.0]])]


@EXERCISE.mistake(
    "the scores that are seen are all alike",
    why="Where all are alike, equal shares are right, and so are those of scores that were doubled "
    "by mistake. Try scores that differ by 1 or 2.",
)
def alike(softmax: Softmax) -> bool:
    scores = [torch.ones(2, 3), torch.tensor([[0.0, 0.0, 900.0], [-2000.0, 900.0, -2000.0]])]
    (mask,) = partly()
    emptied = mask & torch.tensor([[True], [False]])
    every = [*scores, *(table.half() for table in scores)]
    return all(is_kept_on(softmax, table, m) for table in every for m in (mask, emptied))


@EXERCISE.mistake(
    "all masks that are tried are causal",
    why="A function that hides the future and never looks at its mask passes. Try masks of other "
    "forms.",
)
def causal(softmax: Softmax) -> bool:
    scores = [
        torch.tensor([[-2000.0, 900.0, 900.0], [-2000.0, -1999.0, 900.0], [2.0, 1.0, 0.0]]),
        torch.tensor([[0.5, 1.0, 2.0], [2.0, 1.0, 9.0], [2.0, 1.0, 0.0]]),
    ]
    triangle = torch.ones(3, 3).tril() == 1
    emptied = triangle & torch.tensor([[True], [False], [True]])
    every = [*scores, *(table.half() for table in scores)]
    return all(is_kept_on(softmax, table, mask) for table in every for mask in (triangle, emptied))


@EXERCISE.mistake(
    "a row that sees nothing is tried only where no other sees anything",
    why="A function may look whether the whole mask is empty, and go wrong where one row is. Put a "
    "row without a True beside one that has some.",
    of=empty,
)
def wholly_empty() -> list[Tensor]:
    return [torch.zeros(2, 3, dtype=torch.bool)]


@EXERCISE.mistake(
    "nan passes for right",
    why="No comparison with nan is true, so `difference.max() > 0.001` does not see it. Ask the "
    "other way round: `not difference.max() < 0.001`, or use torch.allclose.",
    of=is_near,
)
def nan_passes(weights: Tensor, wanted: Tensor) -> bool:
    return not (weights - wanted).abs().max() > 1e-3


@nan_passes.within(is_right)
def nan_passes_everywhere(weights: Tensor, scores: Tensor, mask: Tensor) -> bool:
    more = (weights - right(scores, mask)).abs().max() > 1e-3
    return not more and not bool((weights[~mask] > 0).any())


@EXERCISE.mistake(
    "too large a difference passes for rounding",
    why="Differences below 0.001 are rounding, and no others.",
    of=is_near,
)
def loosely(weights: Tensor, wanted: Tensor) -> bool:
    return torch.allclose(weights, wanted, atol=0.05)


@EXERCISE.mistake(
    "what each key gets is never compared",
    why="Hidden weights of 0 and rows that sum to 1 are not all. Equal shares have both, and are "
    "wrong. Compare the weights with those of a softmax over what is seen.",
    of=is_right,
)
def sums_and_zeros(weights: Tensor, scores: Tensor, mask: Tensor) -> bool:
    sums, seen = weights.float().sum(dim=-1), mask.any(dim=-1).float()
    return torch.allclose(sums, seen, atol=1e-3) and not bool(weights[~mask].any())


@EXERCISE.mistake(
    "every function is refused, the right ones too",
    why="Either the comparison is too strict: differences below 0.001 are rounding, in float16 "
    "too. Or an error of your own code ends in `except Exception: return False`: call your test "
    "on your own `masked_softmax` without the `try`, to see it.",
    of=is_near,
)
def refused(weights: Tensor, wanted: Tensor) -> bool:
    return False


@EXERCISE.mistake(
    "one table is tried",
    why="One input shows one kind of mistake. Each promise needs an input on which breaking it "
    "shows: a row that sees nothing, half precision, scores far apart. (Does a `return` stand in "
    "your loop? It ends the loop in its first round.)",
)
def one_table(softmax: Softmax) -> bool:
    (scores,), (mask,) = near(), partly()
    weights = softmax(scores.clone(), mask)
    return is_right(weights, scores, mask)


@one_table.also
def one_round(softmax: Softmax) -> bool:
    return is_kept_on(softmax, tables()[0], masks()[0])


@EXERCISE.mistake(
    "scores are tried that nobody promised",
    why="All scores lie between -2000 and 1000. A function that fills with -10,000 is right there, "
    "and wrong beside a score of -30,000: do not ask for more than was promised.",
    of=far,
)
def beyond() -> list[Tensor]:
    return [*far(), torch.tensor([[-30_000.0, -29_999.0, 0.0], [-29_998.0, 1.0, -30_000.0]])]

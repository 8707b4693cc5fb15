"""Further mistakes that largest_rate is known to make."""

from itertools import takewhile

import torch
from torch import Tensor

from .rate import (
    EXERCISE,
    GOAL,
    MakeModel,
    largest,
    learns,
    losses,
)


@EXERCISE.mistake(
    "too little counts as learning",
    why="Learned has a stack whose loss is below a *quarter* of the first. A loss that falls a "
    "little and stays there has learned next to nothing.",
    of=learns,
)
def any_fall(losses: Tensor) -> bool:
    return bool(losses[-1] < losses[0])


@any_fall.within(learns)
def half(losses: Tensor) -> bool:
    return bool(losses[-1] < losses[0] / 2)


@any_fall.within(learns)
def no_rise(losses: Tensor) -> bool:
    return not losses[-1] >= losses[0]


@any_fall.also
def largest_of_all(make_model: MakeModel, rates: list, steps: int) -> float:
    return max(rates)


@EXERCISE.mistake(
    "the smallest rate that learns is given",
    why="Small rates nearly always learn, if they have time. Asked for is the largest.",
    of=largest,
)
def smallest(learning: list[float]) -> float:
    return min(learning, default=0.0)


@EXERCISE.mistake(
    "the rate with the lowest loss is given",
    why="The best rate is not the largest at which the stack still learns, and where none learns "
    "it is no answer at all.",
)
def best(make_model: MakeModel, rates: list, steps: int) -> float:
    ends = {rate: losses(make_model(), rate, steps)[-1] for rate in rates}
    return min(ends, key=lambda rate: ends[rate])


@best.also
def best_but_nan(make_model: MakeModel, rates: list, steps: int) -> float:
    ends = {rate: losses(make_model(), rate, steps)[-1] for rate in rates}
    return min(ends, key=lambda rate: ends[rate].nan_to_num(nan=torch.inf))


@EXERCISE.mistake(
    "the order of the list decides which rate is given",
    why="The rates stand in no order: neither the first nor the last that learns need be the "
    "largest. Try all, and keep the largest.",
    of=largest,
)
def first_that_learns(learning: list[float]) -> float:
    return learning[0] if learning else 0.0


@first_that_learns.within(largest)
def last_that_learns(learning: list[float]) -> float:
    return learning[-1] if learning else 0.0


@first_that_learns.also
def up_to_one_that_fails(make_model: MakeModel, rates: list, steps: int) -> float:
    return largest(list(takewhile(lambda r: learns(losses(make_model(), r, steps)), rates)))


@first_that_learns.also
def last_before_one_that_fails(make_model: MakeModel, rates: list, steps: int) -> float:
    learning = takewhile(lambda r: learns(losses(make_model(), r, steps)), rates)
    return [0.0, *learning][-1]


@first_that_learns.also
def up_to_one_that_gives_nan(make_model: MakeModel, rates: list, steps: int) -> float:
    best = 0.0
    for rate in rates:
        course = losses(make_model(), rate, steps)
        if course.isnan().any():
            break
        best = max(best, rate if learns(course) else 0.0)
    return best


@EXERCISE.mistake(
    "the search ends at the first rate that fails",
    why="In order of size, too, a rate that fails may stand below one that learns: a small one is "
    "too slow, and beyond one that fails another may happen to learn. Try all of them.",
)
def up_from_the_smallest(make_model: MakeModel, rates: list, steps: int) -> float:
    return up_to_one_that_fails(make_model, sorted(rates), steps)


@up_from_the_smallest.also
def until_one_fails_again(make_model: MakeModel, rates: list, steps: int) -> float:
    best = 0.0
    for rate in sorted(rates):
        if learns(losses(make_model(), rate, steps)):
            best = rate
        elif best:
            break
    return best


@EXERCISE.mistake(
    "the last step is missing",
    why="What counts is the loss after *all* the steps. A loss that is computed before a step does "
    "not know of it: call model() once more after the loop.",
    of=learns,
)
def a_step_too_early(losses: Tensor) -> bool:
    return learns(losses[:-1])


@EXERCISE.mistake(
    "a loss that has risen again counts as learned",
    why="At a rate that is too large, the loss may fall below a quarter and come back. Look at it "
    "once, after the last step.",
    of=learns,
)
def at_any_step(losses: Tensor) -> bool:
    return bool((losses < losses[0] / GOAL).any())


@EXERCISE.mistake(
    "a loss that is nan counts as learned",
    why="nan is neither below nor above anything, so that `not loss >= border` is True. Ask "
    "whether the loss *is* below the border: `loss < border`.",
    of=learns,
)
def not_above(losses: Tensor) -> bool:
    return not losses[-1] >= losses[0] / GOAL

# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to turn queries and keys by their positions."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

ROTARY = "book/positional_encoding#Or turn queries and keys"
OTHER_HALF = "book/positional_encoding#The other half"


def pairs(x: Tensor, radians: Tensor) -> Tensor:
    """Turn neighbouring features, rightly."""
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


def halves(x: Tensor, radians: Tensor) -> Tensor:
    """Turn features of the two halves, rightly."""
    first, second = x.chunk(2, dim=-1)
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@mistake(
    "it pairs features i and i + K / 2",
    why="That is the other convention, as right as this one but for other weights. Here the pairs "
    "are neighbours: 0 with 1, 2 with 3.",
    section=OTHER_HALF,
)
def pairs_as_halves(x: Tensor, radians: Tensor) -> Tensor:
    return halves(x, radians)


@mistake(
    "it turns the wrong way round",
    why="A positive angle turns from the first feature of a pair towards the second: (1, 0) "
    "becomes (cos, sin). Queries and keys that both turn backwards still fit each other, but not "
    "anybody else's.",
    section=ROTARY,
)
def pairs_backwards(x: Tensor, radians: Tensor) -> Tensor:
    return pairs(x, -radians)


@mistake(
    "the minus is missing",
    why="One of the four products is subtracted: first · cos - second · sin. With a plus it is no "
    "rotation, and vectors change their length.",
    section=ROTARY,
)
def pairs_no_minus(x: Tensor, radians: Tensor) -> Tensor:
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    turned = [first * cos + second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


@mistake(
    "the second of a pair reads what the first has become",
    why="Both results need both old numbers. If the first is overwritten before the second is "
    "worked out, the second reads the new one. Keep the old pair until both are done.",
    section=ROTARY,
)
def pairs_overwritten(x: Tensor, radians: Tensor) -> Tensor:
    turned = x.clone()
    cos, sin = radians.cos(), radians.sin()
    turned[..., 0::2] = turned[..., 0::2] * cos - turned[..., 1::2] * sin
    turned[..., 1::2] = turned[..., 0::2] * sin + turned[..., 1::2] * cos
    return turned


@mistake(
    "the results stand side by side, not interleaved",
    why="The numbers are right, but all firsts come before all seconds. Each belongs where it "
    "came from: torch.stack on a new last axis, then flatten the last two.",
    section=OTHER_HALF,
)
def pairs_side_by_side(x: Tensor, radians: Tensor) -> Tensor:
    turned = pairs(x, radians)
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@mistake(
    "the angles are laid out for the other pairing",
    why="Neighbours are turned, but the angles were repeated as 0, 1, 2, 0, 1, 2, which fits "
    "pairs i and i + K / 2. For neighbours it has to be 0, 0, 1, 1, 2, 2.",
    section=OTHER_HALF,
)
def pairs_angles_of_halves(x: Tensor, radians: Tensor) -> Tensor:
    twice = torch.cat([radians, radians], dim=-1)
    across = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * twice.cos() + across * twice.sin()


@mistake(
    "the second feature of each pair stays as it was",
    why="A rotation changes both: the second becomes first · sin + second · cos.",
    section=ROTARY,
)
def pairs_half_done(x: Tensor, radians: Tensor) -> Tensor:
    turned = pairs(x, radians)
    return torch.stack([turned[..., 0::2], x[..., 1::2]], dim=-1).flatten(-2)


@mistake(
    "it changes the caller's tensor",
    why="Assigning to x[..., 0::2] writes into the tensor you were given, and whoever called still "
    "has it. Work on a clone, or build a new one.",
    section=ROTARY,
)
def pairs_in_place(x: Tensor, radians: Tensor) -> Tensor:
    return x.copy_(pairs(x, radians))


@mistake(
    "it pairs neighbours",
    why="That is the other convention, the one you wrote before. Here feature i turns with "
    "feature i + K / 2.",
    section=OTHER_HALF,
)
def halves_as_pairs(x: Tensor, radians: Tensor) -> Tensor:
    return pairs(x, radians)


@mistake(
    "it turns the wrong way round",
    why="A positive angle turns from the first half towards the second: the minus belongs to the "
    "first half's sine.",
    section=ROTARY,
)
def halves_backwards(x: Tensor, radians: Tensor) -> Tensor:
    return halves(x, -radians)


@mistake(
    "the minus is missing",
    why="One of the four products is subtracted: first · cos - second · sin. With a plus it is no "
    "rotation, and vectors change their length.",
    section=ROTARY,
)
def halves_no_minus(x: Tensor, radians: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([first * cos + second * sin, first * sin + second * cos], dim=-1)


@mistake(
    "the results are interleaved",
    why="The numbers are right, but put together as neighbours. The first half of the result "
    "comes from the first half of x: torch.cat.",
    section=OTHER_HALF,
)
def halves_interleaved(x: Tensor, radians: Tensor) -> Tensor:
    return torch.stack(halves(x, radians).chunk(2, dim=-1), dim=-1).flatten(-2)


@mistake(
    "the angles are laid out for neighbours",
    why="The halves are turned, but the angles were repeated as 0, 0, 1, 1, which fits neighbours. "
    "For halves it has to be 0, 1, 0, 1: torch.cat([radians, radians], -1).",
    section=OTHER_HALF,
)
def halves_angles_of_pairs(x: Tensor, radians: Tensor) -> Tensor:
    twice = radians.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * twice.cos() + torch.cat([-second, first], dim=-1) * twice.sin()


@mistake(
    "the two halves have changed places",
    why="The second half of the result stands first. Features stay where they are; they only turn.",
    section=OTHER_HALF,
)
def halves_swapped(x: Tensor, radians: Tensor) -> Tensor:
    return halves(x, radians).roll(x.size(-1) // 2, dims=-1)


PAIRS_MISTAKES = (
    pairs_as_halves,
    pairs_backwards,
    pairs_no_minus,
    pairs_overwritten,
    pairs_side_by_side,
    pairs_angles_of_halves,
    pairs_half_done,
    pairs_in_place,
)
HALVES_MISTAKES = (
    halves_as_pairs,
    halves_backwards,
    halves_no_minus,
    halves_interleaved,
    halves_angles_of_pairs,
    halves_swapped,
)

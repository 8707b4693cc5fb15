"""What an exercise is: a function to write, the properties it is graded by, inputs and mistakes."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from zlib import crc32

import torch
from torch import Tensor

#: What an answer may rely on in every chapter.
IMPORTS = "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


class Inputs(NamedTuple):
    """What a function is applied to: plain values (see `values`).

    `mask` is for an argument that may be left out: it comes last, and by name where it has one.
    """

    args: tuple
    mask: Tensor | None = None


class Draw:
    """Random inputs of a seed, in tenths, so that a reader can redo the small ones by hand."""

    def __init__(self, seed: int, *salts: str):
        """Start the stream of numbers that belongs to this seed and these names."""
        self._generator = torch.Generator().manual_seed(seed ^ crc32("/".join(salts).encode()))

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Draw numbers around 0, most of them between -2 and 2."""
        drawn = torch.randn(*shape, generator=self._generator, dtype=torch.float64)
        return (drawn.round(decimals=1) + 0.0).to(dtype)

    def ids(self, *shape: int, low: int = 0, high: int) -> Tensor:
        """Draw whole numbers from low to high - 1."""
        return torch.randint(low, high, shape, generator=self._generator)

    def weights(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Draw rows of positive numbers that sum to one."""
        drawn = torch.randn(*shape, generator=self._generator, dtype=torch.float64)
        return drawn.softmax(dim=-1).to(dtype)

    def mask(self, *shape: int) -> Tensor:
        """Draw a mask in which each row may attend to some keys, and not to some others."""
        order = torch.rand(*shape, generator=self._generator).argsort(dim=-1)
        count = torch.randint(1, shape[-1], (*shape[:-1], 1), generator=self._generator)
        return order < count


@dataclass(frozen=True)
class Property:
    """One thing that must hold, worth some points, in one graded cell."""

    id: str
    points: int
    says: str
    inputs: Callable[[Draw], list[Inputs]]
    unchanged: bool = False


@dataclass(frozen=True)
class Mistake:
    """One known-wrong way to write a function, and what to tell who wrote it."""

    name: str
    why: str
    section: str
    function: Callable[..., Any]

    def also(self, function: Callable[..., Any]) -> "Mistake":
        """Register another formulation of the same mistake."""
        return replace(self, function=function)


def no_inputs(_draw: Draw) -> list[Inputs]:
    """Give nothing more to try a function on."""
    return []


@dataclass(frozen=True, eq=False)
class Exercise:
    """One function to write.

    `results` names the axes of each result, for messages. `probes` are inputs without points that
    help to tell mistakes apart. `forbidden` lists the ready-mades that would be the answer.
    """

    id: str
    function: str
    arguments: tuple[str, ...]
    results: dict[str, str]
    reference: Callable[..., Any]
    properties: tuple[Property, ...]
    mistakes: tuple[Mistake, ...]
    probes: Callable[[Draw], list[Inputs]] = no_inputs
    forbidden: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Chapter:
    """The exercises of one chapter, and what its notebook gives to work with."""

    name: str
    imports: str
    exercises: tuple[Exercise, ...]
    given: tuple[Callable[..., Any], ...] = ()

    @property
    def given_source(self) -> str:
        """The functions that are given, as a cell of the notebook spells them."""
        return "\n\n\n".join(inspect.getsource(function).strip() for function in self.given)

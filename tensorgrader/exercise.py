"""What an exercise is: a function to write, the properties it is graded by, inputs and mistakes.

All that a course needs of the engine is imported from here.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import torch
from torch import Tensor

from tensorgrader.cache import cached as cached
from tensorgrader.sandbox.values import Made as Made

#: What an answer may rely on in every chapter.
IMPORTS = "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


class Inputs(NamedTuple):
    """What a function is applied to: plain values, and what recipes make of them (see `values`).

    `mask` is for an argument that may be left out: it comes last, and by name where it has one.
    `before` are arguments of a call that went ahead, whose tensors then got the numbers of `args`.
    `trains` are the numbers of the arguments whose tensors of floats want a gradient.
    """

    args: tuple
    mask: Tensor | None = None
    before: tuple | None = None
    trains: tuple[int, ...] = ()


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

    def distinct(self, count: int, *, low: int = 2, high: int = 100) -> list[int]:
        """Draw whole numbers from low to high - 1, no two of them alike."""
        order = torch.rand(high - low, generator=self._generator).argsort()
        return (low + order[:count]).tolist()

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        """Put things into an order drawn anew."""
        return [things[place] for place in self.distinct(len(things), low=0, high=len(things))]

    def weights(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Draw rows of positive numbers that sum to one."""
        drawn = torch.randn(*shape, generator=self._generator, dtype=torch.float64)
        return drawn.softmax(dim=-1).to(dtype)

    def mask(self, *shape: int) -> Tensor:
        """Draw a mask in which each row may attend to some keys, and not to some others."""
        order = torch.rand(*shape, generator=self._generator).argsort(dim=-1)
        count = torch.randint(1, shape[-1], (*shape[:-1], 1), generator=self._generator)
        return order < count


#: What is asked of every function that is given more than numbers.
UNTOUCHED = "Called again, it is right again, and what it was given stays as it was."

#: What is asked of every function that a model trains through.
TRAINS = "A model can train through it: gradients find their way back to what it was given."

DrawInputs = Callable[[Draw], list[Inputs]]
Function = Callable[..., Any]


@dataclass(frozen=True)
class Property:
    """One thing that must hold, worth some points, in one graded cell."""

    id: str
    points: int
    says: str
    inputs: DrawInputs
    unchanged: bool = False
    trains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mistake:
    """A known mistake: ways to make it, and what to tell who made it.

    `section` is the page and the heading that teach better, such as "book/norm#Padding". A way
    stands for the whole function, or, among the pieces, for a function that it calls.
    """

    name: str
    why: str
    section: str
    ways: list[Function] = field(default_factory=list)
    pieces: list[tuple[Function, Function]] = field(default_factory=list)

    def also(self, function: Function) -> Function:
        """Add the decorated function: another way to make the same mistake."""
        self.ways.append(function)
        return function

    def within(self, piece: Function) -> Callable[[Function], Function]:
        """Add the decorated function in the place of a piece: another way to make the mistake."""

        def add(function: Function) -> Function:
            self.pieces.append((piece, function))
            return function

        return add


@dataclass(frozen=True, eq=False)
class Exercise:
    """One function to write, and all that the grader knows of it.

    `module` is the file it is written in, and gives it its name; `reference` is a right answer,
    called as the learner's has to be. `results` names the axes of each result, for messages.
    `section` is the heading of the chapter that teaches it, `forbidden` lists the ready-mades that
    would be the answer. What its decorators add is there in the order of the file.

    Where many answers are right, `effect(result, *args)` gives what is compared in the place of a
    result: what it does. It raises ValueError, in words for the learner, for what can do nothing.
    An answer has `seconds` for each call if it needs more than others, since it trains.
    """

    module: str
    reference: Function
    results: dict[str, str]
    section: str
    forbidden: frozenset[str] = frozenset()
    effect: Function | None = None
    seconds: float | None = None
    properties: list[Property] = field(default_factory=list)
    probes: list[DrawInputs] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    @property
    def chapter(self) -> str:
        """The stem of its chapter."""
        return self.module.split(".")[-2]

    @property
    def id(self) -> str:
        """Its name in notebooks and reports: chapter and file, such as "attention-mend-width"."""
        return f"{self.chapter}-{_spelt(self.module.rpartition('.')[2])}"

    @property
    def function(self) -> str:
        """The name of the function to write."""
        return self.reference.__name__

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return tuple(inspect.signature(self.reference).parameters)

    def place(self, heading: str) -> str:
        """Return the page and the heading, if only a heading of the chapter is given."""
        return heading if "#" in heading else f"book/{self.chapter}#{heading}"

    def requires(
        self, says: str, *, points: int, unchanged: bool = False, trains: tuple[str, ...] = ()
    ) -> Callable[[DrawInputs], DrawInputs]:
        """Ask for something, on the inputs that the decorated function draws and is named for.

        Where `unchanged`, the arguments must be afterwards what they were before. From each of the
        results named in `trains` a gradient must find its way back.
        """

        def add(inputs: DrawInputs) -> DrawInputs:
            name = f"{self.id}-{_spelt(inputs.__name__)}"
            self.properties.append(Property(name, points, says, inputs, unchanged, trains))
            return inputs

        return add

    def untouched(self) -> None:
        """Ask that a second call be right, in the tensors of a first, and change no argument."""
        draw_inputs = self.properties[0].inputs

        @self.requires(UNTOUCHED, points=1, unchanged=True)
        def untouched(draw: Draw) -> list[Inputs]:
            pairs = zip(draw_inputs(draw), draw_inputs(draw), strict=True)
            return [now._replace(before=_tensors_of(then, now)) for then, now in pairs]

    def trains(self, *results: str, constant: str = "") -> None:
        """Ask that gradients get from these results, or from all, to the arguments but one."""
        draw_inputs = self.properties[0].inputs
        moving = tuple(n for n, name in enumerate(self.arguments) if name not in (constant, "mask"))

        @self.requires(TRAINS, points=1, trains=results or tuple(self.results))
        def trains(draw: Draw) -> list[Inputs]:
            return [inputs._replace(trains=moving) for inputs in draw_inputs(draw)]

    def probe(self, inputs: DrawInputs) -> DrawInputs:
        """Add inputs without points: they help to tell mistakes apart."""
        self.probes.append(inputs)
        return inputs

    def mistake(
        self, name: str, *, why: str, section: str | None = None, of: Function | None = None
    ) -> Callable[[Function], Mistake]:
        """Make the decorated function a known mistake, explained where the exercise is taught.

        Another `section` is a heading of the same chapter, or a page and a heading. The function
        is wrong in the place of the reference, or `of` a piece that the reference calls.
        """

        def add(function: Function) -> Mistake:
            place = self.place(section or self.section)
            mistake = Mistake(name, why, place)
            self.mistakes.append(mistake)
            mistake.within(of)(function) if of else mistake.also(function)
            return mistake

        return add


@dataclass(frozen=True)
class Chapter:
    """The exercises of one chapter, and what its notebook gives to work with."""

    name: str
    exercises: tuple[Exercise, ...]
    given: tuple[Function, ...] = ()

    @property
    def given_source(self) -> str:
        """The functions that are given, as a cell of the notebook spells them."""
        return "\n\n\n".join(inspect.getsource(function).strip() for function in self.given)


def _tensors_of(then: Inputs, now: Inputs) -> tuple:
    """Return the tensors of one input among the numbers of another."""
    pairs = zip(then.args, now.args, strict=True)
    return tuple(old if isinstance(old, Tensor | dict | Made) else new for old, new in pairs)


def _spelt(name: str) -> str:
    """Spell a name of Python's as notebooks do."""
    return name.replace("_", "-")

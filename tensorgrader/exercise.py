"""An exercise: a function to write, the properties it is graded by, inputs and known mistakes.

A course imports all that it needs of the engine from here.
"""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import torch
from torch import Tensor

from tensorgrader.cache import cached as cached
from tensorgrader.edited import Edits, edited, edited_piece, reached
from tensorgrader.sandbox.values import Made as Made

__all__ = ["Chapter", "Draw", "Exercise", "Explained", "Inputs", "Made", "Mistake", "Property"]

#: The imports that every answer may rely on.
IMPORTS = "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


class Inputs(NamedTuple):
    """The arguments of a call: plain values, and what recipes make of them (see `values`).

    `mask` is optional and last, passed by name if the function has one. `before` are the arguments
    of an earlier call whose tensors were then overwritten with `args`. `trains` are the numbers of
    the arguments whose float tensors require gradients. `driver` is the exercise's.

    >>> Inputs((torch.ones(2), 3)).args
    (tensor([1., 1.]), 3)
    """

    args: tuple
    mask: Tensor | None = None
    before: tuple | None = None
    trains: tuple[int, ...] = ()
    driver: Made | None = None


class Explained(NamedTuple):
    """What is compared instead of a result, and what the learner is told where that is wrong.

    >>> Explained(torch.ones(2), "there should be 2 weights").words
    'there should be 2 weights'
    """

    value: Any
    words: str


class Draw:
    """Random inputs of a seed, in tenths, so that a reader can redo the small ones by hand.

    >>> Draw(1, "basics").normal(2).equal(Draw(1, "basics").normal(2))
    True
    """

    def __init__(self, seed: int, *salts: str):
        self._generator = torch.Generator().manual_seed(seed ^ crc32("/".join(salts).encode()))

    def normal(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Draw numbers around 0, most of them between -2 and 2."""
        drawn = torch.randn(*shape, generator=self._generator, dtype=torch.float64)
        return (drawn.round(decimals=1) + 0.0).to(dtype)

    def ids(self, *shape: int, low: int = 0, high: int) -> Tensor:
        """Draw integers from low to high - 1."""
        return torch.randint(low, high, shape, generator=self._generator)

    def distinct(self, count: int, *, low: int = 2, high: int = 100) -> list[int]:
        """Draw distinct integers from low to high - 1."""
        order = torch.rand(high - low, generator=self._generator).argsort()
        return (low + order[:count]).tolist()

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        """Return things in random order."""
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


#: The requirement on every function with more than numbers as arguments.
UNTOUCHED = "A second call gives the right result too, and no call changes its arguments."

#: The requirement on every function through which a model trains.
TRAINS = "A model can train through it: gradients flow back to its arguments."

DrawInputs = Callable[[Draw], list[Inputs]]
Function = Callable[..., Any]


@dataclass(frozen=True)
class Property:
    """One requirement, worth some points, in one graded cell.

    >>> task.properties[0].points
    2
    """

    id: str
    points: int
    says: str
    inputs: DrawInputs
    unchanged: bool = False
    trains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mistake:
    """A known mistake: the ways to make it, and the feedback for it.

    What `why` says behind a line break is the remedy, which is folded away. `section` is the page
    and the heading that teach the right way, such as "book/norm#Padding". A way replaces the whole
    function or, in `pieces`, a function that it calls; `edits` change the source of one of these.

    >>> task.mistakes[0].name
    'the distances are not squared'
    """

    name: str
    why: str
    section: str
    ways: list[Function] = field(default_factory=list)
    pieces: list[tuple[Function, Function]] = field(default_factory=list)
    edits: list[tuple[Function | None, Edits]] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """Why it is one, without the remedy."""
        return self.why.partition("\n")[0]

    @property
    def remedy(self) -> str:
        """What would be right, or nothing."""
        return self.why.partition("\n")[2]

    @property
    def explained(self) -> str:
        """The reason and the remedy, in one line."""
        return f"{self.reason} {self.remedy}".strip()

    def made(
        self, reference: Function, among: Collection[Function] | None = None
    ) -> list[tuple[Function, Function]]:
        """Return the wrong functions, each with the one that it replaces, perhaps `among` some."""
        if among is not None and {reference, *reached(reference)}.isdisjoint(among):
            return []
        edits = [(of or edited_piece(reference, change), change) for of, change in self.edits]
        made = [(reference, way) for way in self.ways] + self.pieces
        made += [
            (right, edited(right, change, self.name))
            for right, change in edits
            if among is None or right in among
        ]
        return [one for one in made if among is None or one[0] in among]

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

    `module` is its file, which names it; `reference` is a right answer with the learner's
    signature. `results` names the axes of each result, for messages. `section` is the heading of
    the chapter that teaches it, `forbidden` lists the ready-made functions that would be the
    answer. Its decorators add to it in the order of the file.

    If many answers are right, `effect(result, *args)` returns what is compared instead of a result:
    what it does, perhaps `Explained`. It raises ValueError, with a message for the learner, if a
    result can do nothing.
    What cannot be called by itself, such as a class, has a `driver`: it is called with the answer
    and the inputs, and returns what is compared. So has a function of modules: its driver has the
    same arguments, and builds them from plain values. It runs beside the answer, so it knows
    nothing of what is right. Besides math, torch, F and nn its code may use functions and classes
    of the course.
    `seconds` is the time limit of a call if the exercise needs more than others, since it trains.
    Where it is `hunted`, a faulty answer was given: nothing tells the name or place of its mistake,
    and points are earned only if all holds.

    >>> Exercise("course.basics.double", lambda x: 2 * x, {"double": ""}, "basics#Double").id
    'basics-double'
    """

    module: str
    reference: Function
    results: dict[str, str]
    section: str
    forbidden: frozenset[str] = frozenset()
    effect: Function | None = None
    driver: Function | None = None
    seconds: float | None = None
    hunted: bool = False
    properties: list[Property] = field(default_factory=list)
    probes: list[DrawInputs] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Accept any set of names. Raises TypeError for a single name."""
        given: Any = self.forbidden
        if isinstance(given, str):
            raise TypeError(f"forbidden={given!r} is one name, expected a set: {{{given!r}}}")
        object.__setattr__(self, "forbidden", frozenset(given))

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
        """The names of what inputs hold: its arguments, or what its driver is given besides."""
        if not self.driver:
            return self.parameters
        return tuple(inspect.signature(self.driver).parameters)[1:]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return tuple(inspect.signature(self.reference).parameters)

    @property
    def is_direct(self) -> bool:
        """Whether inputs hold its own arguments, though a driver may build some of them."""
        return self.arguments == self.parameters

    def place(self, heading: str) -> str:
        """Return page and heading, also if given only a heading of the chapter."""
        return heading if "#" in heading else f"book/{self.chapter}#{heading}"

    def requires(
        self, says: str, *, points: int, unchanged: bool = False, trains: tuple[str, ...] = ()
    ) -> Callable[[DrawInputs], DrawInputs]:
        """Add a requirement named for the decorated function, which draws its inputs.

        If `unchanged`, the call must not modify its arguments. From each of the results named in
        `trains` a gradient must reach the arguments.
        """

        def add(inputs: DrawInputs) -> DrawInputs:
            name = f"{self.id}-{_spelt(inputs.__name__)}"
            if any(prop.id == name for prop in self.properties):
                raise ValueError(
                    f"{self.id} has two requirements called `{inputs.__name__}`, which would share "
                    "their points: rename one of these functions."
                )
            self.properties.append(Property(name, points, says, inputs, unchanged, trains))
            return inputs

        return add

    def untouched(self) -> None:
        """Require that a second call, in the same tensors, is right, and modifies no argument."""
        draw_inputs = self.properties[0].inputs

        @self.requires(UNTOUCHED, points=1, unchanged=True)
        def untouched(draw: Draw) -> list[Inputs]:
            pairs = zip(draw_inputs(draw), draw_inputs(draw), strict=True)
            return [now._replace(before=_tensors_of(then, now)) for then, now in pairs]

    def trains(self, *results: str, constant: str = "") -> None:
        """Require that gradients from these results, or all, reach all arguments but one."""
        draw_inputs = self.properties[0].inputs
        moving = tuple(n for n, name in enumerate(self.arguments) if name not in (constant, "mask"))

        @self.requires(TRAINS, points=1, trains=results or tuple(self.results))
        def trains(draw: Draw) -> list[Inputs]:
            return [inputs._replace(trains=moving) for inputs in draw_inputs(draw)]

    def probe(self, inputs: DrawInputs) -> DrawInputs:
        """Add inputs without points, which help to distinguish mistakes."""
        self.probes.append(inputs)
        return inputs

    def mistake(
        self, name: str, *, why: str, section: str | None = None, of: Function | None = None
    ) -> Callable[[Function], Mistake]:
        """Register the decorated function as a known mistake, explained in the exercise's section.

        Another `section` is a heading of the same chapter, or a page and a heading. The function
        replaces the reference, or `of` a piece that the reference calls.
        """

        def add(function: Function) -> Mistake:
            mistake = self._named(name, why, section)
            mistake.within(of)(function) if of else mistake.also(function)
            return mistake

        return add

    def edit(
        self,
        name: str,
        *edits: Mapping[str, str] | str,
        why: str,
        section: str | None = None,
        of: Function | None = None,
    ) -> Mistake:
        """Register a known mistake that is an edit of the reference, or of a piece it calls.

        Each of the `edits` is a way to make it. It maps code to what replaces it, in the nearest
        function in which the code stands once, or `of` a piece; or it is what the reference, or
        that piece, returns instead.
        """
        mistake = self._named(name, why, section)
        for change in edits:
            right = self.reference if isinstance(change, str) else None
            mistake.edits.append((of or right, _replacing(change)))
        return mistake

    def _named(self, name: str, why: str, section: str | None) -> Mistake:
        if any(mistake.name == name for mistake in self.mistakes):
            raise ValueError(
                f"{self.id} knows the mistake {name!r} twice. Is it another way to make the same "
                "mistake? Then write it below `@FIRST.also`; else give it another name."
            )
        mistake = Mistake(name, why, self.place(section or self.section))
        self.mistakes.append(mistake)
        return mistake


@dataclass(frozen=True)
class Chapter:
    """The exercises of one chapter, and what its notebook provides.

    >>> [exercise.id for exercise in Chapter("basics", (task,)).exercises]
    ['basics-variance']
    """

    name: str
    exercises: tuple[Exercise, ...]
    given: tuple[Function, ...] = ()

    @property
    def given_source(self) -> str:
        """The provided functions as one cell of the notebook."""
        return "\n\n\n".join(inspect.getsource(function).strip() for function in self.given)


class Program(NamedTuple):
    """What makes one file of the answers to a chapter run: what stands before and behind them."""

    chapter: str
    #: A docstring in which "{taken}" says what is the course's.
    head: str
    imports: tuple[str, ...]
    main: str


def _replacing(change: Mapping[str, str] | str) -> Edits:
    if isinstance(change, str):
        change = {"return ": f"{change if 'return ' in change else f'return {change}'}; "}
    return tuple(change.items())


def _tensors_of(then: Inputs, now: Inputs) -> tuple:
    pairs = zip(then.args, now.args, strict=True)
    return tuple(old if isinstance(old, Tensor | dict | Made) else new for old, new in pairs)


def _spelt(name: str) -> str:
    return name.replace("_", "-")

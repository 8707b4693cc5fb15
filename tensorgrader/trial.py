"""A function on trial: its inputs, its outcomes, and the expected results."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, DrawInputs, Exercise, Explained, Function, Inputs, Property
from tensorgrader.outcome import Died, Missing, Outcome, Raised, Returned, TimedOut, Unfit
from tensorgrader.sandbox.values import INTEGERS, Made, Other, made, plain
from tensorgrader.sandbox.worker import apply

# Loose enough for any order of summation and for a square root taken in float32; the nearest
# mistake is a hundred times farther off.
TOLERANCES = {
    torch.bfloat16: (4e-2, 8e-3),
    torch.float16: (5e-3, 1e-3),
    torch.float32: (1e-4, 1e-5),
    torch.float64: (1e-6, 1e-7),
}

SILENCE = Died("gave no answer")  # a question without an answer never holds


@dataclass(frozen=True, eq=False)
class Question:
    """One input, its expected result, and the outcomes of known mistakes so far.

    `origins` are those of results through which a model trains; `earlier` is the expected result of
    the earlier call, if there is one; `effect` is the exercise's.
    """

    inputs: Inputs
    expected: Any
    origins: tuple = ()
    earlier: Any = None
    effect: Function | None = None
    mistaken: dict[Function, Outcome] = field(default_factory=dict)


class Questions:
    """The questions of an exercise with one seed, each drawn when first needed."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise, self.seed = exercise, seed
        self._drawn: dict[str, list[Question]] = {}

    def drawn(self, name: str, draw_inputs: DrawInputs) -> list[Question]:
        """Return the questions of that name."""
        if name not in self._drawn:
            batch = draw_inputs(Draw(self.seed, self.exercise.id, name))
            self._drawn[name] = [self._question(inputs) for inputs in batch]
        return self._drawn[name]

    def _question(self, inputs: Inputs) -> Question:
        """Compute the expected result, and where gradients should flow."""
        exercise = self.exercise
        if exercise.driver:
            inputs = inputs._replace(driver=Made("", exercise.driver, ()))
        before = inputs.before and expected(exercise, inputs._replace(args=inputs.before))
        right, origins = expected(exercise, inputs), self._origins(inputs)
        return Question(inputs, right, origins, before, exercise.effect)

    def _origins(self, inputs: Inputs) -> tuple:
        """Compute for each result which arguments a gradient should reach, if a model trains."""
        right = apply_here(self.exercise.reference, inputs) if inputs.trains else None
        trained = {name for prop in self.exercise.properties for name in prop.trains}
        origins = right.origins if isinstance(right, Returned) else ()
        pairs = zip(self.exercise.results, origins, strict=False)
        return tuple(reached if name in trained else () for name, reached in pairs)


@dataclass(frozen=True, eq=False)
class Case:
    """A question and its outcome; in some cases, the outcome when asked again."""

    question: Question
    outcome: Outcome
    again: Outcome | None = None

    @property
    def inputs(self) -> Inputs:
        """The inputs of the function."""
        return self.question.inputs

    @property
    def expected(self) -> Any:
        """The expected result."""
        return self.question.expected


class Trial:
    """One function on trial: answers each question once, when first needed."""

    def __init__(self, questions: Questions, apply: Callable[[list[Inputs]], Iterable[Outcome]]):
        self.exercise, self.questions = questions.exercise, questions
        self._apply = apply
        self._cases: dict[str, list[Case]] = {}

    def cases(self, prop: Property) -> list[Case]:
        """Return a property's cases, up to the first that ends the process or takes too long."""
        return self._tried(prop.id, prop.inputs)

    def all_cases(self) -> list[Case]:
        """Return the cases of every property and the probes, up to the first without an answer.

        The first property's questions are asked twice.
        """
        tried: list[Case] = []
        makers = [(prop.id, prop.inputs) for prop in self.exercise.properties]
        makers += [(draw_inputs.__name__, draw_inputs) for draw_inputs in self.exercise.probes]
        for name, draw_inputs in makers:
            tried += self._tried(name, draw_inputs)
            if any(isinstance(case.outcome, TimedOut | Died | Missing) for case in tried):
                return tried
        first = self.cases(self.exercise.properties[0])
        again = chain(self._answers([case.question for case in first]), repeat(None))
        twice = [replace(case, again=o) for case, o in zip(first, again, strict=False)]
        return twice + tried[len(twice) :]

    def _tried(self, name: str, draw_inputs: DrawInputs) -> list[Case]:
        if name in self._cases:
            return self._cases[name]
        cases = self._cases[name] = []
        questions = self.questions.drawn(name, draw_inputs)
        outcomes = chain(self._answers(questions), repeat(SILENCE))
        for question, outcome in zip(questions, outcomes, strict=False):
            cases.append(Case(question, outcome))
            if isinstance(outcome, TimedOut | Died | Missing):
                break
        return cases

    def _answers(self, questions: list[Question]) -> Iterator[Outcome]:
        outcomes = self._apply([question.inputs for question in questions])
        for question, outcome in zip(questions, outcomes, strict=False):
            yield compared(question, outcome)


def compared(question: Question, outcome: Outcome) -> Outcome:
    """Replace a result by its effect, if the exercise compares effects."""
    if question.effect is None or not isinstance(outcome, Returned):
        return outcome
    try:
        done = question.effect(outcome.value, *made(question.inputs.args))
    except ValueError as error:
        return Unfit(str(error))
    except Exception:  # whatever a worker sent must not stop the grader
        return Unfit("Its result cannot be used.")
    value, words = done if isinstance(done, Explained) else (done, "")
    return outcome._replace(value=plain(value), words=words)


def apply_here(function: Function, inputs: Inputs) -> Returned | Raised:
    """Apply a function in this process to copies of the inputs."""
    args, mask, before = plain((inputs.args, inputs.mask, inputs.before))
    return apply(function, args, mask, before, inputs.trains, inputs.driver)


def expected(exercise: Exercise, inputs: Inputs) -> Any:
    """Apply the reference in float64, and return its result in the inputs' precision."""
    mask = () if inputs.mask is None else (inputs.mask,)
    args = made(_floats_as(torch.float64, inputs.args))
    answer = (exercise.reference,) if exercise.driver else ()
    result = (exercise.driver or exercise.reference)(*answer, *args, *mask)
    if exercise.effect:
        result = exercise.effect(result, *made(inputs.args))
        result = result.value if isinstance(result, Explained) else result
    floats = [tensor.dtype for tensor in tensors(inputs.args) if tensor.is_floating_point()]
    return plain(_floats_as(floats[0], result) if floats else result)


def _floats_as(dtype: torch.dtype, value: Any) -> Any:
    """Convert every float tensor in a value; ids and masks stay."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if isinstance(value, tuple | list):
        return type(value)(_floats_as(dtype, item) for item in value)
    if isinstance(value, dict):
        return {key: _floats_as(dtype, item) for key, item in value.items()}
    return value


def tensors(value: Any) -> Iterator[Tensor]:
    """Yield every tensor in a value."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors(item)


def size(inputs: Inputs) -> int:
    """Return how many numbers a reader would have to look at."""
    return _size((*inputs.args, inputs.mask))


def _size(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, tuple | list | dict):
        return sum(map(_size, value.values() if isinstance(value, dict) else value))
    return int(value is not None)


def close(yours: Tensor, theirs: Tensor) -> Tensor:
    """Compare entry by entry, within the tolerance of the second's dtype."""
    rtol, atol = TOLERANCES.get(theirs.dtype, (0.0, 0.0))
    return torch.isclose(yours, theirs, rtol=rtol, atol=atol, equal_nan=True)


def same(yours: Any, theirs: Any) -> bool:
    """Return whether two plain values are equal: structure, shapes, dtypes, entries.

    A list is as good as a tuple, an integer as the float it equals, and int32, int16, int8 or uint8
    as the int64 it equals: no exercise says which type of integer to return.
    """
    if isinstance(yours, Other) or isinstance(theirs, Other):
        return type(yours) is type(theirs) and yours == theirs
    if isinstance(theirs, tuple | list):
        alike = isinstance(yours, tuple | list) and len(yours) == len(theirs)
        return alike and all(map(same, yours, theirs))
    if isinstance(theirs, dict):
        alike = isinstance(yours, dict) and yours.keys() == theirs.keys()
        return alike and all(same(yours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, Tensor):
        alike = isinstance(yours, Tensor) and yours.shape == theirs.shape
        if alike and theirs.dtype == torch.int64 and yours.dtype in INTEGERS:
            yours = yours.long()
        if not alike or yours.dtype != theirs.dtype:
            return False
        return torch.equal(yours, theirs) or bool(close(yours, theirs).all())
    if isinstance(theirs, float) and type(yours) in (int, float):
        rtol, atol = TOLERANCES[torch.float32]
        both_nan = math.isnan(yours) and math.isnan(theirs)
        return both_nan or math.isclose(yours, theirs, rel_tol=rtol, abs_tol=atol)
    return type(yours) is type(theirs) and yours == theirs

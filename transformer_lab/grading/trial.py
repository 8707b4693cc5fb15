"""A function on trial: what it is applied to, what comes out, and what should have come out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs, Property
from transformer_lab.grading.sandbox import Died, Outcome, TimedOut
from transformer_lab.grading.worker import Missing, Other

# Loose enough for any order of summation and for a square root taken in float32; the nearest
# mistake is a hundred times farther off.
TOLERANCES = {torch.float32: (1e-4, 1e-5), torch.float64: (1e-6, 1e-7)}


@dataclass(frozen=True, eq=False)
class Case:
    """One input, what should come out, and what did."""

    inputs: Inputs
    expected: Any
    outcome: Outcome


class Trial:
    """One function on trial: applies it to each input once, when first asked."""

    def __init__(self, exercise: Exercise, apply: Callable[[Inputs], Outcome], seed: int):
        """Take what applies the learner's function to inputs, and the seed they are drawn from."""
        self.exercise, self.seed = exercise, seed
        self._apply = apply
        self._cases: dict[str, list[Case]] = {}

    def cases(self, prop: Property) -> list[Case]:
        """Give a property's cases, up to the first that ends the process or comes too late."""
        return self._tried(prop.id, prop.inputs)

    def all_cases(self) -> list[Case]:
        """Give the cases of every property and the probes, up to the first that gives no answer."""
        tried: list[Case] = []
        makers = [(prop.id, prop.inputs) for prop in self.exercise.properties]
        for name, draw_inputs in [*makers, ("probes", self.exercise.probes)]:
            tried += self._tried(name, draw_inputs)
            if any(isinstance(case.outcome, TimedOut | Died | Missing) for case in tried):
                break
        return tried

    def _tried(self, name: str, draw_inputs: Callable[[Draw], list[Inputs]]) -> list[Case]:
        if name in self._cases:
            return self._cases[name]
        cases = self._cases[name] = []
        for inputs in draw_inputs(Draw(self.seed, self.exercise.id, name)):
            outcome = self._apply(inputs)
            cases.append(Case(inputs, expected(self.exercise, inputs), outcome))
            if isinstance(outcome, TimedOut | Died | Missing):
                break
        return cases


def expected(exercise: Exercise, inputs: Inputs) -> Any:
    """Apply the reference in float64, and give its result in the dtype of the inputs."""
    exact = [arg.double() if isinstance(arg, Tensor) else arg for arg in inputs.args]
    mask = () if inputs.mask is None else (inputs.mask,)
    result = exercise.reference(*exact, *mask)
    dtype = inputs.args[0].dtype
    if isinstance(result, tuple):
        return tuple(part.to(dtype) for part in result)
    return result.to(dtype)


def size(inputs: Inputs) -> int:
    """Count the numbers a reader would have to look at."""
    tensors = [arg for arg in (*inputs.args, inputs.mask) if isinstance(arg, Tensor)]
    return sum(tensor.numel() for tensor in tensors)


def close(yours: Tensor, theirs: Tensor) -> Tensor:
    """Compare entry by entry, within the tolerance of the second's dtype."""
    rtol, atol = TOLERANCES.get(theirs.dtype, (0.0, 0.0))
    return torch.isclose(yours, theirs, rtol=rtol, atol=atol, equal_nan=True)


def same(yours: Any, theirs: Any) -> bool:
    """Compare two plain values: structure, shapes, dtypes, entries."""
    if isinstance(yours, Other) or isinstance(theirs, Other):
        return yours == theirs
    if isinstance(yours, tuple) and isinstance(theirs, tuple):
        return len(yours) == len(theirs) and all(map(same, yours, theirs))
    if isinstance(yours, Tensor) and isinstance(theirs, Tensor):
        alike = yours.shape == theirs.shape and yours.dtype == theirs.dtype
        return alike and bool(close(yours, theirs).all())
    return type(yours) is type(theirs) and yours == theirs

"""What errors prove by themselves: which arguments raise them, and what their messages say."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tensorgrader.naming.compare import arguments, wrong_parts
from tensorgrader.outcome import Outcome, Raised, Returned
from tensorgrader.trial import Case, tensors

Without = Callable[[list[Case]], list[Outcome]]


def succeeding(kind: Callable[[list[Tensor]], Any]) -> Without:
    """Return the right results if all arguments of one kind fail, and no others do.

    Some raise an error, or give another shape. If others happen to fit, their results are wrong.
    """

    def without(cases: list[Case]) -> list[Outcome]:
        kinds = [kind(list(tensors((*case.inputs.args, case.inputs.mask)))) for case in cases]
        unfit = any(_is_unfit(case) for case in cases)
        failed = [unfit and not is_right(case) for case in cases]
        fine = {k for k, fails in zip(kinds, failed, strict=True) if not fails}
        counts = {len(k) for k in kinds if isinstance(k, tuple)}  # such as a model's of more layers
        unlike = len(counts) > 1
        alike = any(k in fine for k, fails in zip(kinds, failed, strict=True) if fails)
        if not fine or alike or unlike:
            return [case.outcome for case in cases]
        return [
            righted(case) if fails else case.outcome
            for case, fails in zip(cases, failed, strict=True)
        ]

    return without


def _is_unfit(case: Case) -> bool:
    if not isinstance(case.outcome, Returned):
        return True
    shapes = [getattr(value, "shape", None) for value in (case.outcome.value, case.expected)]
    return None not in shapes and shapes[0] != shapes[1]


def is_right(case: Case) -> bool:
    """Return whether the returned value is right."""
    return isinstance(case.outcome, Returned) and not wrong_parts(case.outcome, case)


def raising(words: str) -> Without:
    """Return the right results in place of errors with this message."""

    def without(cases: list[Case]) -> list[Outcome]:
        return [
            righted(case) if isinstance(o, Raised) and words in o.message else o
            for case in cases
            for o in [case.outcome]
        ]

    return without


def righted(case: Case) -> Returned:
    """Return the outcome that was expected."""
    return Returned(case.expected, arguments(case), case.question.origins)


def axes(given: list[Tensor]) -> tuple[int, ...]:
    """Return the number of axes of each argument; of masks if there is nothing else."""
    asked = [tensor for tensor in given if tensor.dtype != torch.bool] or given
    return tuple(tensor.dim() for tensor in asked)


def are_of_one_shape(given: list[Tensor]) -> bool:
    """Return whether masks, if any, fit without broadcasting."""
    masked = any(tensor.dtype == torch.bool for tensor in given)
    return not masked or len({tensor.shape for tensor in given}) == 1

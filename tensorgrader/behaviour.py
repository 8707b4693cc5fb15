"""What a wrong answer does, as a short name: the same for all answers that fail in the same way.

It is made of the requirements and cases that fail, and of what came out of each. Answers that only
round differently are alike: of numbers it keeps the size and one weighted mean, both coarsely.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor

from tensorgrader.judge import Result
from tensorgrader.naming.match import is_telling
from tensorgrader.outcome import UNWRITTEN, Outcome, Raised, Returned
from tensorgrader.sandbox.values import clean

LENGTH = 8  # letters of a name
STEPS = 50  # of the weighted mean, from -1 to 0 and from 0 to 1
QUOTED = re.compile(r"'[^']*'")  # such as a learner's own names
AWAY = 0.381966  # from round numbers, where rounding would decide


def behaviour(results: Iterable[Result]) -> str:
    """Return the name of what an answer does; "" for one that is right, or was not written.

    One that fails because of an earlier function has none: it may be right.
    """
    wrong = [result for result in results if result.finding]
    raised = {
        case.outcome.type
        for result in wrong
        for _, case in result.failing
        if isinstance(case.outcome, Raised)
    }
    if not wrong or UNWRITTEN.type in raised or any(result.wrong_steps for result in wrong):
        return ""
    told = "\n".join(line for result in wrong for line in _lines(result))
    exercise = wrong[0].exercise.id
    return f"{exercise}-{sha256(told.encode()).hexdigest()[:LENGTH]}"


def crash(results: Iterable[Result]) -> str:
    """Return the error of an answer with too few wrong results to name a mistake; "" for others."""
    cases = [case for result in results for _, case in result.failing]
    raised = [case.outcome for case in cases if isinstance(case.outcome, Raised)]
    if not raised or is_telling(cases):
        return ""
    return clean(f"{raised[0].type}: {raised[0].message}")[:200]


def _lines(result: Result) -> Iterator[str]:
    """Yield what fails of a requirement; of what was not run, what the grader says."""
    yield result.prop.id
    if result.finding and not result.failing:
        yield result.finding.words
    for number, case in result.failing:
        yield f"{number} {_did(case.outcome)}"


def _did(outcome: Outcome) -> str:
    """Return what came out, without what another writing of the same function may change."""
    match outcome:
        case Returned(value, _, origins, severed):
            return f"{_value(value)} {origins} {severed}"
        case Raised(kind, message):
            return f"{kind} {QUOTED.sub('', message)}"
    return type(outcome).__name__


def _value(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{tuple(value.shape)} {value.dtype} {_numbers(value)}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_value, value))})"
    if isinstance(value, dict):
        return f"({', '.join(f'{key}: {_value(value[key])}' for key in value)})"
    if isinstance(value, float):
        return _numbers(torch.tensor([value], dtype=torch.float64))
    return repr(value)[:200]


def _numbers(value: Tensor) -> str:
    """Return numbers, coarsely; those in half precision are too coarse already."""
    if not value.is_floating_point():
        return sha256(repr(value.tolist()).encode()).hexdigest()[:LENGTH]
    if value.dtype in (torch.float16, torch.bfloat16):
        return ""
    flat = value.detach().double().flatten()
    finite = flat.isfinite()
    strange = [] if finite.all() else [str(x) for x in flat[~finite].tolist()[:9]]
    flat = torch.where(finite, flat, 0.0)
    size = float(flat.abs().sum())
    if size < 1e-6 * max(flat.numel(), 1):
        return f"0 {strange}"
    weights = torch.arange(1.0, flat.numel() + 1, dtype=torch.float64).mul(1.7).cos()
    mean = float((weights * flat).sum()) / size
    octaves = float(torch.tensor(size).log2())
    return f"{_coarse(octaves * 4)} {_coarse(mean * STEPS)} {strange}"


def _coarse(number: float) -> int:
    return int((number + AWAY) // 1)

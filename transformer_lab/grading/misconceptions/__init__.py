"""Known-wrong implementations: the bank the grader names mistakes from."""

from collections.abc import Callable
from typing import Any

from transformer_lab.grading.exercise import Mistake


def mistake(name: str, *, why: str, section: str) -> Callable[[Callable[..., Any]], Mistake]:
    """Make the decorated function a named mistake; `section` names page#heading."""
    return lambda function: Mistake(name, why, section, function)

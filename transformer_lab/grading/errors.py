"""What an exception means, in a sentence for whoever wrote the line that raised it."""

import builtins
import re
from difflib import get_close_matches

from transformer_lab.grading.exercise import Exercise
from transformer_lab.grading.outcome import UNWRITTEN, Raised

TURNED = "`.T` turns all axes round, those of batch and heads too; `.mT` only the last two."
INTO_WHAT_IS_KEPT = "modified by an inplace operation"
USUAL = ("math", "torch", "F", "nn", *dir(builtins))  # what an answer may call by name


def explained(raised: Raised, exercise: Exercise) -> tuple[str, ...]:
    """Say what was raised, and in a second sentence what it often means."""
    if raised.type == UNWRITTEN.type:
        return ("It is not written yet: it still raises NotImplementedError.",)
    if raised.message.startswith("the ready-made"):  # refused while it ran
        return (f"That is not allowed here: {raised.message}.",)
    if INTO_WHAT_IS_KEPT in raised.message:
        return (
            "No gradient gets back through it: for the gradient, PyTorch had kept a tensor into "
            "which the function wrote afterwards.",
        )
    where = f" in line {raised.line}" if raised.line else ""
    said = f"It raised {raised.type}{where}{': ' if raised.message else '.'}{raised.message}"
    meant = _meant(raised, exercise)
    return (said, meant) if meant else (said,)


def _meant(raised: Raised, exercise: Exercise) -> str:
    """Say what an exception often means, or nothing."""
    if 0 <= raised.within < len(exercise.arguments):
        return (
            f"It came out of `{exercise.arguments[raised.within]}`, which you were given. Either "
            "that does not take what you hand it, or it fails by itself: then call it between "
            "`try:` and `except Exception:`."
        )
    if raised.type == "NameError" and (match := re.match(r"name '(\w+)'", raised.message)):
        return _missing(match[1], exercise)
    if raised.type == "UnboundLocalError" and (match := re.search(r"'(\w+)'", raised.message)):
        return f"`{match[1]}` is read before the line that gives it a value."
    if raised.type == "RecursionError":
        return "It calls itself without end. Has it the name of a function that it means to call?"
    if raised.type == "TypeError" and not raised.line:
        return f"It is called as `{exercise.function}({', '.join(exercise.arguments)})`."
    if re.search(r"\.T\b", raised.code):
        return TURNED
    return ""


def _missing(name: str, exercise: Exercise) -> str:
    """Say what a missing name may have been meant to be."""
    near = get_close_matches(name, (*exercise.arguments, *USUAL), n=1, cutoff=0.7)
    meant = f" Did you mean `{near[0]}`?" if near and near[0] != name else ""
    return f"There is nothing called `{name}`.{meant}"

"""What an exception means, in a sentence for the author of the line that raised it."""

import builtins
import inspect
import re
import sys
from difflib import get_close_matches

from tensorgrader.exercise import Exercise
from tensorgrader.outcome import UNWRITTEN, Raised

TURNED = "`.T` reverses all axes, those of batch and heads too; `.mT` transposes only the last two."
INTO_WHAT_IS_KEPT = "modified by an inplace operation"
#: The errors of Python's compiler.
BROKEN = ("SyntaxError", "IndentationError", "TabError")
USUAL = ("math", "torch", "F", "nn", *dir(builtins))  # what an answer may call by name


def syntax_error(message: str, line: int | None) -> str:
    """Return where a cell has a syntax error, and which."""
    return f"has a syntax error in line {line}: {message}"


def unread(problem: str) -> str:
    """Return what is wrong with a cell, and the line that the problem ends with."""
    words, _, line = problem.partition("\n")
    return f"Its cell {words}" + f"\n`{line}`" * bool(line)


def uncompiled(raised: Raised | None) -> tuple[str, ...]:
    """Return which line of a cell has a syntax error, if that was raised, and the line."""
    if not raised or raised.type not in BROKEN:
        return ()
    first, *meant = _broken(raised)
    return (first, *([f"`{raised.code}`"] if raised.code else []), *meant)


def explained(raised: Raised, exercise: Exercise) -> tuple[str, ...]:
    """Return what was raised, and in a second sentence what it often means."""
    if raised.type == UNWRITTEN.type:
        return ("It is not written yet: replace the line that raises NotImplementedError.",)
    if raised.message.startswith("the ready-made"):  # detected while it ran
        return (f"That is not allowed here: {raised.message}.",)
    if INTO_WHAT_IS_KEPT in raised.message:
        return (
            "No gradient flows back through it: PyTorch had saved a tensor for the gradient, and "
            "the function modified it afterwards.",
        )
    if raised.type in BROKEN:
        return _broken(raised)
    where, colon = place(raised), ": " if raised.message else "."
    said = f"It raised {raised.type}{where}{colon}{raised.message}"
    meant = _meant(raised, exercise)
    return (said, meant) if meant else (said,)


def _broken(raised: Raised) -> tuple[str, ...]:
    """Return where a cell has a syntax error, and whether a statement lies outside its function."""
    said = f"Its cell {syntax_error(raised.message, raised.line)}"
    if re.fullmatch(r"'[\w ]+' outside function", raised.message):
        return said, f"Line {raised.line} is outside of the function: indent it."
    return (said,)


def place(raised: Raised) -> str:
    """Return the line in which something was raised, or the function that this line calls."""
    if not raised.line:
        return ""
    if isinstance(raised.within, str):
        return f" in `{raised.within}`, which your line {raised.line} calls"
    return f" in line {raised.line}"


def _meant(raised: Raised, exercise: Exercise) -> str:
    if isinstance(raised.within, int) and 0 <= raised.within < len(exercise.arguments):
        return (
            f"The error came from `{exercise.arguments[raised.within]}`, one of the arguments. "
            "Either it does not accept what you pass, or it fails on its own: then call it inside "
            "`try:` and `except Exception:`."
        )
    if raised.type == "NameError" and (match := re.match(r"name '(\w+)'", raised.message)):
        return _missing(match[1], exercise)
    if raised.type == "UnboundLocalError" and (match := re.search(r"'(\w+)'", raised.message)):
        return f"`{match[1]}` is used before the line that assigns it."
    if raised.type == "RecursionError":
        return (
            "It calls itself without end. Does it have the name of a function that it should call?"
        )
    if module := _module(raised, exercise):
        return (
            f"`{module}` is a module, not a dict: its parts are attributes. Write "
            f'`{module}.NAME` instead of `{module}["NAME"]`.'
        )
    if raised.type == "TypeError" and not raised.line:
        return f"It is called as `{exercise.function}({', '.join(exercise.parameters)})`."
    if re.search(r"\.T\b", raised.code):
        return TURNED
    return ""


def _module(raised: Raised, exercise: Exercise) -> str:
    """Return the argument, a module, that was read like a dict, or ""."""
    read = re.match(
        r"'(\w+)' object (?:is not (?:subscriptable|iterable)|has no attribute '(?:items|keys)')",
        raised.message,
    )
    kind = read[1] if read else ""
    given = inspect.signature(exercise.reference).parameters.items() if kind else ()
    return next((name for name, p in given if getattr(p.annotation, "__name__", "") == kind), "")


def _missing(name: str, exercise: Exercise) -> str:
    module = exercise.reference.__module__
    step = getattr(sys.modules.get(module), name, None)
    if getattr(step, "__module__", "").startswith(f"{module.partition('.')[0]}."):
        return f"`{name}` is defined in another cell. Run that cell; it must raise no error."
    near = get_close_matches(name, (*exercise.parameters, *USUAL), n=1, cutoff=0.7)
    meant = f" Did you mean `{near[0]}`?" if near and near[0] != name else ""
    return f"Nothing is called `{name}`.{meant}"

"""Whether a known mistake and a place, found apart from each other, can be the same mistake."""

import ast
import inspect
import re
import textwrap
from collections import Counter

from tensorgrader.exercise import Exercise, Function, Mistake
from tensorgrader.find_answer import source_of
from tensorgrader.repair.search import Step

#: What is mixed up with each other: sorts of edits, and words of code that belong to them.
FAMILIES = (
    (
        "axis keepdim transpose layout order index arguments operands name steps part",
        "T mT transpose swapaxes permute movedim dim axis keepdim view reshape flatten unflatten "
        "unsqueeze squeeze stack cat chunk split size shape None repeat_interleave repeat tile "
        "- 0 1 2 3",
    ),
    (
        "number truth bound comparison sign condition operator operands index root parentheses "
        "steps statement dropped correction part",
        "True False not and or if else clamp min max tril triu range arange sqrt diagonal - + * / "
        "// % ** < <= > >= == != ~ & | 0 1 2 3 5 correction unbiased",
    ),
    (
        "dtype clone statement dropped call part",
        "detach no_grad with item tolist clone float long double half bool dtype to numpy",
    ),
)


def contradicts(exercise: Exercise, mistake: Mistake, step: Step, statements: str) -> bool:
    """Return whether an edit has nothing to do with any way to make a mistake.

    It is of another family, and the statements that it changes have none of the words in which the
    wrong function differs from the right one. Where a way has words of no family, or none at all,
    nothing contradicts it.
    """
    pairs = mistake.made(exercise.reference) if mistake in exercise.mistakes else mistake.pieces
    try:
        changed = [_changed(right, wrong) for right, wrong in pairs]
    except (OSError, TypeError, IndexError):  # there is no source
        return False
    own = {n for n, (sorts, _) in enumerate(FAMILIES) if step.sort in sorts.split()}
    return bool(changed and own) and all(
        one and not one & {*_words(statements)} and _families(one).isdisjoint(own)
        for one in changed
    )


def _families(words: set[str]) -> set[int]:
    """Return the families that some words belong to; all of them if one belongs to none."""
    found = [{n for n, (_, its) in enumerate(FAMILIES) if word in its.split()} for word in words]
    return set().union(*found) if all(found) else {*range(len(FAMILIES))}


def _changed(right: Function, wrong: Function) -> set[str]:
    one, other = (Counter(_words(_body(function))) for function in (right, wrong))
    return {*(one - other), *(other - one)}


def _body(function: Function) -> str:
    """Return the code of a function, without its name, annotations and docstring."""
    source = source_of(function) if isinstance(function, type) else inspect.getsource(function)
    node = ast.parse(textwrap.dedent(source)).body[0]
    body = getattr(node, "body", [])
    return "\n".join(ast.unparse(part) for part in body if not _is_text(part))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _words(code: str) -> list[str]:
    return re.findall(r"\w+|[-+*/@<>=!~&|%]+", code)

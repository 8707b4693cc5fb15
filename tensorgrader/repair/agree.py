"""Whether a known mistake and a place, found apart from each other, can be the same mistake."""

import ast
import inspect
import re
import textwrap
from collections import Counter
from typing import Any

from tensorgrader.exercise import Exercise, Function, Mistake
from tensorgrader.find_answer import source_of
from tensorgrader.repair.search import Step

#: What is mixed up with each other, a family a paragraph: sorts of edits, and words of code.
FAMILIES = """axis keepdim transpose swap order index arguments operands name part T mT dim
swapaxes permute movedim view reshape flatten unflatten unsqueeze squeeze stack cat chunk split size
shape None repeat_interleave repeat tile - 0 1 2 3

number truth comparison sign condition operator operands index root parentheses part
statement dropped correction True False not and or if else clamp min max tril triu range arange sqrt
diagonal unbiased - + * / // % ** < <= > >= == != ~ & | 0 1 2 3 5

dtype clone statement dropped call part detach no_grad with item tolist float long double half bool
to numpy"""


def contradicts(exercise: Exercise, mistake: Mistake, step: Step, statements: str) -> bool:
    """Return whether an edit has nothing to do with any way to make a mistake.

    It is of another family, and the statements that it changes have none of the words in which the
    wrong function differs from the right one. Where a way has words of no family, or none at all,
    nothing contradicts it.
    """
    pairs = mistake.made(exercise.reference) if mistake in exercise.mistakes else mistake.pieces
    own = {w for one in FAMILIES.split("\n\n") if step.sort in one.split() for w in one.split()}
    others = {*FAMILIES.split()} - own - {*_words(statements)}
    try:
        codes = [(_code(right), _code(wrong)) for right, wrong in pairs]
    except (OSError, TypeError, IndexError, AttributeError):  # there is no source
        return False
    changed = [{*(one - other), *(other - one)} for one, other in codes]
    return bool(changed and own) and all(one and one <= others for one in changed)


def _code(function: Function) -> Counter:
    """Count the words of a function's code, without its name, annotations and docstring."""
    source = source_of(function) if isinstance(function, type) else inspect.getsource(function)
    node: Any = ast.parse(textwrap.dedent(source)).body[0]
    code = node.body[ast.get_docstring(node) is not None :]
    return Counter(_words("\n".join(map(ast.unparse, code))))


def _words(code: str) -> list[str]:
    return re.findall(r"\w+|[-+*/@<>=!~&|%]+", code)

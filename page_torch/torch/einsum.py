"""Sums over letters, as PyTorch computes them: axes permuted, then batches of matrix products."""

import math
import re
from typing import Any

from .axes import permuted
from .dtypes import no_bools
from .missing import missing
from .operation import torch_function
from .products import check_types, multiplied
from .reducing import sum as summed
from .tensor import Tensor
from .views import reshaped

DOTS = "0123456789"  # letters for the axes that "..." stands for


@torch_function
def einsum(equation: str, *operands: Any) -> Tensor:
    given = list(operands[0]) if isinstance(operands[0], list | tuple) else list(operands)
    terms, result = read(equation.replace(" ", ""), given)
    lengths: dict[str, int] = {}
    for n, (term, x) in enumerate(zip(terms, given, strict=True)):
        for letter, size in zip(term, x.shape, strict=True):
            before = lengths.setdefault(letter, size)
            if before == size:
                continue
            if 1 in (before, size):
                raise missing("einsum that repeats an axis of length 1")
            raise RuntimeError(
                f"einsum(): subscript {letter} has size {size} for operand {n} which does not "
                f"broadcast with previously seen size {before}"
            )
    ready = [plain(x, term) for x, term in zip(given, terms, strict=True)]
    (value, letters), *others = ready
    for n, (x, term) in enumerate(others, 1):
        later = result + "".join(t for _, t in ready[n + 1 :])
        value, letters = contracted(value, letters, x, term, later, lengths)
    gone = [d for d, letter in enumerate(letters) if letter not in result]
    if gone:
        value = summed(value, gone)
        letters = "".join(letter for letter in letters if letter in result)
    return permuted(value, [letters.index(letter) for letter in result])


def read(equation: str, given: list[Tensor]) -> tuple[list[str], str]:
    """Return the letters of the axes of each operand, and of the result."""
    left, arrow, right = equation.partition("->")
    if not re.fullmatch(r"[A-Za-z.,]*", left) or not re.fullmatch(r"[A-Za-z.]*", right):
        raise RuntimeError("einsum(): invalid subscript given, subscripts must be in [a-zA-Z]")
    terms = left.split(",")
    if len(terms) != len(given):
        many = "more" if len(terms) < len(given) else "fewer"
        raise RuntimeError(f"einsum(): {many} operands than in the equation")
    for part in (*terms, right):
        if part.replace("...", "", 1).count("."):
            raise RuntimeError("einsum(): found '.' that is not part of any ellipsis")
    most = max(
        (len(x.shape) - len(t) + 3 for t, x in zip(terms, given, strict=True) if "..." in t),
        default=0,
    )
    spelt = [_spelt(n, t, x, most) for n, (t, x) in enumerate(zip(terms, given, strict=True))]
    if not arrow:
        every = "".join(terms).replace(".", "")
        once = sorted(letter for letter in set(every) if every.count(letter) == 1)
        return spelt, DOTS[: max(most, 0)] + "".join(once)
    result = right.replace("...", DOTS[: max(most, 0)])
    for letter in result:
        if result.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once")
        if letter not in "".join(spelt):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in any operand"
            )
    return spelt, result


def _spelt(n: int, term: str, x: Tensor, most: int) -> str:
    """Replace an ellipsis by letters, and check that there is one for each axis."""
    here = len(x.shape) - len(term) + 3
    if "..." in term and here >= 0:
        term = term.replace("...", DOTS[most - here : most])
    if len(term) != len(x.shape):
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the "
            f"number of dimensions ({len(x.shape)}) for operand {n} and no ellipsis was given"
        )
    return term


def plain(x: Tensor, term: str) -> tuple[Tensor, str]:
    """Return the diagonal of axes with the same letter."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            a = term.index(letter)
            b = term.index(letter, a + 1)
            if x.shape[a] != x.shape[b]:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand but the sizes don't "
                    f"match, {x.shape[b]} != {x.shape[a]}"
                )
            x = x.diagonal(0, a, b).movedim(-1, a)
            term = term[:b] + term[b + 1 :]
    return x, term


def contracted(
    a: Tensor, one: str, b: Tensor, two: str, later: str, lengths: dict[str, int]
) -> tuple[Tensor, str]:
    """Multiply two operands, and sum over the letters that don't occur later."""
    check_types(a, b)
    a, one = _summed_alone(a, one, two + later)
    b, two = _summed_alone(b, two, one + later)
    shared = [c for c in one if c in two and c in later]
    gone = [c for c in one if c in two and c not in later]
    mine, yours = [c for c in one if c not in two], [c for c in two if c not in one]
    left = permuted(a, [one.index(c) for c in (*shared, *mine, *gone)])
    right = permuted(b, [two.index(c) for c in (*shared, *gone, *yours)])
    width, batch = _numel(gone, lengths), tuple(lengths[c] for c in shared)
    if width > 1:
        no_bools("bmm", a.dtype)
    product = multiplied(
        reshaped(left, (math.prod(batch), _numel(mine, lengths), width)),
        reshaped(right, (math.prod(batch), width, _numel(yours, lengths))),
    )
    letters = [*shared, *mine, *yours]
    return reshaped(product, tuple(lengths[c] for c in letters)), "".join(letters)


def _numel(letters: list[str], lengths: dict[str, int]) -> int:
    return math.prod(lengths[c] for c in letters)


def _summed_alone(x: Tensor, term: str, others: str) -> tuple[Tensor, str]:
    """Sum over the letters that occur in no other operand and not in the result."""
    alone = [d for d, c in enumerate(term) if c not in others]
    return (summed(x, alone), "".join(c for c in term if c in others)) if alone else (x, term)

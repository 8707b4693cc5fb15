"""How fast functions of numbers grow: what each step does to a gradient on its way back.

The steps have the names of the functions that compute them; page/train/replay.js has the same.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import mul
from typing import Any

from .scalar_math import divided, power

Flat = list[float]
C = math.sqrt(2 / math.pi)


def _log(v: float) -> float:
    return math.log(v) if v > 0 else -math.inf if v == 0 else math.nan


def _sigmoid(v: float) -> float:
    return (1 + math.tanh(v / 2)) / 2


def _gelu(v: float, _: float) -> float:
    bell = math.exp(-v * v / 2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + math.erf(v * math.sqrt(0.5))) + v * bell


def _gelu_by_tanh(v: float, _: float) -> float:
    t = math.tanh(C * (v + 0.044715 * v * v * v))
    return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * C * (1 + 3 * 0.044715 * v * v)


def _by_base(a: float, b: float, _: float) -> float:
    return b * power(a, b - 1) if b else 0.0


def _by_exponent(a: float, b: float, y: float) -> float:
    return 0.0 if a == 0 and b >= 0 else y * _log(a)


def _above(a: float, b: float) -> float:
    return 0.5 if a == b else a > b or a != a


#: y = f(x): how fast it grows, from x and y. A number stands where it is the same everywhere, and
#: True or False for a gradient that gets through or not, even if it is no number.
UNARY: dict[str, Any] = {
    "neg": -1.0,
    "abs": lambda x, y: (x > 0) - (x < 0),
    "squared": lambda x, y: 2 * x,
    "sqrt": lambda x, y: divided(0.5, y),
    "rsqrt": lambda x, y: -0.5 * y * y * y,
    "reciprocal": lambda x, y: -y * y,
    "exp": lambda x, y: y,
    "exp2": lambda x, y: y * math.log(2),
    "log": lambda x, y: divided(1.0, x),
    "log2": lambda x, y: divided(1.0, x * math.log(2)),
    "sin": lambda x, y: math.cos(x) if math.isfinite(x) else math.nan,
    "cos": lambda x, y: -math.sin(x) if math.isfinite(x) else math.nan,
    "tanh": lambda x, y: 1 - y * y,
    "sigmoid": lambda x, y: y * (1 - y),
    "relu_of": lambda x, y: y > 0,
    "_silu": lambda x, y: _sigmoid(x) * (1 + x - y) if math.isfinite(x) else float(x > 0),
    "_gelu": _gelu,
    "_gelu_by_tanh": _gelu_by_tanh,
    "_softplus": lambda x, y: _sigmoid(x),
    "_logsigmoid": lambda x, y: 1 - _sigmoid(x),
    "_finite": lambda x, y: math.isfinite(x),
    "_rounded": 0.0,
}
#: y = f(a, b ...): how fast it grows with each, from all of them and y; None for a mask.
SEVERAL: dict[str, Sequence[Any]] = {
    "add": (1.0, 1.0),
    "sub": (1.0, -1.0),
    "mul": (lambda a, b, y: b, lambda a, b, y: a),
    "divided": (lambda a, b, y: divided(1.0, b), lambda a, b, y: divided(-y, b)),
    "power": (_by_base, _by_exponent),
    "root_power": (_by_base, None),
    "remaining": (1.0, lambda a, b, y: divided(y - a, b)),
    "largest": (lambda a, b, y: _above(a, b), lambda a, b, y: _above(b, a)),
    "least": (lambda a, b, y: _above(-a, -b), lambda a, b, y: _above(-b, -a)),
    "at_least": (lambda a, b, y: a >= b, lambda a, b, y: a < b),
    "at_most": (lambda a, b, y: a <= b, lambda a, b, y: a > b),
    "hypot": (lambda a, b, y: divided(a, y), lambda a, b, y: divided(b, y)),
    "_filled": (lambda x, hides, f, y: not hides, None, lambda x, hides, f, y: bool(hides)),
    "_chosen": (None, lambda c, a, b, y: bool(c), lambda c, a, b, y: not c),
    "_real": (1.0, None),
    "_imaginary": (None, 1.0),
}


def alike(row: Flat, y: float, d: float) -> Flat:
    """Share a gradient among all numbers that are the largest, or the smallest."""
    one = [v == y or (v != v and y != y) for v in row]
    return [d / sum(one) if is_one else 0.0 for is_one in one]


def _spread(correction: float) -> Callable:
    def back(row: Flat, y: float, d: float) -> Flat:
        middle = divided(sum(row), len(row))
        return [divided(2 * (v - middle) * d, max(len(row) - correction, 0)) for v in row]

    return back


def _prod(row: Flat, y: float, d: float) -> Flat:
    return [d * math.prod(row[:n] + row[n + 1 :]) for n in range(len(row))]


def norm_back(order: float) -> Callable:
    """Return how the norm of a row grows with its numbers."""
    if order in (math.inf, -math.inf):
        return lambda row, y, d: [
            ((v > 0) - (v < 0)) * e
            for v, e in zip(row, alike(list(map(abs, row)), y, d), strict=True)
        ]

    def back(row: Flat, y: float, d: float) -> Flat:
        if not y or not order:
            return [0.0] * len(row)
        return [((v > 0) - (v < 0)) * d * power(abs(v) / y, order - 1) for v in row]

    return back


#: y = f(row): what gets back of its gradient d to each number of the row, from the row and y.
ROWS: dict[str, Callable] = {
    "total": lambda row, y, d: [d] * len(row),
    "_mean_of": lambda row, y, d: [d / len(row)] * len(row) if row else [],
    "prod": _prod,
    "greatest": alike,
    "smallest": alike,
    "variance_0": _spread(0),
    "variance_1": _spread(1),
    "log_of_sum": lambda row, y, d: [d * math.exp(v - y) for v in row],
}


def _softmax(line: Flat, y: Flat, d: Flat) -> Flat:
    product = [a * b for a, b in zip(y, d, strict=True)]
    whole = math.fsum(product) if all(map(math.isfinite, product)) else sum(product)
    return [p - a * whole for p, a in zip(product, y, strict=True)]


def _log_softmax(line: Flat, y: Flat, d: Flat) -> Flat:
    whole = sum(d)
    return [e - math.exp(a) * whole for e, a in zip(d, y, strict=True)]


def _cumsum(line: Flat, y: Flat, d: Flat) -> Flat:
    result, whole = [], 0.0
    for e in reversed(d):
        whole += e
        result.append(whole)
    return result[::-1]


def _cumprod(line: Flat, y: Flat, d: Flat) -> Flat:
    def one(n: int) -> float:
        before = y[n - 1] if n else 1.0
        rest = accumulate([before, *line[n + 1 :]], mul)
        return sum(e * product for e, product in zip(d[n:], rest, strict=True))

    return [one(n) for n in range(len(line))]


#: The same for functions that turn a line of numbers into another.
LINES: dict[str, Callable] = {
    "softmax_of": _softmax,
    "safe_softmax_of": _softmax,
    "log_softmax_of": _log_softmax,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
}


def elementwise(
    grows: Sequence[Any], given: Sequence[Iterable[Any]], values: Sequence[float]
) -> tuple[Any, bool]:
    """Return the way back through a function of each number, and whether it saves numbers."""

    def part(grow: Any, gradient: Flat) -> Flat | None:
        if grow is None:
            return None
        if isinstance(grow, float):
            return gradient if grow == 1 else [grow * d for d in gradient]
        return [
            0.0 if g is False else d * g
            for d, g in zip(gradient, map(grow, *given, values), strict=True)
        ]

    def back(gradient: Flat) -> list[Flat | None]:
        return [part(grow, gradient) for grow in grows]

    return back, not all(isinstance(grow, float) for grow in grows)

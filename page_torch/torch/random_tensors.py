"""Create tensors of random numbers."""

import math
from bisect import bisect
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from .creation import alike, made
from .descriptions import is_meta
from .dtypes import FLOAT32, FLOAT64, INT64, dtype, only_floats
from .generator import DEFAULT, Generator
from .in_place import write
from .operation import method, operation, torch_function
from .rounding import keep
from .storage import too_many
from .tensor import Tensor, new, numbers, sizes, whole


def _random(name: str, draw: Callable[[Generator, int, dtype], list]) -> None:
    """Define `torch.NAME`."""

    def make(
        *size: Any, generator: Generator | None = None, dtype: dtype | None = None,
        device: Any = None, requires_grad: bool = False,
    ) -> Tensor:  # fmt: skip
        shape, kind = sizes(size), dtype or FLOAT32
        only_floats("{name}", kind)
        if is_meta(device) or too_many(shape) or any(n < 0 for n in shape):
            return alike(shape, 0, kind, requires_grad, device)
        values = draw(generator or DEFAULT, math.prod(shape), kind)
        return made(keep(values, kind), shape, kind, requires_grad, device)

    make.__name__ = name
    torch_function(make)


_random("rand", Generator.uniform)
_random("randn", Generator.normal)


@torch_function
def randint(
    low: int, high: Any = None, size: Any = None, *, generator: Generator | None = None,
    dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    if size is None:
        low, high, size = 0, low, high
    low, high, shape = whole(low, "low"), whole(high, "high"), sizes((tuple(size),))
    if low >= high:
        raise RuntimeError(f"randint expects low < high, but got low={low}, high={high}")
    stream, count = generator or DEFAULT, math.prod(shape)
    words = stream.words(count) if high - low < 2**28 else stream.long_words(count)
    kind = dtype or INT64
    values = keep([low + word % (high - low) for word in words], kind)
    return made(values, shape, kind, requires_grad, device)


@torch_function
def randperm(
    n: int, *, generator: Generator | None = None, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    order, stream = list(range(n)), generator or DEFAULT
    for at, word in enumerate(stream.words(max(n - 1, 0))):
        other = at + word % (n - at)
        order[at], order[other] = order[other], order[at]
    return new(order, (n,), dtype or INT64)


@method
def normal_(
    self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None
) -> Tensor:
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    drawn = (generator or DEFAULT).normal(self.shape.numel(), self.dtype)
    return write(self, [v * std + mean for v in drawn])


@method
def uniform_(
    self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None
) -> Tensor:
    drawn = (generator or DEFAULT).uniform(self.shape.numel(), self.dtype)
    return write(self, [v * (to - from_) + from_ for v in drawn])


@method
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Draw from an exponential distribution: as PyTorch does, but other numbers."""
    drawn = (generator or DEFAULT).uniform(self.shape.numel(), FLOAT64)
    return write(self, [-math.log1p(-v) / lambd for v in drawn])


@torch_function
def manual_seed(seed: Any) -> Generator:
    return DEFAULT.manual_seed(int(seed))


@operation
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Draw places by their weights: as often as PyTorch does, but others."""
    only_floats("multinomial", input.dtype)
    if len(input.shape) not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    count, width, flat = whole(num_samples, "num_samples"), input.shape[-1], numbers(input)
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > width:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if not all(0 <= v < math.inf for v in flat):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    drawn = []
    for start in range(0, len(flat), width):
        row = flat[start : start + width]
        for chance in (generator or DEFAULT).uniform(count, FLOAT64):
            if not (sums := list(accumulate(row)))[-1]:
                raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
            drawn.append(bisect(sums, chance * sums[-1], hi=width - 1))
            if not replacement:
                row[drawn[-1]] = 0.0
    return new(drawn, (*input.shape[:-1], count), INT64)

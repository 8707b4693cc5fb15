"""What a decoder keeps of the tokens it has read, so that it need not read them again.

Under a causal mask a token's keys and values never change: no later token can touch them. So
who writes one token at a time need only compute those of the newest. That makes a step cost one
token instead of all of them; the price is memory, which grows with the text: `Cache.nbytes`.
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from transformer_lab._checks import check_real


class Cache:
    """The memory of one model about one batch of texts. Begin each batch with a new one.

    `model(new_ids, cache=cache)` reads the new tokens only and gives the logits that it would
    give at their places after all of the text. Whatever a module keeps lies here, under that
    module, and never in it: attention keeps keys and values, a recurrent cell its state. The
    first axis of everything kept is the batch.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.real: Bool[Tensor, "B S"] | None = None  # of the tokens read: which are no padding
        self.kept: dict[nn.Module, tuple[Tensor, ...]] = {}

    @property
    def length(self) -> int:
        """How many tokens each row has read, padding included."""
        return 0 if self.real is None else self.real.size(-1)

    @property
    def nbytes(self) -> int:
        """The size of all that is kept, in bytes."""
        return sum(tensor.nbytes for tensors in self.kept.values() for tensor in tensors)

    def extend(self, module: nn.Module, *new: Tensor) -> tuple[Tensor, ...]:
        """Join what `module` made of the new tokens to what it keeps, and return all of it."""
        if module in self.kept:
            pairs = zip(self.kept[module], new, strict=True)
            new = tuple(torch.cat(pair, dim=-2) for pair in pairs)
        self.kept[module] = new
        return new

    def once(self, module: nn.Module, make: Callable[[], tuple[Tensor, ...]]) -> tuple[Tensor, ...]:
        """Return what `module` keeps; call `make` for it the first time only."""
        if module not in self.kept:
            self.kept[module] = make()
        return self.kept[module]

    def reorder(self, rows: Int[Tensor, " rows"]) -> None:
        """Let row i go on from what row `rows[i]` has read; a row may serve many, or none.

        Raises ValueError where nothing has been read yet.
        """
        if self.real is None:
            raise ValueError("this cache is empty, so it has no rows to reorder. Read first.")
        self.real = self.real[rows]
        for module, tensors in self.kept.items():
            self.kept[module] = tuple(tensor[rows] for tensor in tensors)


def with_past(
    ids: Int[Tensor, "B T"], real: Bool[Tensor, "B T"] | None, cache: Cache | None
) -> tuple[int, Bool[Tensor, "B T_all"] | None]:
    """Return how many tokens the cache has read, and which of them and of `ids` are real.

    With a cache, raises ValueError where texts, `real` and `ids` do not fit one another, TypeError
    for a `real` that is not boolean.
    """
    if cache is None:
        return 0, real
    if real is None:
        real = torch.ones_like(ids, dtype=torch.bool)
    check_real(real, ids)
    if cache.real is None:
        return 0, real
    if len(cache.real) != len(real):
        raise ValueError(
            f"this cache remembers {len(cache.real)} texts, but ids hold {len(real)}. Begin each "
            f"batch with a new Cache()."
        )
    return cache.length, torch.cat([cache.real, real], dim=-1)

"""What a decoder keeps of the tokens it has read, so that it need not read them again.

Under a causal mask a token's keys and values never change: no later token can touch them. So
who writes one token at a time need only compute those of the newest. That makes a step cost one
token instead of all of them; the price is memory, which grows with the text: `Cache.nbytes`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from transformer_lab._shapes import Ids, Real
from transformer_lab._text_checks import check_ids, check_real, check_rows


class Cache:
    """The memory of one model about one batch of texts. Begin each batch with a new one.

    `model(new_ids, cache=cache)` reads the new tokens only and gives the logits that it would
    give at their places after all of the text. Whatever a module keeps lies here, under that
    module, and never in it: attention keeps keys and values, a recurrent cell its state. The
    first axis of everything kept is the batch.
    """

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.model: nn.Module | None = None  # whose memory it is
        self.real: Bool[Tensor, "B S"] | None = None  # of the tokens read: which are no padding
        self.kept: dict[nn.Module, tuple[Tensor, ...]] = {}

    def copy(self) -> "Cache":
        """Return a cache that has read the same, and from here on reads for itself.

        So one prompt can be continued in several ways. Nothing kept is ever written into: both
        caches share it, and the copy takes no memory until it reads.
        """
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), kept=dict(self.kept))
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> "Cache":
        """Copy what is kept, gradients' history included, for the same model.

        Where the model has been copied just before, as in `deepcopy((model, cache))`, the copy is
        for that one.
        """
        made = self.copy()
        made.model = memo.get(id(self.model), self.model)
        made.real = None if self.real is None else self.real.clone()
        made.kept = {
            memo.get(id(module), module): tuple(tensor.clone() for tensor in tensors)
            for module, tensors in self.kept.items()
        }
        return made

    @property
    def length(self) -> int:
        """How many tokens each row has read, padding included."""
        return 0 if self.real is None else self.real.size(-1)

    @property
    def nbytes(self) -> int:
        """The size of all that is kept, in bytes."""
        return sum(tensor.nbytes for tensors in self.kept.values() for tensor in tensors)

    def read_by(self, module: nn.Module) -> int:
        """Count the tokens whose keys and values `module` keeps."""
        return self.kept[module][0].size(-2) if module in self.kept else 0

    def extend(self, module: nn.Module, *new: Tensor) -> tuple[Tensor, ...]:
        """Join what `module` made of the new tokens to what it keeps, and return all of it.

        Raises ValueError for another number of texts than before.
        """
        if module in self.kept:
            _check_texts(self.kept[module], new)
            pairs = zip(self.kept[module], new, strict=True)
            new = tuple(torch.cat(pair, dim=-2) for pair in pairs)
        self.kept[module] = new
        return new

    def once(
        self, module: nn.Module, memory: Tensor, make: Callable[[Tensor], tuple[Tensor, ...]]
    ) -> tuple[Tensor, ...]:
        """Return what `make` makes of the memory for `module`; call it the first time only.

        Raises ValueError for another memory than the first time.
        """
        if module not in self.kept:
            self.kept[module] = (*make(memory), memory)
        *made, first = self.kept[module]
        alike = first.shape == memory.shape and first.dtype == memory.dtype
        if not (alike and first.equal(memory)):
            raise ValueError(
                f"this cache was begun with another memory, of shape {tuple(first.shape)}; this "
                f"one's is {tuple(memory.shape)}. Begin each source with a new Cache()."
            )
        return tuple(made)

    def reorder(self, rows: Int[Tensor, " rows"]) -> None:
        """Let row i go on from what row `rows[i]` has read; a row may serve many, or none.

        Raises ValueError where nothing has been read yet, for rows that are not there and for any
        but one axis of them; TypeError for rows that are no whole numbers.
        """
        texts = [len(tensor) for tensors in self.kept.values() for tensor in tensors]
        if not texts:
            raise ValueError("this cache is empty, so it has no rows to reorder. Read first.")
        check_ids(rows, texts[0], name="rows", rows=False)
        if rows.dim() != 1:
            raise ValueError(f"rows must have one axis, but have shape {tuple(rows.shape)}.")
        self.real = None if self.real is None else self.real[rows]
        for module, tensors in self.kept.items():
            self.kept[module] = tuple(tensor[rows] for tensor in tensors)


def check_cache(cache: Cache | None) -> None:
    """Refuse, with TypeError, what is no cache."""
    if not (cache is None or isinstance(cache, Cache)):
        raise TypeError(f"cache must be a Cache(), or None, but is a {type(cache).__name__}.")


def with_past(
    model: nn.Module, ids: Ids, real: Real | None, cache: Cache | None
) -> tuple[int, Bool[Tensor, "B T_all"] | None]:
    """Return how many tokens the cache has read, and which of them and of `ids` are real.

    With a cache, raises ValueError where texts, `real` and `ids` do not fit one another, or where
    another model has read them, TypeError for a `real` that is not boolean.
    """
    check_rows("ids", ids)
    check_cache(cache)
    if cache is None:
        return 0, real
    if cache.model not in (None, model):
        raise ValueError(
            f"this cache remembers what another {type(cache.model).__name__} has read. Begin each "
            f"model's reading with a new Cache()."
        )
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


@contextmanager
def reading(model: nn.Module, real: Real | None, cache: Cache | None) -> Iterator[None]:
    """Let a model's layers read, and note it in the cache.

    Where one raises an error, or is stopped, what the others have kept is undone.
    """
    kept = {} if cache is None else dict(cache.kept)
    try:
        yield
    except BaseException:
        if cache is not None:
            cache.kept = kept
        raise
    if cache is not None:
        cache.model, cache.real = model, real


def _check_texts(kept: tuple[Tensor, ...], new: tuple[Tensor, ...]) -> None:
    """Refuse to join to a text's keys those of another number of texts."""
    for before, after in zip(kept, new, strict=True):
        if before.shape[:-2] != after.shape[:-2]:
            raise ValueError(
                f"this cache remembers keys of shape {tuple(before.shape)}, to which those of the "
                f"new tokens, {tuple(after.shape)}, cannot be joined. Begin each batch with a new "
                f"Cache()."
            )

"""The keys and values of the tokens that a decoder has read, so that it need not read them again.

Under a causal mask a token's keys and values never change: no later token can affect them. So a
decoder that generates one token at a time only computes those of the newest. A step then costs one
token instead of all of them; the price is memory, which grows with the text: `Cache.nbytes`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from transformer_lab._checks import check_real
from transformer_lab._shapes import Ids, Real


class Cache:
    """The memory of one model about one batch of texts. Start each batch with a new one.

    `model(new_ids, cache=cache)` reads only the new tokens and returns the logits that they would
    have at the end of the whole text. All that modules keep is stored here by module, and never in
    them: attention keeps keys and values, a recurrent cell its state. The first axis of everything
    kept is the batch.
    """

    def __init__(self) -> None:
        """Create an empty cache."""
        self.model: nn.Module | None = None  # the model that it belongs to
        self.length = 0  # tokens read in each row, padding included
        self.real: Bool[Tensor, "B S"] | None = None  # which are not padding; None = all
        self.kept: dict[nn.Module, tuple[Tensor, ...]] = {}

    def copy(self) -> "Cache":
        """Return a cache with the same content that from here on reads separately.

        So one prompt can be continued in several ways. Nothing kept is ever modified: both caches
        share it, and the copy takes no memory until it reads.
        """
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), kept=dict(self.kept))
        return made

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> "Cache":
        """Copy what is kept, gradients' history included, for the same model.

        If the model has been copied just before, as in `deepcopy((model, cache))`, the copy is
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
    def nbytes(self) -> int:
        """The size of everything kept, in bytes."""
        return sum(tensor.nbytes for tensors in self.kept.values() for tensor in tensors)

    def project(
        self, attention: Any, x: Tensor, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the queries of x, and the keys and values of all that it attends to.

        That is all tokens so far, or the memory, of which they are made once.
        """
        if memory is not None:
            return attention.queries(x), *self.once(attention, memory, attention.keys_and_values)
        q, k, v = attention.project(x, start=self.length_of(attention))
        return q, *self.extend(attention, k, v)

    def length_of(self, module: nn.Module) -> int:
        """Return the number of tokens whose keys and values `module` keeps."""
        return self.kept[module][0].size(-2) if module in self.kept else 0

    def extend(self, module: nn.Module, *new: Tensor) -> tuple[Tensor, ...]:
        """Append the new tokens' tensors to those that `module` keeps, and return all of them."""
        if module in self.kept:
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
        if first is not memory and not (first.dtype == memory.dtype and first.equal(memory)):
            raise ValueError(
                f"this cache holds keys and values of another memory, of shape "
                f"{tuple(first.shape)}; this "
                f"one's is {tuple(memory.shape)}. Create a new Cache() for each source."
            )
        return tuple(made)

    def reorder(self, rows: Int[Tensor, " rows"]) -> None:
        """Continue row `rows[i]` in row i; a row may serve many, or none.

        Raises ValueError if nothing has been read yet and for rows that don't exist.
        """
        if not self.kept:
            raise ValueError(
                "this cache is empty, so it has no rows to reorder. Run the model with it first."
            )
        if rows.dim() != 1 or rows.is_floating_point() or rows.dtype == torch.bool:
            raise ValueError(
                f"rows must be integers on one axis, but are {rows.dtype}, {tuple(rows.shape)}."
            )
        if (rows < 0).any():
            raise ValueError(f"rows must be counted from 0, but are {rows.tolist()}.")
        self.real = None if self.real is None else self.real[rows]
        for module, tensors in self.kept.items():
            self.kept[module] = tuple(tensor[rows] for tensor in tensors)


def with_past(
    model: nn.Module, ids: Ids, real: Real | None, cache: Cache | None
) -> tuple[int, Bool[Tensor, "B T_all"] | None]:
    """Return how many tokens the cache has read, and which of them and of `ids` are tokens.

    Raises ValueError if texts, `real` and `ids` do not fit one another or another model has read
    the texts, TypeError for a `real` that is not boolean.
    """
    if cache is None:
        return 0, real
    if cache.model not in (None, model):
        raise ValueError(
            f"this cache was filled by another {type(cache.model).__name__}. Create a new Cache() "
            f"for each model."
        )
    texts = next((len(tensors[0]) for tensors in cache.kept.values()), len(ids))
    if texts != len(ids):
        raise ValueError(
            f"this cache holds {texts} texts, but ids hold {len(ids)}. Create a new Cache() for "
            f"each batch."
        )
    if real is None and cache.real is None:
        return cache.length, None
    before, now = cache.real, real
    if now is None:
        now = torch.ones_like(ids, dtype=torch.bool)
    check_real(now, ids)
    if before is None:
        before = now.new_ones(len(ids), cache.length)
    return cache.length, torch.cat([before, now], dim=-1)


@contextmanager
def reading(
    model: nn.Module, ids: Ids, real: Bool[Tensor, "B T_all"] | None, cache: Cache | None
) -> Iterator[None]:
    """Run a model's layers, and update the cache afterwards.

    If one raises an error, or is interrupted, what the others have kept is undone.
    """
    kept = {} if cache is None else dict(cache.kept)
    try:
        yield
    except BaseException:
        if cache is not None:
            cache.kept = kept
        raise
    if cache is not None:
        cache.model, cache.real, cache.length = model, real, cache.length + ids.size(-1)

"""The real models that widgets show, one in memory at a time."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor, nn

from transformer_lab.embedding import Embeddings
from transformer_lab.pretrained import Pretrained, load_minilm, load_smollm2, load_translator
from transformer_lab.trace import silenced
from transformer_lab.widgets._learner import Trouble

LOADERS: dict[str, Callable[[], Pretrained]] = {
    "MiniLM": load_minilm,
    "SmolLM2": load_smollm2,
    "translator": partial(load_translator, "en-pt"),
}
MOST = 48  # tokens that are read
_loaded: dict[str, Pretrained] = {}
_lent: WeakValueDictionary[str, Pretrained] = WeakValueDictionary()  # what somebody still holds


def real_model(name: str) -> Pretrained:
    """Return a model of `LOADERS`; the one before it is let go, unless it is the same.

    Raises Trouble where the models are not installed, with how to do it.
    """
    if name not in _loaded:
        _loaded.clear()
        gc.collect()  # modules hold each other, so that none goes by itself
        try:
            _loaded[name] = _lent[name] = _lent.get(name) or LOADERS[name]()
        except ModuleNotFoundError as error:
            raise Trouble(str(error)) from error
    return _loaded[name]


def pieces(model: Pretrained, ids: list[int]) -> list[str]:
    """Return the tokens as labels: without the space that many begin with."""
    return [piece.strip() or repr(piece) for piece in model.tokenizer.pieces(torch.tensor(ids))]


def read(model: Pretrained, sentence: str) -> tuple[Tensor, int]:
    """Return the tokens of a sentence, (1, T), and how many there was no room for.

    The last one stays: with many models it is the end.
    """
    ids, _ = model.tokenizer.encode([sentence])
    unread = max(ids.size(-1) - MOST, 0)
    return torch.cat([ids[:, : MOST - 1], ids[:, MOST - 1 :][:, -1:]], dim=-1), unread


@contextmanager
def changed(
    model: nn.Module, attention: str, silent: tuple[tuple[int, int], ...], order: bool
) -> Iterator[None]:
    """Silence heads of the attention of that name, by layer; without order, all tokens stand first.

    What a model does not have is passed over.
    """
    parts = dict(model.named_modules())
    with ExitStack() as stack:
        for layer, head in silent:
            part: Any = parts.get(attention.format(layer))
            if part is not None and head < part.heads:
                stack.enter_context(silenced(part, [head]))
        for part in parts.values() if not order else ():
            if isinstance(part, Embeddings):
                hook = part.positions.register_forward_pre_hook(
                    lambda _, given: (given[0], 0 * given[1])
                )
                stack.callback(hook.remove)
        yield

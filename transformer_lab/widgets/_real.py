"""The real models that widgets show, one in memory at a time."""

import gc
from collections.abc import Callable
from functools import partial
from weakref import WeakValueDictionary

import torch

from transformer_lab.pretrained import Pretrained, load_minilm, load_smollm2, load_translator
from transformer_lab.widgets._learner import Trouble

LOADERS: dict[str, Callable[[], Pretrained]] = {
    "MiniLM": load_minilm,
    "SmolLM2": load_smollm2,
    "translator": partial(load_translator, "en-pt"),
}
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

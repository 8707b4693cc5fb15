"""The real models that widgets show, one in memory at a time."""

import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor, nn

from transformer_lab.embedding import Embeddings
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.pretrained import Pretrained, load_minilm, load_smollm2, load_translator
from transformer_lab.pretrained.shakespeare import Characters, load_shakespeare
from transformer_lab.trace import ablate_heads
from transformer_lab.widgets._learner import Trouble

LOADERS: dict[str, Callable[[], Pretrained]] = {
    "GPT": load_shakespeare,
    "MiniLM": load_minilm,
    "SmolLM2": load_smollm2,
    "translator": partial(load_translator, "en-pt"),
}
ATTENTION = {  # the module in each layer whose heads are shown
    "GPT": "decoder.layers.{}.attention",
    "MiniLM": "encoder.layers.{}.attention",
    "SmolLM2": "decoder.layers.{}.attention",
    "translator": "decoder.layers.{}.cross_attention",
}
MOST = 32  # the maximum of tokens: an axis has no room for more
Silent = tuple[tuple[int, int], ...]
_loaded: dict[str, Pretrained] = {}
_lent: WeakValueDictionary[str, Pretrained] = WeakValueDictionary()  # still referenced models


def real_model(name: str) -> Pretrained:
    """Return a model of `LOADERS`; another one is freed first.

    Raises Trouble, which says how to install them, if the models are missing.
    """
    if name not in _loaded:
        _loaded.clear()
        gc.collect()  # modules reference each other, so none is freed by itself
        try:
            _loaded[name] = _lent[name] = _lent.get(name) or LOADERS[name]()
        except ModuleNotFoundError as error:
            raise Trouble(str(error)) from error
    return _loaded[name]


def pieces(model: Pretrained, ids: list[int]) -> list[str]:
    """Return the tokens as labels: without the space that many begin with."""
    return [piece.strip() or repr(piece) for piece in model.tokenizer.pieces(torch.tensor(ids))]


def read(model: Pretrained, sentence: str) -> Tensor:
    """Return the tokens of a sentence, (1, T): of a long one the first ones, and the end token.

    Of characters, which have no end token, the last ones.
    """
    ids, _ = model.tokenizer.encode([sentence])
    if isinstance(model.tokenizer, Characters):
        return ids[:, -MOST:]
    return torch.cat([ids[:, : MOST - 1], ids[:, MOST - 1 :][:, -1:]], dim=-1)


def unknown(text: str) -> str:
    """Return which characters of a text the GPT does not know, in words, or ""."""
    tokenizer = real_model("GPT").tokenizer
    assert isinstance(tokenizer, Characters)
    found = sorted({*text} - {*tokenizer.vocabulary})
    return f"The model does not know {' '.join(found)}, so it is left out." if found else ""


@cache
def note(name: str, sentence: str) -> str:
    """Return for how many tokens of a sentence there was no room, in words, or ""."""
    unread = real_model(name).tokenizer.encode([sentence])[0].size(-1) - MOST
    if unread <= 0:
        return ""
    return f"The text is too long: {unread} of its tokens were not read."


@contextmanager
def changed(
    model: nn.Module, attention: Callable[[int], str], silent: Silent, order: bool
) -> Iterator[None]:
    """Ablate heads of the attention modules of these names; without order, all positions are 0.

    Heads that the model does not have are ignored.
    """
    parts = dict(model.named_modules())
    with ExitStack() as stack:
        for layer, head in silent:
            part: Any = parts.get(attention(layer))
            if part is not None and head < part.heads:
                stack.enter_context(ablate_heads(part, [head]))
        for part in () if order else parts.values():
            if isinstance(part, RotaryPositions):  # queries and keys stay as they are
                hook = part.register_forward_hook(lambda _, given, __: (given[0], given[1]))
            elif isinstance(part, Embeddings) and not isinstance(part.positions, NoPositions):
                hook = part.positions.register_forward_pre_hook(
                    lambda _, given: (given[0], 0 * given[1])
                )
            else:
                continue
            stack.callback(hook.remove)
        yield

"""Generate with a decoder: read the text so far, choose the next token, and again.

A decoder here is a `DecoderModel`, or an encoder-decoder that has read its source: `GivenSource`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_lab._checks import (
    check_choice,
    check_integers,
    check_logits,
    check_module,
    check_prompt,
    check_token,
)
from transformer_lab._shapes import Ids, Logits, Real, Source, SourceReal, Vectors
from transformer_lab.cache import Cache
from transformer_lab.embedding import Embeddings
from transformer_lab.model import DecoderModel, EncoderDecoderModel
from transformer_lab.parameters import device_of
from transformer_lab.sampling import greedy


class GivenSource(nn.Module):
    """An encoder-decoder that has read its source: from here on, a decoder like any other.

    The source is read here, once, and every call attends to its memory. A call may have several
    texts for each source, side by side.
    """

    def __init__(
        self, model: EncoderDecoderModel, source: Source, source_real: SourceReal | None = None
    ):
        """Encode the source. Raises TypeError for another kind of model."""
        super().__init__()
        self.model, self.source_real = uncompiled(model), source_real
        check_module("model", self.model, EncoderDecoderModel)
        kind = type(self.model)
        own, changed = EncoderDecoderModel.forward, kind.decode is not EncoderDecoderModel.decode
        if (kind.forward is not own or "forward" in vars(self.model)) and not changed:
            raise TypeError(
                f"{kind.__name__} has a forward of its own, but the source is encoded once, and "
                f"then each token comes from `decode`. Change `encode` or `decode` instead."
            )
        with evaluating(self.model.modules()):
            self.memory = self.model.encode(source, source_real)
        self._repeated = (1, self.memory, source_real)  # texts per source

    @property
    def embeddings(self) -> Embeddings:
        """The decoder's embeddings."""
        return self.model.decoder_embeddings

    @property
    def start(self) -> Int[Tensor, "B 1"]:
        """The decoder's input before it has written anything: start_id, for each source."""
        return self.memory.new_full((len(self.memory), 1), self.model.start_id, dtype=torch.long)

    @property
    def output(self) -> nn.Module:
        """The module that turns vectors into logits."""
        return self.model.output

    def forward(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Logits:
        """Return, at each position of the text so far, the logits of the next token."""
        return self.model.decode(ids, *self._source_of(ids), real, cache)

    def read(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Vectors:
        """Return a vector for each token of the text so far, given its source."""
        return self.model.read(ids, *self._source_of(ids), real, cache)

    def _source_of(self, ids: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the memory of each text's source, and its padding mask."""
        each = max(len(ids) // max(len(self.memory), 1), 1)
        if self._repeated[0] != each:
            real = self.source_real
            self._repeated = (
                each,
                self.memory.repeat_interleave(each, dim=0),
                None if real is None else real.repeat_interleave(each, dim=0),
            )
        return self._repeated[1:]


Decoder = DecoderModel | GivenSource
NEVER = -1  # no token: texts without an end token never end


def next_token_logits(
    model: Decoder, ids: Ids, real: Real | None = None, cache: Cache | None = None
) -> Float[Tensor, "B V"]:
    """Return the logits of the token after the text: `.softmax(-1)` gives its probabilities.

    Dropout is off and gradients are not kept, whatever the model's mode, which is restored. If part
    of a text is in the cache, only the rest is read. Half precision becomes float32. Raises
    ValueError for a text that the model cannot read or continue, and for logits from which nothing
    can be chosen; TypeError for a model that is no decoder.
    """
    check_decoder(model)
    past = 0 if cache is None else cache.length
    check_prompt(ids[:, past:], None if real is None else real[:, past:])
    with evaluating(model.modules()):
        return _next_logits(model, *_moved(model, ids, real), cache)


def _next_logits(model: Decoder, ids: Ids, real: Real | None, cache: Cache | None) -> Tensor:
    """Do what `next_token_logits` does, with a model in evaluation mode."""
    if cache is not None:
        ids, real = ids[:, cache.length :], None if real is None else real[:, cache.length :]
    if _is_changed(model):
        logits = model(ids, real, cache)[:, -1]
    else:  # the same, but only for the last position
        logits = model.output(model.read(ids, real, cache)[:, -1])
    check_logits(logits)
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


class Step(NamedTuple):
    """One step of generation: the logits, and the token chosen by them, of each text."""

    logits: Float[Tensor, "B V"]
    tokens: Int[Tensor, " B"]


def generation_steps(
    model: Decoder,
    prompt: Ids,
    real: Real | None = None,
    *,
    max_new_tokens: int,
    choose: Callable[[Float[Tensor, "B V"]], Int[Tensor, " B"]] = greedy,
    eos_id: int | None = None,
    pad_id: int = 0,
    use_cache: bool = True,
) -> Iterator[Step]:
    """Continue each prompt, step by step: read the text so far, choose a token by the logits.

    Prompts of unequal length are padded on the left (`pad_left`), and `real` says where. A text
    ends with eos_id, and is filled up with pad_id until the last one ends; none gets more than
    max_new_tokens. The cache saves time and changes nothing else.
    Raises ValueError, at the first step, for what the model cannot write, TypeError for a model
    that is no decoder; later, ValueError for logits or a `choose` that return no token.
    """
    prompt, real = check_request(model, prompt, real, max_new_tokens, eos_id, pad_id)
    ids, cache, parts = prompt, Cache() if use_cache else None, [*model.modules()]
    end = NEVER if eos_id is None else eos_id
    writing = torch.ones(len(ids), dtype=torch.bool, device=ids.device)
    for _ in range(max_new_tokens):
        with evaluating(parts):
            logits = _next_logits(model, ids, real, cache)
        tokens = choose(logits)
        check_choice(tokens, *logits.shape)
        tokens = tokens.masked_fill(~writing, pad_id)
        yield Step(logits, tokens)
        writing = writing & (tokens != end)
        if not writing.any():
            return
        ids = torch.cat([ids, tokens.unsqueeze(-1)], dim=-1)
        real = None if real is None else F.pad(real, (0, 1), value=True)


def generate(
    model: Decoder, prompt: Ids, real: Real | None = None, **settings: Any
) -> Int[Tensor, "B T_new"]:
    """Continue each prompt, and return the new tokens, without the prompt.

    The settings, max_new_tokens at least, are those of `generation_steps`, as are the errors.
    """
    steps = generation_steps(model, prompt, real, **settings)
    return torch.stack([step.tokens for step in steps], dim=1)


@contextmanager
def evaluating(parts: Iterable[nn.Module]) -> Iterator[None]:
    """Switch off dropout in these modules, and gradients; restore every module afterwards.

    `model.modules()` are all parts of a model. Collecting them takes longer than a small step, so a
    loop does it once.
    """
    training = [part for part in parts if part.training]
    try:
        for part in training:
            part.training = False
        with torch.no_grad():
            yield
    finally:
        for part in training:
            part.training = True


def pad_left(texts: Sequence[Sequence[int]], *, pad_id: int = 0) -> tuple[Ids, Real]:
    """Return texts of unequal length as one batch that ends together, and which ids are real.

    Raises ValueError if there is no token in them.
    """
    longest = max((len(text) for text in texts), default=0)
    ids = [[pad_id] * (longest - len(text)) + list(text) for text in texts]
    real = [[False] * (longest - len(text)) + [True] * len(text) for text in texts]
    if not longest:
        raise ValueError(
            "there are no tokens to pad: texts must hold at least one text that is not empty."
        )
    return torch.tensor(ids), torch.tensor(real)


def uncompiled(model: Any) -> Any:
    """Return the model that torch.compile was given, or else the model itself."""
    return getattr(model, "_orig_mod", model)


def check_decoder(model: Decoder) -> None:
    """Raise TypeError for a model that can't generate by itself."""
    if not isinstance(uncompiled(model), Decoder):
        raise TypeError(
            f"only a DecoderModel generates by itself, but this is a {type(model).__name__}. An "
            f"EncoderDecoderModel needs a source: GivenSource(model, source, source_real)."
        )


def check_request(
    model: Decoder, prompt: Tensor, real: Tensor | None, new: int, eos_id: int | None, pad_id: int
) -> tuple[Tensor, Tensor | None]:
    """Return prompt and padding mask on the model's device.

    Raises, before anything is generated, TypeError for a model that is no decoder and ValueError
    for invalid prompts or settings.
    """
    check_decoder(model)
    check_prompt(prompt, real)
    check_integers(max_new_tokens=new)
    vocabulary = getattr(model.embeddings, "vocabulary", math.inf)
    learned = getattr(model.embeddings, "max_length", None)
    longest = prompt.size(-1) if real is None else int(real.sum(dim=-1).max())
    needed = longest + new - 1  # the last token is returned, but never read
    if learned is not None and needed > learned:
        raise ValueError(
            f"this model has {learned} positions, but {longest} tokens of prompt and {new} new "
            f"ones need {needed} (the last token is never read): at most {learned + 1} tokens fit."
        )
    check_token("pad_id", pad_id, vocabulary)
    if eos_id is not None:
        check_token("eos_id", eos_id, vocabulary)
    return _moved(model, prompt, real)


def _moved(model: Decoder, ids: Tensor, real: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Return ids and their padding mask on the model's device."""
    device = device_of(model)
    return ids.to(device), None if real is None else real.to(device)


def _is_changed(model: Decoder) -> bool:
    """Return whether calling the model does more than `read` and `output`: forward, hooks."""
    hooks = model._forward_hooks or model._forward_pre_hooks
    own = type(model).forward not in (DecoderModel.forward, GivenSource.forward)
    if isinstance(model, GivenSource):
        own = own or type(model.model).decode is not EncoderDecoderModel.decode
    return own or bool(hooks) or "forward" in vars(model)

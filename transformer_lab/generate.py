"""Writing with a decoder: read the text so far, choose the next token, and again.

A model here is a `DecoderModel`, or an encoder-decoder that has read its source: `GivenSource`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from transformer_lab._call_checks import check_function
from transformer_lab._checks import check_integers, check_module, uncompiled
from transformer_lab._evaluating import evaluating
from transformer_lab._shapes import Ids, Logits, Memory, Real, Source, SourceReal, Vectors
from transformer_lab._text_checks import (
    check_choice,
    check_ids,
    check_prompt,
    check_real,
    check_rows,
    check_token,
)
from transformer_lab.cache import Cache, check_cache
from transformer_lab.embedding import Embeddings
from transformer_lab.model import DecoderModel, EncoderDecoderModel
from transformer_lab.sampling import check_logits, greedy


class GivenSource(nn.Module):
    """An encoder-decoder that has read its source: from here on, a decoder like any other.

    The source is read here, once; every call asks the memory of it. A call may bring several texts
    for each source, side by side.
    """

    def __init__(
        self, model: EncoderDecoderModel, source: Source, source_real: SourceReal | None = None
    ):
        """Let the model read the source."""
        super().__init__()
        self.model, self.source_real = uncompiled(model), source_real
        check_module("model", self.model, EncoderDecoderModel)
        ours = EncoderDecoderModel
        if _is_own(self.model.forward, ours) and not _is_own(self.model.decode, ours):
            raise TypeError(
                f"{type(model).__name__} has a forward of its own, but the source is encoded once "
                f"and then each token comes from `decode`. Change `encode` or `decode` instead."
            )
        with evaluating(self.model):
            self.memory = self.model.encode(source, source_real)

    @property
    def embeddings(self) -> Embeddings:
        """The decoder's embeddings."""
        return self.model.decoder_embeddings

    @property
    def start(self) -> Int[Tensor, "B 1"]:
        """What the decoder reads before it has written anything: start_id, for each source."""
        return self.memory.new_full((len(self.memory), 1), self.model.start_id, dtype=torch.long)

    @property
    def output(self) -> nn.Module:
        """What makes logits of vectors."""
        return self.model.output

    def forward(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Logits:
        """Return, at each place of what is written so far, the logits of the token after it."""
        return self.model.decode(ids, *self._asked_by(ids), real, cache)

    def read(self, ids: Ids, real: Real | None = None, cache: Cache | None = None) -> Vectors:
        """Return a vector for each token written so far, made in the light of its source.

        Raises ValueError where ids do not hold as many texts for each source.
        """
        return self.model.read(ids, *self._asked_by(ids), real, cache)

    def _asked_by(self, ids: Ids) -> tuple[Memory, SourceReal | None]:
        """Return the memory that each text asks, and what of it is real."""
        check_rows("ids", ids)
        if not len(self.memory) or len(ids) % len(self.memory):
            raise ValueError(
                f"there must be as many texts for each source, but ids hold {len(ids)} texts for "
                f"{len(self.memory)} sources. To begin, ids are `.start`."
            )
        each = len(ids) // len(self.memory)
        memory, source_real = self.memory.repeat_interleave(each, dim=0), self.source_real
        return memory, None if source_real is None else source_real.repeat_interleave(each, dim=0)


Decoder = DecoderModel | GivenSource
NEVER = -1  # a token that no model writes: the end of texts that have none


def next_token_logits(
    model: Decoder, ids: Ids, real: Real | None = None, cache: Cache | None = None
) -> Float[Tensor, "B V"]:
    """Return the logits of the token after the text: `.softmax(-1)` makes probabilities of them.

    Dropout is off and gradients are not kept, whatever the model's mode, which stays as it is. Of
    a text whose beginning is in the cache, only the rest is read. Half precision becomes float32.
    Raises ValueError for a text that the model cannot read or go on from, and for logits that
    nothing can be chosen by; TypeError for ids or `real` of a wrong dtype.
    """
    check_decoder(model)
    check_rows("ids", ids)
    check_cache(cache)
    if real is not None:
        check_real(real, ids)
    if cache is not None:
        ids, real = ids[:, cache.length :], None if real is None else real[:, cache.length :]
    check_prompt(ids, real)
    with evaluating(model):
        if _is_changed(model):
            logits = model(ids, real, cache)[:, -1]
        else:  # the same, but of the last place alone
            logits = model.output(model.read(ids, real, cache)[:, -1])
    check_logits(logits)
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


class Step(NamedTuple):
    """One step of writing: the logits, and the token that was chosen by them, of each text."""

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
    """Go on from each prompt, step by step: read the text so far, choose a token by the logits.

    Prompts of unequal length are padded on the left (`pad_left`), and `real` says where. A text
    ends with eos_id, and is filled up with pad_id until the last one ends; none gets more than
    max_new_tokens. The cache saves time and changes nothing else.
    Raises ValueError, at the first step, for what the model cannot write, TypeError for a model or
    ids of another kind and a `choose` that cannot take logits; later, ValueError for logits or a
    `choose` from which no token comes.
    """
    check_request(model, prompt, real, max_new_tokens, eos_id, pad_id)
    check_function("choose", choose, "logits")
    ids, cache = prompt, Cache() if use_cache else None
    end = NEVER if eos_id is None else eos_id
    writing = torch.ones(len(ids), dtype=torch.bool, device=ids.device)
    for _ in range(max_new_tokens):
        logits = next_token_logits(model, ids, real, cache)
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
    """Go on from each prompt, and return what was written, without the prompt.

    The settings, max_new_tokens at least, are those of `generation_steps`, and what it raises.
    """
    steps = generation_steps(model, prompt, real, **settings)
    return torch.stack([step.tokens for step in steps], dim=1)


def pad_left(texts: Sequence[Sequence[int]], *, pad_id: int = 0) -> tuple[Ids, Real]:
    """Return texts of unequal length as one batch that ends together, and which ids are real.

    Raises ValueError where there is no token in them, TypeError for what are no lists of ids.
    """
    kinds = list | tuple
    lists = isinstance(texts, kinds) and all(isinstance(text, kinds) for text in texts)
    if not lists or not all(type(id) is int for text in texts for id in text):
        raise TypeError(
            f"texts must be a list of lists of ids, like [[3, 1], [4]], but is {texts!r}. A "
            f"tokenizer's encode makes ids of a text, and .tolist() makes a list of a tensor."
        )
    check_integers(least=0, pad_id=pad_id)
    longest = max((len(text) for text in texts), default=0)
    ids = [[pad_id] * (longest - len(text)) + list(text) for text in texts]
    real = [[False] * (longest - len(text)) + [True] * len(text) for text in texts]
    if not longest:
        raise ValueError("there are no tokens to pad: texts must hold at least one text of some.")
    return torch.tensor(ids), torch.tensor(real)


def check_decoder(model: Decoder) -> None:
    """Refuse, with TypeError, a model that does not write by itself."""
    if isinstance(uncompiled(model), Decoder):
        return
    way = "An EncoderDecoderModel writes about a source: GivenSource(model, source, source_real)."
    for name, part in model.named_children() if isinstance(model, nn.Module) else ():
        if isinstance(part, Decoder | EncoderDecoderModel):
            way = f"Give the {type(part).__name__} that is in it: model.{name}."
    raise TypeError(
        f"only a DecoderModel writes by itself, but this is a {type(model).__name__}. {way}"
    )


def check_request(
    model: Decoder, prompt: Tensor, real: Tensor | None, new: int, eos_id: int | None, pad_id: int
) -> int | float:
    """Refuse, before anything is written, what the model cannot write; return its vocabulary."""
    check_decoder(model)
    check_function("model.forward", model.forward, "ids", "real", "cache")
    known = model.embeddings
    vocabulary, learned = getattr(known, "vocabulary", math.inf), getattr(known, "max_length", None)
    check_ids(prompt, vocabulary, name="prompt")
    check_prompt(prompt, real)
    check_integers(max_new_tokens=new)
    longest = prompt.size(-1) if real is None else int(real.sum(dim=-1).max())
    needed = longest + new - 1  # the last token is written, but no longer read
    if learned is not None and needed > learned:
        raise ValueError(
            f"this model learned {learned} positions, but {longest} tokens of prompt and {new} new "
            f"ones, all but the last read, need {needed}: there may be {learned + 1} tokens."
        )
    check_token("pad_id", pad_id, vocabulary)
    if eos_id is not None:
        check_token("eos_id", eos_id, vocabulary)
    return vocabulary


def _is_changed(model: Decoder) -> bool:
    """Return whether a call of the model does more than `read` and `output`: forward, hooks."""
    hooks = model._forward_hooks or model._forward_pre_hooks
    own = isinstance(model, GivenSource) and _is_own(model.model.decode, EncoderDecoderModel)
    return own or bool(hooks) or _is_own(model.forward, DecoderModel, GivenSource)


def _is_own(method: Any, *classes: type[nn.Module]) -> bool:
    """Return whether a method is other than those that our classes define."""
    function = getattr(method, "__func__", None)
    return not any(function is ours for kind in classes for ours in vars(kind).values())

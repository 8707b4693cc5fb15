"""What the real models share: a model with its weights, and its tokenizer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from transformer_lab._checks import check_texts
from transformer_lab.model import ModelConfig


class PretrainedTokenizer:
    """From texts to the ids that a real model was trained on, and back."""

    def __init__(self, tokenizer: Any, *, padding_id: int, padding_side: str = "right"):
        """Wrap a `tokenizers.Tokenizer`. A model that continues texts pads on the left."""
        self.padding_id = padding_id
        tokenizer.no_truncation()
        tokenizer.enable_padding(pad_id=padding_id, direction=padding_side)
        self._tokenizer = tokenizer

    def encode(self, texts: list[str]) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
        """Return the ids of each text, and which of them are tokens (the rest is padding).

        Raises TypeError for anything but a list of texts, ValueError for an empty one.
        """
        check_texts("texts", texts)
        if not texts:
            raise ValueError(f"texts must be a list of at least one text, but is {texts!r}.")
        encodings = self._tokenizer.encode_batch(texts)
        ids = torch.tensor([e.ids for e in encodings], dtype=torch.long)
        return ids, torch.tensor([e.attention_mask for e in encodings], dtype=torch.bool)

    def decode(self, ids: Int[Tensor, "B T"]) -> list[str]:
        """Return the text of each row of ids, without padding and other special tokens.

        Raises ValueError for ids of one text, or of any other shape than (batch, length), and for
        ids that no token has.
        """
        self._check_ids(ids)
        if ids.dim() != 2:
            raise ValueError(
                f"ids must have a row for each text, shape (B, T), but have {tuple(ids.shape)}. "
                "For a single text: tokenizer.decode(ids[None])."
            )
        return self._tokenizer.decode_batch(ids.tolist())

    def pieces(self, ids: Int[Tensor, " T"]) -> list[str]:
        """Return the text of each id by itself: labels for the axes of a picture.

        Raises ValueError for ids of several texts, and for ids that no token has.
        """
        self._check_ids(ids)
        if ids.dim() != 1:
            raise ValueError(
                f"ids must be those of one text, shape (T,), but have {tuple(ids.shape)}. Of the "
                "first text of a batch: tokenizer.pieces(ids[0])."
            )
        return [self._tokenizer.decode([id], skip_special_tokens=False) for id in ids.tolist()]

    def spelled(self, ids: Int[Tensor, " T"]) -> list[str]:
        """Return each id's entry in the table, with the marks that the tokenizer writes."""
        self._check_ids(ids)
        return [self._tokenizer.id_to_token(id) for id in ids.tolist()]

    def _check_ids(self, ids: Tensor) -> None:
        """Raise ValueError for an id that no token has: it would be dropped silently."""
        size = self._tokenizer.get_vocab_size()
        if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < size:
            raise ValueError(
                f"ids must lie between 0 and {size - 1}, but are from {int(ids.min())} to "
                f"{int(ids.max())}."
            )


M = TypeVar("M", bound=nn.Module)


@dataclass(frozen=True)
class Pretrained(Generic[M]):
    """A real model and the tokenizer that belongs to it."""

    model: M
    tokenizer: PretrainedTokenizer


def rename(weights: dict[str, Tensor], names: dict[str, str]) -> dict[str, Tensor]:
    """Replace parts of the weights' names, in the order of `names`, to get ours."""
    renamed = {}
    for name, tensor in weights.items():
        for theirs, ours in names.items():
            name = name.replace(theirs, ours)
        renamed[name] = tensor
    return renamed


class _Unfilled(TorchFunctionMode):
    """Skips `torch.nn.init`, which would import a compiler to fill nothing: a second and 80 MB."""

    def __torch_function__(
        self, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Skip an initialisation; call everything else."""
        if getattr(function, "__module__", None) == "torch.nn.init":
            return None
        return function(*args, **(kwargs or {}))


def assemble(
    kind: Callable[[ModelConfig], M], config: ModelConfig, weights: dict[str, Tensor]
) -> M:
    """Create a model that owns `weights`: nothing is drawn at random or copied.

    It is in evaluation mode and frozen; `model.requires_grad_()` allows further training. A name
    without a counterpart, on either side, is an error.
    """
    with torch.device("meta"), _Unfilled():  # shapes without memory
        model = kind(config)
    model.load_state_dict(weights, assign=True)
    return model.eval().requires_grad_(False)


def dequantise(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights in float32: integers times their scales, which are under `.scale`."""
    return {
        name: _times(tensor, weights[f"{name}.scale"]) if tensor.dtype == torch.int8 else tensor
        for name, tensor in weights.items()
        if not name.endswith(".scale")
    }


def _times(whole: Tensor, scales: Tensor) -> Tensor:
    groups = whole.float().unflatten(-1, (scales.size(-1), -1)) if scales.dim() > 1 else whole
    return (groups * scales.float().unsqueeze(-1)).reshape(whole.shape)

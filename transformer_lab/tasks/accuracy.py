"""How often a model is right: token by token, and in whole sequences."""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from transformer_lab._checks import uncompiled
from transformer_lab._text_checks import check_rows
from transformer_lab.loss import IGNORED, shift_right
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel


@torch.no_grad()
def correct_tokens(model: nn.Module, batch: dict[str, Tensor]) -> Bool[Tensor, "B T"]:
    """Say for each target whether the model's best guess is it; for IGNORED ones, no.

    A decoder guesses each token after reading the true ones before it. All its guesses in a
    sequence are right if, and only if, it writes just that sequence on its own, greedily.
    Raises TypeError for a model of another kind than our three, ValueError for a batch that lacks
    something, in which no target counts, or not each has its place.
    """
    targets = _part(batch, "targets")
    check_rows("targets", targets)
    if (targets == IGNORED).all():
        raise ValueError(
            f"no target counts: they are all IGNORED ({IGNORED}), or none is there, since their "
            f"shape is {tuple(targets.shape)}. Of nothing there is no share."
        )
    match uncompiled(model):
        case EncoderModel():
            logits = model(_part(batch, "ids"), batch.get("real"))
        case DecoderModel(start_id=start):
            logits = model(shift_right(targets, start))
        case EncoderDecoderModel(start_id=start):
            ids = shift_right(targets, start)
            logits = model(_part(batch, "source"), ids, batch.get("source_real"))
        case _:
            raise TypeError(
                f"model must be an EncoderModel, DecoderModel or EncoderDecoderModel, but is a "
                f"{type(model).__name__}: how it is to be asked is not known here."
            )
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"there must be a target for each place, but the model read {tuple(logits.shape[:-1])} "
            f"and targets have shape {tuple(targets.shape)}."
        )
    return logits.argmax(dim=-1) == targets


def token_accuracy(model: nn.Module, batch: dict[str, Tensor]) -> float:
    """Return the share of targets, but for IGNORED ones, that the model guesses right.

    Refuses what `correct_tokens` refuses.
    """
    right = correct_tokens(model, batch)
    return right[batch["targets"] != IGNORED].float().mean().item()


def exact_match(model: nn.Module, batch: dict[str, Tensor]) -> float:
    """Return the share of sequences in which the model guesses every target but IGNORED ones.

    Refuses what `correct_tokens` refuses.
    """
    right = correct_tokens(model, batch) | (batch["targets"] == IGNORED)
    return right.all(dim=-1).float().mean().item()


def _part(batch: dict[str, Tensor], name: str) -> Tensor:
    """Take one tensor of a batch. Refuses a batch without it, and what is no batch."""
    if not isinstance(batch, dict) or name not in batch:
        given = f"has {[*batch]}" if isinstance(batch, dict) else f"is a {type(batch).__name__}"
        raise ValueError(f"a batch must be a dict with {name!r} for this model, but {given}.")
    return batch[name]

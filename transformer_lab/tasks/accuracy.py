"""How often a model is right: token by token, and in whole sequences."""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from transformer_lab.generate import uncompiled
from transformer_lab.loss import IGNORED, shift_right
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel
from transformer_lab.train import Batch, on_device_of


@torch.no_grad()
def correct_tokens(model: nn.Module, batch: Batch) -> Bool[Tensor, "B T"]:
    """Return, on the model's device, which targets are its best guess; IGNORED ones are False.

    A decoder predicts each token after the true ones before it. All its predictions in a sequence
    are right if, and only if, it generates that sequence on its own, greedily. Raises TypeError for
    a model of another kind than our three, ValueError for a batch without targets that count, or
    without one for each position.
    """
    if (batch["targets"] == IGNORED).all():
        raise ValueError(
            f"there is nothing to measure: targets have shape {tuple(batch['targets'].shape)}, and "
            f"all are IGNORED ({IGNORED})."
        )
    batch = on_device_of(model, batch)
    targets = batch["targets"]
    match uncompiled(model):
        case EncoderModel():
            logits = model(batch["ids"], batch.get("real"))
        case DecoderModel(start_id=start):
            logits = model(shift_right(targets, start))
        case EncoderDecoderModel(start_id=start):
            ids = shift_right(targets, start)
            logits = model(batch["source"], ids, batch.get("source_real"))
        case _:
            raise TypeError(
                f"model must be an EncoderModel, DecoderModel or EncoderDecoderModel, but is a "
                f"{type(model).__name__}."
            )
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"there must be a target for each position, but the model read "
            f"{tuple(logits.shape[:-1])} and targets have shape {tuple(targets.shape)}."
        )
    return logits.argmax(dim=-1) == targets


def token_accuracy(model: nn.Module, batch: Batch) -> float:
    """Return the share of targets, without IGNORED ones, that the model predicts.

    Raises what `correct_tokens` raises.
    """
    counts = batch["targets"] != IGNORED
    return correct_tokens(model, batch).cpu()[counts.cpu()].float().mean().item()


def exact_match(model: nn.Module, batch: Batch) -> float:
    """Return the share of sequences in which the model predicts every target but IGNORED ones.

    Raises what `correct_tokens` raises.
    """
    right = correct_tokens(model, batch).cpu() | (batch["targets"] == IGNORED).cpu()
    return right.all(dim=-1).float().mean().item()

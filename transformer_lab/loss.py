"""From logits and targets to the loss, with the shift to the right in this one place."""

import torch.nn.functional as F

from transformer_lab._checks import can_look
from transformer_lab._shapes import Ids, Logits, Loss

IGNORED = -100
"""A target that does not count, such as padding; `F.cross_entropy`'s own default."""


def shift_right(targets: Ids, start_id: int) -> Ids:
    """Return the decoder's input while it learns to write `targets`: start_id, all but the last.

    So at each position it has read everything before the token that it must write, and not that
    token. IGNORED targets, which must come last, are read as start_id: no position that counts
    attends to them. Source: Vaswani et al. 2017, figure 1 ("outputs, shifted right").

    Raises ValueError for an IGNORED target before one that counts.
    """
    ignored = targets == IGNORED
    if can_look(targets) and (ignored[:, :-1] & ~ignored[:, 1:]).any():
        raise ValueError(
            f"IGNORED ({IGNORED}) may only come after all targets that count, because the decoder "
            f"reads the shifted targets and IGNORED is no token. To leave a prompt out of the "
            f"loss, shift the ids, not the targets: token_loss(model(shift_right(ids, start_id)), "
            f"targets)."
        )
    shifted = targets.masked_fill(ignored, start_id).roll(1, dims=-1)
    shifted[:, :1] = start_id
    return shifted


def token_loss(logits: Logits, targets: Ids, *, label_smoothing: float = 0.0) -> Loss:
    """Average the cross-entropy, in nats, over all targets but the IGNORED ones.

    Label smoothing is the paper's: Vaswani et al. 2017, section 5.4, used 0.1. Raises ValueError
    if targets do not fit the logits or are all IGNORED, and for a smoothing outside [0, 1).
    """
    if not 0 <= label_smoothing < 1:
        raise ValueError(
            f"label_smoothing is the share of the target that is spread over all tokens, from 0 to "
            f"less than 1, but is {label_smoothing}."
        )
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"there must be a target for each position, but logits have shape "
            f"{tuple(logits.shape)} and targets {tuple(targets.shape)}."
        )
    if can_look(targets) and (targets == IGNORED).all():
        raise ValueError(
            f"every target is IGNORED ({IGNORED}), so there is nothing to average. Was the whole "
            f"batch masked?"
        )
    logits, targets = logits.flatten(0, 1), targets.flatten().long()
    return F.cross_entropy(logits, targets, ignore_index=IGNORED, label_smoothing=label_smoothing)

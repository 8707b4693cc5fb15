"""Refusals that several parts share, of ids, of what is real among them, and of their places."""

from collections.abc import Collection, Iterable

import torch
from torch import Tensor

from transformer_lab._checks import can_look, check_devices, check_integers, check_tensors

WHOLE = (torch.int64, torch.int32)  # by which torch looks vectors up


def check_rows(name: str, ids: Tensor, *, rows: bool = True) -> None:
    """Refuse what are no whole numbers, or not in rows, one for each text."""
    check_tensors(**{name: ids})
    if ids.dtype not in WHOLE:
        counts = not (ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool)
        wanted = "torch.int64 or torch.int32" if counts else "whole numbers"
        raise TypeError(
            f"{name} must be {wanted}, but is {ids.dtype}. By them the model looks vectors up, "
            f"which have no place here themselves. Ids kept otherwise become it by {name}.long()."
        )
    if rows and ids.dim() != 2:
        raise ValueError(
            f"{name} must have two axes, (batch, length), but has shape {tuple(ids.shape)}. "
            f"A single sentence becomes a batch of one with {name}[None]."
        )


def check_ids(
    ids: Tensor,
    vocabulary: int | float,
    *,
    name: str = "ids",
    rows: bool = True,
    why: str = "Was the text encoded with another tokenizer?",
) -> None:
    """Refuse token ids that are not whole numbers from 0 to vocabulary - 1, or not in rows."""
    check_rows(name, ids, rows=rows)
    unknown = (ids < 0) | (ids >= vocabulary)
    if can_look(ids) and unknown.any():
        raise ValueError(
            f"{name} must lie between 0 and {vocabulary - 1}, for a vocabulary of {vocabulary}, "
            f"but hold {ids[unknown][0].item()}. {why}"
        )


def check_text(name: str, text: object) -> None:
    """Refuse anything but a str (TypeError), and half a character in it (ValueError)."""
    if not isinstance(text, str):
        hint = f" {name}.decode() makes a str of it." if isinstance(text, bytes) else ""
        raise TypeError(f"{name} must be a str, but is a {type(text).__name__}.{hint}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must hold whole characters, but {text[error.start]!r}, at index "
            f'{error.start}, is half of one. {name}.encode("utf-8", "replace").decode() puts a ? '
            f"in its place."
        ) from None


def check_texts(name: str, texts: object, *, only: bool = True) -> None:
    """Refuse a single text in place of a list, and, if there may be only texts, others in it."""
    kind = Collection if only else Iterable  # what is looked at must be there afterwards
    if isinstance(texts, str | bytes) or not isinstance(texts, kind):
        example = [texts] if isinstance(texts, str) else ["a text"]
        raise TypeError(
            f"{name} must be a list of texts, like {example}, but is a {type(texts).__name__}."
        )
    for i, text in enumerate(texts if only else ()):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a list of texts, but holds {text!r}.")
        check_text(f"{name}[{i}]", text)


def check_token(name: str, token: int, vocabulary: int | float) -> None:
    """Refuse a token that is not in the vocabulary."""
    check_integers(least=None, **{name: token})
    if not 0 <= token < vocabulary:
        raise ValueError(
            f"{name} must be a token of the vocabulary, from 0 to {vocabulary - 1}, but is {token}."
        )


def check_real(real: Tensor, ids: Tensor, *, past: int = 0, name: str = "real") -> None:
    """Refuse a note of which tokens are real that is not boolean, or not one per token.

    In place of `ids` there may be the vectors made of them.
    """
    check_tensors(**{name: real})
    if real.dtype != torch.bool:
        raise TypeError(
            f"{name} must be boolean, True = a token and False = padding, but is {real.dtype}. "
            f"`ids != PAD` is one; 0 and 1, as other libraries have it, become one with .bool()."
        )
    check_devices(ids=ids, **{name: real})
    if real.shape != (ids.size(0), past + ids.size(1)):
        read = f" and the {past} tokens read before," if past else ","
        raise ValueError(
            f"{name} must say for each id whether it is a token, so its shape must be that of ids"
            f"{read} {(ids.size(0), past + ids.size(1))}, but it is {tuple(real.shape)}."
        )


def check_prompt(prompt: Tensor, real: Tensor | None) -> None:
    """Refuse texts that a decoder cannot go on from: empty ones, and those that end in padding."""
    if not prompt.numel():
        raise ValueError(
            "there is no token to go on from, or none that the cache has not read. A text that is "
            "still to begin is begun by the model's start_id: torch.full((batch, 1), start_id)."
        )
    if real is None:
        return
    check_real(real, prompt)
    if not real[:, -1].all():
        row = (~real[:, -1]).nonzero()[0].item()
        raise ValueError(
            f"row {row} ends in padding, so there is no last token to go on from. Pad texts of "
            f"unequal length on the left, as pad_left does."
        )


def check_choice(tokens: Tensor, texts: int, vocabulary: int) -> None:
    """Refuse what is not one token for each text: `choose` may be the reader's own."""
    check_tensors(**{"what choose returns": tokens})
    if tokens.shape != (texts,) or tokens.dtype not in WHOLE:
        raise ValueError(
            f"choose must return one token, a whole number, for each of the {texts} texts, but "
            f"returned {tokens.dtype} of shape {tuple(tokens.shape)}. From (texts, vocabulary), "
            f"logits.argmax(dim=-1) makes them."
        )
    why = "A token is the place of a logit."
    check_ids(tokens[None], vocabulary, name="the tokens chosen", why=why)

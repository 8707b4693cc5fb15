"""Checks of arguments: what PyTorch would compute without complaint, and wrongly.

What PyTorch itself rejects (lists, dtypes, devices, ids outside a table) is left to PyTorch. A
message says what was given, what was expected and how to fix it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import torch
from torch import Tensor, nn

INDICES = (torch.int64, torch.int32)  # the dtypes of indices for PyTorch's embeddings


def can_look(tensor: Tensor) -> bool:
    """Return whether the tensor's numbers can be read: not on meta, nor while torch traces."""
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return not (torch.compiler.is_compiling() or tensor.is_meta or wrapped(tensor))


def fits(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    """Return whether `shape` broadcasts to `wanted`."""
    pairs = zip(shape[::-1], wanted[::-1], strict=False)
    return len(shape) <= len(wanted) and all(size in (1, other) for size, other in pairs)


# Numbers


def check_integers(*, least: int | None = 1, **numbers: object) -> None:
    """Raise TypeError unless all are integers, ValueError for one below `least`."""
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Integral | torch.SymInt):
            raise TypeError(f"{name} must be an integer, but is {number!r}.")
        if least is not None and number < least:
            raise ValueError(f"{name} must be at least {least}, but is {number}.")


def check_number(**numbers: object) -> None:
    """Raise TypeError unless each is one real number, in a tensor or not."""
    for name, number in numbers.items():
        one = isinstance(number, Real) or (isinstance(number, Tensor) and number.numel() == 1)
        if not one:
            raise TypeError(f"{name} must be a number, but is {number!r}.")


def check_positive(**numbers: Any) -> None:
    """Raise ValueError unless each number is above 0 (NaN is not)."""
    _check_each(numbers, "a positive number", lambda number: number > 0)


def check_not_negative(**numbers: Any) -> None:
    """Raise ValueError unless each number is at least 0 (NaN is not)."""
    _check_each(numbers, "at least 0", lambda number: number >= 0)


def _check_each(numbers: Mapping[str, Any], wanted: str, holds: Callable[[Any], bool]) -> None:
    check_number(**numbers)
    for name, number in numbers.items():
        if not holds(number):
            raise ValueError(f"{name} must be {wanted}, but is {number}.")


def check_divides(**sizes: int) -> None:
    """Raise ValueError unless the first size divides the second."""
    check_integers(**sizes)
    (part, count), (whole, size) = sizes.items()
    if size % count:
        raise ValueError(
            f"{part} must divide {whole}, since all shares are equal, but {whole} = {size} and "
            f"{part} = {count}."
        )


def check_float_dtype(dtype: torch.dtype) -> None:
    """Raise TypeError unless the dtype is one of floats."""
    if not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise TypeError(f"dtype must be a float dtype, such as torch.float32, but is {dtype!r}.")


# Shapes and masks


def check_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    """Raise ValueError unless q, k and v are sequences of vectors on one device.

    Raise TypeError for a mask that is not boolean, ValueError for one that does not fit. Other
    mismatches are left to PyTorch.
    """
    if min(q.dim(), k.dim(), v.dim()) < 2 or not q.size(-1):
        raise ValueError(
            f"q, k and v must be (..., length, width), with a width of at least 1, but have the "
            f"shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}."
        )
    check_devices(k, q=q, v=v)
    if mask is None:
        return
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        given = mask.dtype if isinstance(mask, Tensor) else f"a {type(mask).__name__}"
        raise TypeError(
            f"mask must be a boolean tensor, True = may attend, but is {given}. Convert an "
            f"additive mask of 0 and -inf by `mask == 0`, one of 1 and 0 by mask.bool()."
        )
    try:
        leading = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    except RuntimeError:  # groups of heads share keys
        leading = q.shape[:-2]
    scores = (*leading, q.size(-2), k.size(-2))
    if not fits(mask.shape, scores):
        raise ValueError(
            f"mask must broadcast to the scores (..., queries, keys) = {tuple(scores)}, but has "
            f"shape {tuple(mask.shape)}."
        )


def check_devices(other: Tensor, **tensors: Tensor) -> None:
    """Raise ValueError for tensors on another device: mixed with meta, PyTorch returns anything."""
    for name, tensor in tensors.items():
        if tensor.device != other.device:
            raise ValueError(
                f"{name} must be on the same device as the other tensor, {other.device}, but is on "
                f'{tensor.device}. {name}.to("{other.device}") moves it.'
            )


def check_mask(name: str, mask: Tensor, hint: str = "") -> None:
    """Raise TypeError unless a mask is boolean."""
    if mask.dtype != torch.bool:
        raise TypeError(f"{name} must be boolean, but is {mask.dtype}. {hint}")


def check_mask_for(positions: nn.Module | None, mask: Tensor | None, q: Tensor, k: Tensor) -> None:
    """Raise what relative positions raise for a mask that they are not made for."""
    if hasattr(type(positions), "check_mask"):
        positions.check_mask(mask, q, k)  # type: ignore[union-attr,operator]


def check_causal(mask: Tensor | None, causal: Tensor) -> None:
    """Raise ValueError if a mask, or none, lets a query attend to a later key."""
    if len(causal) < 2 or (mask is not None and not can_look(mask)):
        return
    if mask is None or (mask & ~causal).any():
        raise ValueError(
            f"ALiBi needs causal attention: otherwise a later key gets a larger score the further "
            f"ahead it is. Pass mask=causal_mask({len(causal)}), combined with other masks by "
            f"`&`. To attend in both directions, use RotaryPositions."
        )


def check_weights(x: Tensor, **weights: Tensor | float) -> None:
    """Raise ValueError unless each weight has one number per feature of x: others broadcast."""
    for name, weight in weights.items():
        if isinstance(weight, Tensor) and weight.shape != x.shape[-1:]:
            raise ValueError(
                f"{name} must have one number for each feature of x, which has shape "
                f"{tuple(x.shape)}, but has shape {tuple(weight.shape)}."
            )


def check_same_shape(x: Tensor, added: Tensor) -> None:
    """Raise ValueError unless a sublayer returns the shape of x: a sum would broadcast."""
    if not isinstance(added, Tensor) or added.shape != x.shape:
        given = tuple(added.shape) if isinstance(added, Tensor) else f"a {type(added).__name__}"
        raise ValueError(
            f"the sublayer must return a tensor of the shape of its input, {tuple(x.shape)}, but "
            f"returned "
            f"{given}. Check that mask and memory have the batch size of x."
        )


# Positions


def check_places(x: Tensor, positions: Tensor, width: int, max_length: int | None = None) -> None:
    """Raise ValueError for another width, or positions that don't fit x or are out of range."""
    if x.size(-1) != width:
        raise ValueError(f"x must have width d_model = {width}, but has shape {tuple(x.shape)}.")
    if positions.shape[-1:] != x.shape[-2:-1] or not fits(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"positions must have one position for each vector of x, but have shape "
            f"{tuple(positions.shape)} and x {tuple(x.shape)}."
        )
    if max_length is None or not can_look(positions) or not positions.numel():
        return
    first, last = positions.min().item(), positions.max().item()
    if first < 0:
        raise ValueError(
            f"positions must be at least 0, but hold {first}. For padded sequences, use "
            f"token_positions(real)."
        )
    if last >= max_length:
        raise ValueError(
            f"this model has {max_length} positions, but the sequence needs {last + 1}. Shorten "
            f"it to at most {max_length} tokens."
        )


def check_positions(positions: Tensor) -> None:
    """Raise TypeError if a padding mask is passed in place of positions."""
    if positions.dtype == torch.bool:
        raise TypeError(
            "positions must be numbers, but are boolean. token_positions(real) computes them from "
            "a padding mask."
        )


def check_rotation(x: Tensor, radians: Tensor) -> None:
    """Raise ValueError unless the width is even and there is an angle for each pair of features."""
    if x.size(-1) % 2:
        raise ValueError(
            f"rotary positions rotate features in pairs, so the head width must be even, but it is "
            f"{x.size(-1)}. Choose an even d_model / heads."
        )
    pairs = (*x.shape[:-1], x.size(-1) // 2)
    if radians.shape[-2:] != pairs[-2:] or not fits(radians.shape[:-2], pairs[:-2]):
        raise ValueError(
            f"there must be an angle for each pair of features, but x has shape {tuple(x.shape)} "
            f"and radians {tuple(radians.shape)}: the last axes must be K and K/2."
        )


def check_same_tokens(q: Tensor, k: Tensor) -> None:
    """Raise ValueError unless q and k have the same length: earlier keys are rotated already."""
    if q.dim() < 3 or q.shape[-2:] != k.shape[-2:]:
        raise ValueError(
            f"q and k must be (heads, length, width) of the same tokens, but have the shapes "
            f"{tuple(q.shape)} and {tuple(k.shape)}. Do not rotate the keys in a cache again."
        )


def check_counts(last: int, k: Tensor) -> None:
    """Raise ValueError for a position that the dtype of the keys would round."""
    exact = round(2 / torch.finfo(k.dtype).eps)
    if last > exact:
        way, kind = "model.float()", k.device.type
        if torch.is_autocast_enabled(kind):
            way = f'with torch.autocast("{kind}", enabled=False): model(...)'
        raise ValueError(
            f"ALiBi needs positions up to {last}, but {k.dtype} represents integers exactly only "
            f"up to {exact}. Compute this in float32: {way}."
        )


# Sequences and logits


def check_real(real: Tensor, ids: Tensor, *, past: int = 0, name: str = "real") -> None:
    """Raise TypeError unless a padding mask is boolean, ValueError unless it has an entry per id.

    In place of `ids` there may be the vectors made of them.
    """
    check_mask(name, real, "Compute it by `ids != PAD`, or convert 0 and 1 with .bool().")
    if real.shape != (ids.size(0), past + ids.size(1)):
        raise ValueError(
            f"{name} must say for each id whether it is a token or padding, so its shape must be "
            f"{(ids.size(0), past + ids.size(1))}, but it is {tuple(real.shape)}."
        )


def check_memory(ids: Tensor, memory: Tensor) -> None:
    """Raise ValueError unless there is one memory for each sequence."""
    if memory.dim() != 3 or len(ids) != len(memory):
        raise ValueError(
            f"memory must have shape (batch, source length, width), with one source for each "
            f"sequence, but "
            f"ids have shape {tuple(ids.shape)} and memory {tuple(memory.shape)}. To use one "
            f"source for all sequences, pass memory.expand(len(ids), -1, -1)."
        )


def check_prompt(prompt: Tensor, real: Tensor | None) -> None:
    """Raise ValueError for prompts that are empty or end in padding."""
    if not prompt.numel():
        raise ValueError(
            "there is no token to continue from: the prompt is empty, or the cache has read all "
            "of it. To begin a "
            "sequence, use the model's start_id: torch.full((batch, 1), start_id)."
        )
    if real is None:
        return
    check_real(real, prompt)
    if not real[:, -1].all():
        row = (~real[:, -1]).nonzero()[0].item()
        raise ValueError(
            f"row {row} ends in padding, so there is no last token to continue from. Pad sequences "
            f"of unequal length on the left, as pad_left does."
        )


def check_token(name: str, token: int, vocabulary: int | float) -> None:
    """Raise ValueError unless the token is in the vocabulary."""
    check_integers(least=None, **{name: token})
    if not 0 <= token < vocabulary:
        raise ValueError(
            f"{name} must be a token of the vocabulary, from 0 to {vocabulary - 1}, but is {token}."
        )


def check_choice(tokens: Tensor, sequences: int, vocabulary: int) -> None:
    """Raise ValueError unless there is one token per sequence: `choose` may be any function."""
    whole = isinstance(tokens, Tensor) and tokens.dtype in INDICES
    known = whole and tokens.shape == (sequences,) and bool((tokens < vocabulary).all())
    if not known or (tokens < 0).any():
        given = f"{tokens.dtype}, {tuple(tokens.shape)}" if isinstance(tokens, Tensor) else tokens
        raise ValueError(
            f"choose must return one token, an integer below {vocabulary}, for each of the "
            f"{sequences} sequences, but returned {given}. logits.argmax(dim=-1) does."
        )


def check_logits(logits: Tensor) -> None:
    """Raise ValueError for logits that hold NaN or infinity, or leave no token to choose."""
    if not logits.is_floating_point():
        raise TypeError(f"logits must be floats, but are {logits.dtype}.")
    if not logits.dim() or not logits.size(-1):
        raise ValueError(f"logits hold no token to choose: their shape is {tuple(logits.shape)}.")
    if logits.sum().isfinite():
        return  # a finite sum needs no further checks
    if logits.isnan().any() or (logits == torch.inf).any():
        raise ValueError(
            "logits hold NaN or infinity, so no token can be chosen. Look for the "
            "first NaN in the model's weights: did its training diverge?"
        )
    if (logits == -torch.inf).all(dim=-1).any():
        raise ValueError("all logits of a row are -inf, so there is no token left to choose.")


# Text, modules, training


def check_given(**tensors: Tensor | None) -> None:
    """Raise TypeError if a tensor is missing: without a memory, x would attend to itself."""
    for name, tensor in tensors.items():
        if tensor is None:
            raise TypeError(f"{name} must be a tensor, but is None.")


def check_text(name: str, text: object) -> None:
    """Raise TypeError for anything but a str, ValueError for lone surrogates in it."""
    if not isinstance(text, str):
        hint = f" {name}.decode() makes a str of it." if isinstance(text, bytes) else ""
        raise TypeError(f"{name} must be a str, but is a {type(text).__name__}.{hint}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name} must not hold half a character (a lone surrogate), but "
            f"{text[error.start]!r}, at index "
            f'{error.start}, is half of one. {name}.encode("utf-8", "replace").decode() puts a ? '
            f"in its place."
        ) from None


def check_texts(name: str, texts: object) -> None:
    """Raise TypeError for a single text in place of a list, and for a list of anything else."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Collection):
        example = [texts] if isinstance(texts, str) else ["a text"]
        raise TypeError(
            f"{name} must be a list of texts, like {example}, but is a {type(texts).__name__}."
        )
    for i, text in enumerate(texts):
        check_text(f"{name}[{i}]", text)


def check_module(name: str, part: object, kind: type[nn.Module] = nn.Module) -> None:
    """Raise TypeError for a class in place of a module made from it, and for anything else."""
    if not isinstance(part, kind):
        given = f"the class {part.__name__}" if isinstance(part, type) else repr(part)
        raise TypeError(f"{name} must be a module, a {kind.__name__}, but is {given}.")


def check_config(config: Mapping[str, Any], *, stream: type, added: tuple[type, ...]) -> None:
    """Raise ValueError for invalid sizes and incompatible options.

    `stream` is the wiring that needs a norm at the end, `added` are positions that are added.
    """
    sizes = ("vocabulary", "d_model", "heads", "d_ff", "layers", "decoder_layers")
    check_integers(**{name: config[name] for name in sizes if config[name] is not None})
    check_token("start_id", config["start_id"], config["vocabulary"])
    if config["residual"] is stream and config["final_norm"] is nn.Identity:
        raise ValueError(
            "with residual=PreNorm the last layer's output is not normalised, so final_norm must "
            "be a norm, but is nn.Identity. Pass final_norm=LayerNorm, or the norm of the layers."
        )
    relative = getattr(config["attention"], "keywords", {}).get("positions")
    absolute = getattr(config["positions"], "func", config["positions"])
    if relative is not None and absolute in added:
        raise ValueError(
            f"attention has positions already, {type(relative).__name__}, so none should be added "
            f"to the embeddings, but positions is {absolute}, perhaps by default. Pass "
            f"positions=NoPositions."
        )


def check_optimizer(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Raise ValueError if the optimizer would train nothing of the model."""
    learning = {parameter for parameter in model.parameters() if parameter.requires_grad}
    if learning.isdisjoint(p for group in optimizer.param_groups for p in group["params"]):
        raise ValueError(
            "the optimizer would train none of this model's parameters. Make it from "
            "model.parameters(), after the last change to the model; the parameters of a "
            "pretrained model are frozen until model.requires_grad_()."
        )

"""Functions of `torch.nn.functional` for layers."""

import math
from collections.abc import Sequence
from typing import Any

from .along_axis import along, safe_softmax_of
from .axes import t, transpose
from .dtypes import BOOL, FLOAT32, INT32, INT64, finfo, only_floats
from .indexing import get
from .joining import cat
from .layout import broadcast
from .missing import missing
from .operation import functional, torch_function
from .products import check_types, matmul
from .ranges import tril
from .reducing import total
from .rounding import check_fills
from .tensor import Tensor, new, numbers, rounded
from .views import contiguous, expanded


@functional
def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    if not input.shape:
        raise RuntimeError("both arguments to linear need to be at least 1D")
    if bias is not None:
        check_types(input, bias)
    product = matmul(input, t(weight))
    return product if bias is None else product + bias


@functional
def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: Any = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    if input.dtype not in (INT64, INT32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got torch.{input.dtype.spoken}Tensor instead (while checking "
            "arguments for embedding)"
        )
    if any(not 0 <= n < weight.shape[0] for n in numbers(input)):
        raise IndexError("index out of range in self")
    if len(weight.shape) != 2:
        raise RuntimeError("'weight' must be 2-D")
    return get(weight, input) if input.shape else get(weight, int(input)).clone()


@functional
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    if tensor.dtype is not INT64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    flat = numbers(tensor)
    if any(n < 0 for n in flat):
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1 and not flat:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    count = max(flat) + 1 if num_classes == -1 else num_classes
    if any(n >= count for n in flat):
        raise RuntimeError("Class values must be smaller than num_classes.")
    ones = [int(n == k) for n in flat for k in range(count)]
    return new(ones, (*tensor.shape, count), INT64)


def _check_normalised(x: Tensor, shape: Sequence[int], weight: Any) -> list[int]:
    """Return the lengths of the last axes. Raises RuntimeError if they aren't the input's."""
    wanted = list(shape)
    if not wanted or list(x.shape[-len(wanted) :]) != wanted:
        raise RuntimeError(
            f"Given normalized_shape={wanted}, expected input with shape "
            f"[*{''.join(f', {n}' for n in wanted)}], but got input of size{list(x.shape)}"
        )
    if weight is not None and list(weight.shape) != wanted:
        raise RuntimeError(
            "Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {wanted}"
        )
    only_floats("LayerNormKernelImpl", x.dtype)
    return wanted


def _normalised(
    x: Tensor, width: int, weight: Any, bias: Any, eps: float, is_centred: bool
) -> Tensor:
    """Normalise lines of so many numbers; weights are applied before the result is rounded."""
    flat = numbers(x)
    scale = numbers(weight) if weight is not None else [1.0] * width
    shift = numbers(bias) if bias is not None else [0.0] * width
    lines, values = [], []
    for start in range(0, len(flat), width or 1):
        line = flat[start : start + width]
        if is_centred:
            mean = total(line) / width
            line = [v - mean for v in line]
        divisor = math.sqrt(total([v * v for v in line]) / width + eps)
        line = [v / divisor if divisor else math.nan for v in line]
        values += [v * a + b for v, a, b in zip(line, scale, shift, strict=True)]
        lines.append((line, divisor))

    def back(gradient: list) -> list:
        found: list[float] = []
        of_scale, of_shift = [0.0] * width, [0.0] * width
        for n, (line, divisor) in enumerate(lines):
            d = gradient[n * width : n * width + width]
            of_shift = [a + b for a, b in zip(of_shift, d, strict=True)]
            of_scale = [a + b * v for a, b, v in zip(of_scale, d, line, strict=True)]
            d = [a * b for a, b in zip(d, scale, strict=True)]
            middle = math.fsum(d) / width if is_centred else 0.0
            along = math.fsum(a * v for a, v in zip(d, line, strict=True)) / width
            found += [(a - middle - v * along) / divisor for a, v in zip(d, line, strict=True)]
        return [found, of_scale, of_shift]

    return rounded(values, x.shape, x.dtype, (x, weight, bias), None, back)


@functional
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    shape = _check_normalised(input, normalized_shape, weight)
    if any(x is not None and x.dtype is not input.dtype for x in (weight, bias)):
        raise RuntimeError(f"expected weight and bias of type {input.dtype.spoken}")

    return _normalised(input, math.prod(shape), weight, bias, eps, is_centred=True)


@functional
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Tensor:
    shape = _check_normalised(input, normalized_shape, weight)
    if weight is not None and weight.dtype is not input.dtype:
        raise missing("rms_norm with a weight of another dtype")
    kind = input.dtype if input.dtype.itemsize == 8 else FLOAT32
    small = finfo(kind).eps if eps is None else eps
    return _normalised(input, math.prod(shape), weight, None, small, is_centred=False)


torch_function(rms_norm)
torch_function(layer_norm)


@functional
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    length = input.norm(p, dim, keepdim=True).clamp_min(eps)
    return input / length.expand_as(input)


@functional
def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    if mode != "constant":
        raise missing(f"F.pad with mode={mode!r}")
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * len(input.shape):
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad "
            f"length is {len(pad)} while the input has {len(input.shape)} dimensions."
        )
    result, filling = input, 0 if value is None else value
    for n in range(len(pad) // 2):
        at, before, after = len(input.shape) - 1 - n, pad[2 * n], pad[2 * n + 1]
        size = result.shape[at]
        kept = size + min(before, 0) + min(after, 0)
        if size + before + after < 0:
            raise RuntimeError(
                f"The input size {size}, plus negative padding {before} and {after} resulted in a "
                "negative output size, which is invalid."
            )
        parts = [result.narrow(at, max(-before, 0), kept)]
        for length, place in ((before, 0), (after, 2)):
            if length > 0:
                shape = (*result.shape[:at], length, *result.shape[at + 1 :])
                parts.insert(place, result.new_full(shape, filling))
        result = cat(parts, at) if len(parts) > 1 else parts[0]
    if max(pad, default=0) <= 0:
        return result.clone()
    check_fills(filling, input.dtype, result.shape.numel())  # PyTorch fills all at once
    return contiguous(result)


@functional
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    if dropout_p:
        raise missing("F.scaled_dot_product_attention with dropout")
    if is_causal and attn_mask is not None:
        raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
    if attn_mask is not None and attn_mask.dtype not in (BOOL, query.dtype):
        raise RuntimeError(
            f"attn_mask has to be bool or like the query, not {attn_mask.dtype.spoken}"
        )
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (x.repeat_interleave(times, -3) for x in (key, value))
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = matmul(query, transpose(key, -2, -1)) * factor
    if is_causal:
        ones = new([True] * math.prod(scores.shape[-2:]), scores.shape[-2:], BOOL)
        attn_mask = tril(ones)
    if attn_mask is None:
        return matmul(scores.softmax(-1), value)
    if attn_mask.dtype is not BOOL:
        return matmul((scores + attn_mask).softmax(-1), value)
    scores = scores.masked_fill(~attn_mask, -math.inf)
    return matmul(along(scores, -1, safe_softmax_of, scores.dtype), value)


@functional
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    if x1.dtype is not x2.dtype:
        raise missing("F.cosine_similarity of several dtypes")
    shape = broadcast(tuple(x1.shape), tuple(x2.shape))
    x1, x2 = (expanded(x, shape) for x in (x1, x2))
    lengths = [x.norm(2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)

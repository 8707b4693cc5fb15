"""Call a learner's function, and describe what is wrong with its result."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

#: The widgets that show an exercise's function: by its id, the class and the argument.
OF_EXERCISES = {
    "attention-softmax": ("SoftDictionary", "softmax"),
    "attention-attention": ("AttentionStepper", "attention"),
    "masking-causal": ("MaskPlayground", "mask"),
    "multi_head-split": ("HeadSplitter", "split"),
    "positional_encoding-sinusoidal": ("PositionExplorer", "encoding"),
    "norm-layer": ("NormExplorer", "layer_norm"),
}


class Trouble(Exception):  # noqa: N818  (a message to a learner, no error of the widget)
    """A problem of a learner's function: the widget shows this message, and stays alive."""


def name_of(function: Callable) -> str:
    """Return the name of a function, or that of another object's class."""
    return getattr(function, "__name__", type(function).__name__)


def answer(
    function: Callable,
    *inputs: Any,
    shape: tuple[int, ...],
    dtype: torch.dtype | None = torch.float32,
) -> Tensor:
    """Call a function on copies of the inputs; return its tensor, or the first of several.

    It is converted to `dtype`, unless that is None. Raises Trouble if the function raises, or if
    its result isn't a tensor, has another shape, or contains NaN or infinity.
    """
    name = name_of(function)
    copies = [value.clone() if isinstance(value, Tensor) else value for value in inputs]
    try:
        result = function(*copies)
    except Exception as error:
        raise Trouble(f"{name} raised {type(error).__name__}: {error}") from error
    if isinstance(result, tuple) and result:
        result = result[0]
    if not isinstance(result, Tensor):
        raise Trouble(
            f"{name} returned {_a(result)}; expected a tensor of shape {shape}. "
            + ("Is a return missing?" if result is None else "")
        )
    if tuple(result.shape) != shape:
        raise Trouble(f"{name} returned a tensor of shape {tuple(result.shape)}; expected {shape}.")
    result = result.detach().to(dtype=dtype)
    if not torch.isfinite(result).all():
        bad = int((~torch.isfinite(result)).sum())
        raise Trouble(f"{name} returned NaN or infinity in {bad} of {result.numel()} entries.")
    return result


def _a(value: Any) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}"

"""`torch.nn.utils`: gradients that are clipped."""

from typing import Any

from ..graph import no_grad
from ..linalg import vector_norm
from ..missing import absent_from
from ..operation import TORCH
from ..tensor import Tensor


def _graded(parameters: Any) -> list[Tensor]:
    """Return the gradients that there are."""
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [one.grad for one in given if one.grad is not None]


@no_grad()
def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0,
    error_if_nonfinite: bool = False, foreach: Any = None,
) -> Tensor:  # fmt: skip
    """Shorten the gradient of all parameters together to a length; return the length it had."""
    gradients = _graded(parameters)
    if not gradients:
        return TORCH["tensor"](0.0)
    norms = TORCH["stack"]([vector_norm(gradient, norm_type) for gradient in gradients])
    whole = vector_norm(norms, norm_type)
    if error_if_nonfinite and not whole.isfinite():
        raise RuntimeError(f"The total norm of order {norm_type} for gradients is non-finite")
    factor = (max_norm / (whole + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    return whole


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clip each number of the gradients."""
    for gradient in _graded(parameters):
        gradient.clamp_(-clip_value, clip_value)


__getattr__ = absent_from("nn.utils")

"""`torch.optim`: gradient descent, Adam and AdamW, one parameter after the other."""

import math
from collections.abc import Callable
from typing import Any

from .graph import enable_grad, no_grad
from .missing import Absent, missing
from .tensor import Tensor


class Optimizer:
    """Changes parameters by their gradients."""

    def __init__(self, params: Any, defaults: dict[str, Any]):
        """Store parameters, or groups of them with options of their own."""
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts"
            )
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        self.defaults = defaults
        self.state: dict[Tensor, dict[str, Any]] = {}
        self.param_groups: list[dict[str, Any]] = []
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        own = param_group["params"]
        listed = [own] if isinstance(own, Tensor) else list(own)
        for one in listed:
            if not isinstance(one, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, not {type(one).__name__}")
            if not one.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        self.param_groups.append(self.defaults | param_group | {"params": listed})

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients."""
        forget([p for group in self.param_groups for p in group["params"]], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change each parameter that has a gradient."""
        with enable_grad():
            loss = closure() if closure else None
        with no_grad():
            for group in self.param_groups:
                for one in group["params"]:
                    if one.grad is not None:
                        self._move(one, -one.grad if group["maximize"] else one.grad, group)
        return loss

    def _move(self, one: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """Raise NotOnThisPage for what PyTorch's optimizers have besides."""
        if name in ("state_dict", "load_state_dict", "register_step_post_hook"):
            raise missing(f"Optimizer.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def forget(parameters: list[Tensor], set_to_none: bool) -> None:
    """Set gradients to None, or to zero."""
    for one in parameters:
        if set_to_none or one.grad is None:
            one.grad = None
        else:
            one.grad = one.grad.detach().zero_()


SPOKEN = {
    "lr": "learning rate", "momentum": "momentum value", "eps": "epsilon value",
    "weight_decay": "weight_decay value",
}  # fmt: skip


def _checked(**options: float) -> dict[str, Any]:
    for name, value in options.items():
        if not value >= 0:
            raise ValueError(f"Invalid {SPOKEN.get(name, name)}: {value}")
    return options


class SGD(Optimizer):
    """Gradient descent, with momentum if wanted."""

    def __init__(
        self, params: Any, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, **_: Any,
    ):  # fmt: skip
        """Store the options."""
        options = _checked(lr=lr, momentum=momentum, weight_decay=weight_decay)
        more = {"dampening": dampening, "nesterov": nesterov, "maximize": maximize}
        super().__init__(params, options | more)

    def _move(self, one: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * one
        if momentum := group["momentum"]:
            state = self.state.setdefault(one, {})
            if "momentum_buffer" in state:
                state["momentum_buffer"].mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
            else:
                state["momentum_buffer"] = gradient.clone()
            buffer = state["momentum_buffer"]
            gradient = gradient + momentum * buffer if group["nesterov"] else buffer
        one.sub_(gradient, alpha=group["lr"])


class Adam(Optimizer):
    """Steps by the mean of gradients over the root of the mean of their squares."""

    is_decoupled = False

    def __init__(
        self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *,
        maximize: bool = False, **_: Any,
    ):  # fmt: skip
        """Store the options."""
        if amsgrad:
            raise missing("amsgrad")
        options = _checked(lr=lr, eps=eps, weight_decay=weight_decay)
        super().__init__(params, options | {"betas": betas, "maximize": maximize})

    def _move(self, one: Tensor, gradient: Any, group: dict[str, Any]) -> None:
        rate, decay = group["lr"], group["weight_decay"]
        if decay and self.is_decoupled:
            one.mul_(1 - rate * decay)
        elif decay:
            gradient = gradient + decay * one
        state = self.state.setdefault(one, {"step": 0})
        step = state["step"] = state["step"] + 1
        for name, part, beta in zip(
            ("exp_avg", "exp_avg_sq"), (gradient, gradient * gradient), group["betas"], strict=True
        ):
            state[name] = (state[name] * beta if name in state else 0) + part * (1 - beta)
        first, second = (1 - beta**step for beta in group["betas"])
        root = state["exp_avg_sq"].sqrt() / math.sqrt(second) + group["eps"]
        one.sub_(state["exp_avg"] / root, alpha=rate / first)


class AdamW(Adam):
    """Adam, whose decay of weights is a step of its own."""

    is_decoupled = True

    def __init__(
        self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any,
    ):  # fmt: skip
        """Store the options."""
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)


def __getattr__(name: str) -> Any:
    """Return a stand-in for what the page has not, which raises when it is used."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Absent(f"torch.optim.{name}")

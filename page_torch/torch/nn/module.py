"""The base of all modules: it registers parameters, buffers and submodules."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ..graph import no_grad
from ..missing import missing
from ..names import NAMES
from ..optim import forget
from ..tensor import Tensor
from .parameter import Parameter

Named = Iterator[tuple[str, Any]]
HOMES = ("_parameters", "_buffers", "_modules")


class Kind(type):
    """Raises NotOnThisPage for what PyTorch's modules have and these don't."""

    def __getattr__(cls, name: str) -> Any:
        if name in NAMES["nn.Module"]:
            raise missing(f"nn.{cls.__name__}.{name}")
        raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")


class Module(metaclass=Kind):
    """The base class of models."""

    training: bool

    def __init__(self, *args: Any, **options: Any):
        """Start without parameters and submodules."""
        for name in HOMES:
            object.__setattr__(self, name, {})
        object.__setattr__(self, "_left_out", set())
        object.__setattr__(self, "training", True)

    def __setattr__(self, name: str, value: Any) -> None:
        """Register parameters, buffers and submodules."""
        homes = {Parameter: "_parameters", Module: "_modules"}
        place = next((home for kind, home in homes.items() if isinstance(value, kind)), None)
        if place is not None and place not in self.__dict__:
            kind = "module" if place == "_modules" else "parameters"
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        listed = [home for home in HOMES if name in self.__dict__.get(home, {})]
        if place is None and listed and (value is None or isinstance(value, Tensor)):
            if listed[0] == "_parameters" and value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            place = listed[0]
        if place is None:
            object.__setattr__(self, name, value)
            return
        for home in listed:
            if home != place:
                del self.__dict__[home][name]
        self.__dict__.pop(name, None)
        self.__dict__[place][name] = value

    def __getattr__(self, name: str) -> Any:
        """Look up registered attributes."""
        for home in HOMES:
            if name in self.__dict__.get(home, {}):
                return self.__dict__[home][name]
        if name in NAMES["nn.Module"]:
            raise missing(f"nn.{type(self).__name__}.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call forward."""
        return self.forward(*args, **options)

    def forward(self, *args: Any, **options: Any) -> Any:
        """Raise NotImplementedError: subclasses define it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def compile(self, *args: Any, **options: Any) -> None:
        """Do nothing: nothing is compiled here."""

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Register a tensor that is no parameter."""
        self._buffers[name] = tensor
        if not persistent:
            self._left_out.add(name)

    def register_parameter(self, name: str, param: Any) -> None:
        """Register a parameter, or None in its place."""
        self._parameters[name] = param

    def add_module(self, name: str, module: Any) -> None:
        """Register a submodule."""
        self._modules[name] = module

    def named_children(self) -> Named:
        """Yield the submodules."""
        yield from ((name, part) for name, part in self._modules.items() if part is not None)

    def named_modules(self, memo: set | None = None, prefix: str = "") -> Named:
        """Yield itself and all nested submodules, each once."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        seen.add(self)
        yield prefix, self
        for name, part in self.named_children():
            yield from part.named_modules(seen, f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator["Module"]:
        """Return itself and all nested submodules, each once."""
        return (part for _, part in self.named_modules())

    def get_submodule(self, target: str) -> "Module":
        """Return a nested submodule by its dotted name; itself for an empty one."""
        for name in filter(None, target.split(".")):
            self = getattr(self, name)
        return self

    def get_parameter(self, target: str) -> Parameter:
        """Return a parameter by its dotted name."""
        place, _, name = target.rpartition(".")
        return getattr(self.get_submodule(place), name)

    def _listed(self, home: str, prefix: str, deep: bool) -> Named:
        seen: set[int] = set()
        every = self.named_modules(prefix=prefix) if deep else [(prefix, self)]
        for place, part in every:
            for name, value in part.__dict__[home].items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{place}.{name}" if place else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Named:
        """Return the parameters, each once."""
        return self._listed("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Return the parameters, each once."""
        return (value for _, value in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Named:
        """Return the buffers, each once."""
        return self._listed("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Return the buffers, each once."""
        return (value for _, value in self.named_buffers(recurse=recurse))

    def state_dict(self, prefix: str = "") -> "OrderedDict[str, Tensor]":
        """Return parameters and buffers by their names."""
        state: OrderedDict[str, Tensor] = OrderedDict()
        for name, value in self._parameters.items():
            if value is not None:
                state[prefix + name] = value.detach()
        for name, value in self._buffers.items():
            if value is not None and name not in self._left_out:
                state[prefix + name] = value.detach()
        for name, part in self.named_children():
            state |= part.state_dict(f"{prefix}{name}.")
        return state

    def load_state_dict(self, state_dict: Any, strict: bool = True) -> None:
        """Copy numbers into parameters and buffers."""
        mine = self.state_dict()
        lacking = [key for key in mine if key not in state_dict]
        further = [key for key in state_dict if key not in mine]
        if strict and (lacking or further):
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}: missing {lacking}, "
                f"unexpected {further}"
            )
        with no_grad():
            for key, value in state_dict.items():
                if key in mine:
                    mine[key].copy_(value)

    def train(self, mode: bool = True) -> "Module":
        """Set training mode."""
        for part in self.modules():
            object.__setattr__(part, "training", mode)
        return self

    def eval(self) -> "Module":
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Set whether its parameters require gradients."""
        for value in self.parameters():
            value.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set gradients to None, or to zero."""
        forget(list(self.parameters()), set_to_none)

    def to(self, *args: Any, **options: Any) -> "Module":
        """Convert parameters and buffers."""
        for value in (*self.parameters(), *self.buffers()):
            changed = value.detach().to(*args, **options)
            if value.dtype.is_floating_point and changed.dtype is not value.dtype:
                value._storage, value.dtype = changed._storage, changed.dtype
                value._strides, value._offset = changed._strides, changed._offset
        return self

    def extra_repr(self) -> str:
        """Return what `repr` shows besides the submodules."""
        return ""

    def __repr__(self) -> str:
        """Return its submodules as PyTorch does."""
        lines = [
            f"({name}): " + repr(part).replace("\n", "\n  ") for name, part in self._modules.items()
        ]
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(filter(None, [extra, *lines])) + "\n)"

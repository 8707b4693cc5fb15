"""Modules that hold others."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from .module import Module


class Identity(Module):
    """Returns its input."""

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class ModuleList(Module):
    """A list of modules."""

    def __init__(self, modules: Iterable[Module] = ()):
        """Store the modules in order."""
        super().__init__()
        self.extend(modules)

    def append(self, module: Module) -> "ModuleList":
        """Append one."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> "ModuleList":
        """Append several."""
        for module in modules:
            self.append(module)
        return self

    def __len__(self) -> int:
        """Return their number."""
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        """Return them in order."""
        return iter(self._modules.values())

    def __repr__(self) -> str:
        """Return a line for each; adjacent equal ones share one."""
        if type(self) is not ModuleList:
            return super().__repr__()
        lines, first = [], 0
        for looks, alike in groupby(map(repr, self)):
            count = len(list(alike))
            place = f"({first}): " if count == 1 else f"({first}-{first + count - 1}): {count} x "
            lines.append("  " + place + looks.replace("\n", "\n  "))
            first += count
        return "ModuleList(\n" + "\n".join(lines) + "\n)" if lines else "ModuleList()"

    def __getitem__(self, at: Any) -> Any:
        """Return one, or a slice."""
        found = list(self._modules.values())[at]
        return type(self)(found) if isinstance(at, slice) else found


class Sequential(ModuleList):
    """Modules one after the other."""

    def __init__(self, *modules: Any):
        """Store the modules in order."""
        super().__init__(
            modules[0] if len(modules) == 1 and isinstance(modules[0], list) else modules
        )

    def forward(self, input: Any) -> Any:
        """Apply all in order."""
        for part in self:
            input = part(input)
        return input

"""Watch a model at work: the inputs and outputs of each of its modules, by forward hooks.

The model's code doesn't know of it. Activations and attention weights are read here, and heads are
ablated here, to measure the model without them.
"""

import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from itertools import dropwhile
from traceback import walk_stack
from typing import Any

from torch import Tensor, nn
from torch.nn.modules import module as torch_module

from transformer_lab._checks import check_integers, check_module
from transformer_lab.attention import AttentionHead
from transformer_lab.multi_head import MultiHeadAttention


@dataclass(frozen=True)
class Line:
    """A line of code: its file, its number, and its text without the indent."""

    file: str
    number: int
    text: str


@dataclass(frozen=True, eq=False)
class Call:
    """One call of one module.

    `name` is the module's in `model.named_modules()`, dotted, and empty for the model itself.
    `inputs` and `outputs` are the tensors among its arguments and results, detached. `line` is the
    line of code that made the call.
    """

    name: str
    kind: type[nn.Module]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    line: Line

    @property
    def output(self) -> Tensor:
        """Return the first output; attention's second one is its weights."""
        return self.outputs[0]


@dataclass(frozen=True, eq=False)
class Record:
    """All calls, in the order in which they ended: parts come before the whole.

    A module that is called again, as in generation, has several calls.
    """

    calls: list[Call] = field(default_factory=list)

    def latest(self, name: str) -> Call:
        """Return the latest call of the module of that name. Raises ValueError if there is none."""
        latest = {call.name: call for call in self.calls}
        if name not in latest:
            similar = get_close_matches(str(name), latest, cutoff=0)
            raise ValueError(
                f"no call of a module named {name!r} was recorded. Similar names: "
                f"{', '.join(similar) or 'none, nothing ran'}."
            )
        return latest[name]

    def attention(self) -> dict[str, Tensor]:
        """Return the weights of each attention module's latest call, by its name."""
        return {
            call.name: call.outputs[1]
            for call in self.calls
            if issubclass(call.kind, AttentionHead | MultiHeadAttention)
        }

    def shapes(self, **letters: int) -> list[tuple[str, str, str]]:
        """Return a row for each call: name, kind, shapes of outputs. `B=2` writes B for size 2."""
        return [
            (
                call.name or "(whole)",
                call.kind.__name__,
                ", ".join(shape_in_letters(output.shape, letters) for output in call.outputs),
            )
            for call in self.calls
        ]


@contextmanager
def trace(model: nn.Module, names: str = "*") -> Iterator[Record]:
    """Record every call of the model's modules: `with trace(model) as record: model(ids)`.

    `names` is a pattern of module names, where * matches any characters: all of a large model is a
    lot to keep. A module that two parts share has the first one's name. Tensors are kept, not
    copied: if a module modifies one in place, as none of ours does, the record changes too.

    Inside, attention returns its weights, which models don't need: the outputs are the same up to
    rounding. Raises ValueError for a pattern that matches no name.
    """
    watched = [(name, part) for name, part in model.named_modules() if fnmatchcase(name, names)]
    if not watched:
        raise ValueError(
            f"no module of this {type(model).__name__} has a name like {names!r}. "
            f"`dict(model.named_modules())` has all names."
        )
    record = Record()
    handles = [
        part.register_forward_hook(partial(_record, record.calls, name), with_kwargs=True)
        for name, part in watched
    ]
    handles += [
        part.register_forward_pre_hook(_want_weights, with_kwargs=True)
        for _, part in watched
        if isinstance(part, MultiHeadAttention)
    ]
    try:
        yield record
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def ablate_heads(
    attention: MultiHeadAttention,
    heads: Iterable[int],
) -> Iterator[None]:
    """Ablate some heads: inside, W_O gets zeros in place of their outputs.

    Weights show where a head looks. The loss without it shows whether the model needs it. Raises
    ValueError for a head that the attention does not have, TypeError for anything but multi-head
    attention and integers.
    """
    check_module("attention", attention, MultiHeadAttention)
    silent = list(heads)
    for head in silent:
        check_integers(least=None, **{"each head": head})
    if not set(silent) <= set(range(attention.heads)):
        last = attention.heads - 1
        raise ValueError(f"heads must be 0 to {last}, but are {silent}.")

    def ablate(_: nn.Module, args: tuple[Tensor]) -> Tensor:
        found = args[0].unflatten(-1, (attention.heads, -1)).clone()  # (*B, T, H, K)
        found[..., silent, :] = 0
        return found.flatten(-2)

    handle = attention.output.register_forward_pre_hook(ablate)
    try:
        yield
    finally:
        handle.remove()


def shape_in_letters(shape: tuple[int, ...], letters: Mapping[str, int]) -> str:
    """Return a shape with the letters of its sizes: "(B, T, 5)" for (2, 7, 5), if B=2 and T=7.

    Raises ValueError if two letters have the same size.
    """
    by_size = {size: letter for letter, size in letters.items()}
    if len(by_size) < len(letters):
        raise ValueError(
            f"each letter needs a size of its own, but two are equal in {dict(letters)}. Choose "
            "other sizes for the example."
        )
    return f"({', '.join(by_size.get(size, str(size)) for size in shape)})"


def _want_weights(_: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Request attention weights: a hook that torch calls before the module."""
    return args, kwargs | {"need_weights": True}


def _record(
    calls: list[Call], name: str, module: nn.Module, args: Any, kwargs: Any, output: Any
) -> None:
    """Add a call: a hook that torch calls after the module."""
    inputs, outputs = tuple(_tensors([args, kwargs])), tuple(_tensors(output))
    calls.append(Call(name, type(module), inputs, outputs, _calling_line()))


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in a value, at any depth of tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        yield value.detach()
    elif isinstance(value, Mapping):
        yield from _tensors([*value.values()])
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)


def _calling_line() -> Line:
    """Return the line that called the module: the first one above torch's own code for calls."""
    lines = ((frame.f_code.co_filename, number) for frame, number in walk_stack(sys._getframe()))
    above = dropwhile(lambda line: line[0] != torch_module.__file__, lines)
    file, number = next(line for line in above if line[0] != torch_module.__file__)
    return Line(file, number, linecache.getline(file, number).strip())

"""Functions and models among a learner's arguments, held by a process that runs no learner's code.

In the worker a `Given` stands for each: its arguments go to the holder (see `proxy_server`), its
results come back, both as plain values. All look alike, and nothing in the worker shows what they
are. Loaded by path into the zygote, so it imports torch, numpy and the standard library only.
"""

import builtins
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BufferedIOBase
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor


class Given:
    """A function or a model that can be called, and reveals nothing else about itself."""

    __slots__ = ("__weakref__", "_line", "_number")

    def __init__(self, line: "Asker", number: int):
        self._line, self._number = line, number

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Return or raise what the thing does; write back what it modifies."""
        return self._line.ask(self._number, args, options)

    def __repr__(self) -> str:
        """Return the same for all."""
        return "<what you are given: call it>"


class Asker:
    """The worker's line to the holder."""

    def __init__(self, values: ModuleType, asks: BufferedIOBase, gives: BufferedIOBase):
        self._values, self._asks, self._gives = values, asks, gives

    def given(self, number: int) -> Given:
        """Return the stand-in for a thing."""
        return Given(self, number)

    def ask(self, number: int, args: tuple, options: dict) -> Any:
        """Return the result of a call. Raises TypeError for arguments that can't be sent."""
        tensors: list[Tensor] = []
        given = _written(self._values, (args, options), tensors, [self._values.PARTS_LIMIT])
        header, box = {"number": number, "given": given}, _Box()
        try:
            if torch._C._are_functorch_transforms_active() or any(map(_moves, tensors)):
                gave = _Asked.apply(self, header, box, *tensors)
            else:
                gave = self.exchange(header, box, tensors)
        finally:
            for place, written in box.written:
                tensors[place].copy_(written)
        return self._values.decode(box.gave, list(gave))

    def exchange(self, header: dict, box: "_Box", tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return the tensors that come back; the rest of the answer goes into the box."""
        values = self._values
        values.send(self._asks, {**header}, _sent(values, tensors))
        reply, told = values.receive(self._gives)
        written = reply["written"]
        rest = len(told) - len(written)
        box.written = list(zip(written, told[rest:], strict=True))
        if "raised" in reply:
            raise _error(*reply["raised"])
        box.gave = reply["gave"]
        return tuple(told[:rest])


class _Box:
    """What comes back besides tensors: the structure of the result, and what was modified."""

    def __init__(self) -> None:
        self.gave: Any = None
        self.written: list[tuple[int, Tensor]] = []


class _Asked(torch.autograd.Function):
    """A call in the holder, through which gradients flow back with its help."""

    @staticmethod
    def forward(line: Asker, header: dict, box: _Box, *tensors: Tensor) -> tuple[Tensor, ...]:
        return line.exchange(header, box, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        ctx.line, ctx.header, _, *tensors = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple:
        if "back" in ctx.header:
            raise RuntimeError(
                "gradients of gradients do not flow through functions that you are given"
            )
        saved = ctx.saved_tensors
        header = ctx.header | {"back": len(saved)}
        found = iter(_Asked.apply(ctx.line, header, _Box(), *saved, *gradients))
        mine = (next(found) if tensor.is_floating_point() else None for tensor in saved)
        return (None, None, None, *mine)

    @staticmethod
    def vmap(info: Any, in_dims: tuple, line: Asker, header: dict, box: _Box, *tensors: Any) -> Any:
        rows = [
            _Asked.apply(line, header, box, *_row(tensors, in_dims[3:], number))
            for number in range(info.batch_size)
        ]
        return tuple(map(torch.stack, zip(*rows, strict=True))), (0,) * len(rows[0])


def _written(values: ModuleType, value: Any, tensors: list[Tensor], room: list[int]) -> dict:
    """Encode a value as the codec does, and list its tensors; iterables become lists."""
    kind = type(value)
    room[0] -= 1 + len(value) // 20 if kind is str else 1
    if room[0] < 0:
        raise ValueError(f"it takes at most {values.PARTS_LIMIT} numbers outside of tensors")
    if isinstance(value, Tensor):
        tensors.append(value)
        return {"tensor": len(tensors) - 1}
    if (kind is int and abs(value) < values.INT_LIMIT) or kind in (bool, float, str, type(None)):
        return {"simple": value}
    if isinstance(value, np.ndarray | np.generic):
        return _written(values, value.tolist(), tensors, room)
    if isinstance(value, dict) and all(type(key) is str for key in value):
        room[0] -= sum(len(key) // 20 for key in value)
        return {"dict": {k: _written(values, v, tensors, room) for k, v in value.items()}}
    if kind is int or not isinstance(value, Iterable):
        raise TypeError(f"it takes tensors, numbers and lists of them, not {kind.__name__}")
    items = [_written(values, item, tensors, room) for item in value]
    return {"tuple" if isinstance(value, tuple) else "list": items}


def _sent(values: ModuleType, tensors: Sequence[Tensor]) -> list[Tensor]:
    room = values.TENSOR_LIMIT
    for tensor in tensors:
        room -= tensor.nbytes
        if tensor.layout != torch.strided or tensor.dtype not in values.DTYPES.values():
            raise ValueError(f"it takes dense tensors of bools or real numbers, not {tensor.dtype}")
    if room < 0:
        raise ValueError(f"it takes tensors of up to {values.TENSOR_LIMIT >> 20} MiB in one call")
    return [tensor.detach().cpu().contiguous() for tensor in tensors]


def _moves(tensor: Tensor) -> bool:
    """Return whether a gradient may have to flow back to a tensor."""
    return tensor.requires_grad and torch.is_grad_enabled()


def _row(tensors: tuple, axes: tuple, number: int) -> list[Tensor]:
    pairs = zip(tensors, axes, strict=True)
    return [t if axis is None else t.select(axis, number) for t, axis in pairs]


def _error(name: str, message: str) -> Exception:
    """Return a built-in exception of that name, or the nearest one."""
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(TypeError):  # an exception with other arguments than a message
            return kind(message)
    return RuntimeError(message)

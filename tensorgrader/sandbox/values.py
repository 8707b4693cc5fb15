"""Plain values, and how they are sent between the grader and a worker.

Plain are tensors, numbers, texts, None, dtypes, and tuples, lists and dicts (with texts as keys) of
them. A model is sent as its recipe, and none comes back. A message is a 4-byte length, a JSON
header of that length, then the bytes of the tensors it lists; nothing is ever unpickled. Both sides
load this, so it imports torch, numpy and the standard library only. What a worker sends is limited
here.
"""

import ctypes
import dis
import inspect
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BufferedIOBase
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

HEADER_LIMIT = 2**20
TENSOR_LIMIT = 2**24
MESSAGE_LIMIT = 2**26
TEXT_LIMIT = 500
PARTS_LIMIT = 2000
DEPTH_LIMIT = 6
INT_LIMIT = 2**63
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
DTYPES = {str(dtype).removeprefix("torch."): dtype for dtype in (torch.bool, *FLOATS, *INTEGERS)}


class Other(NamedTuple):
    """A value that is not plain, or too large: its type and a description."""

    type: str
    text: str


@dataclass(frozen=True, eq=False)
class Made:
    """A model or another function among the arguments, built by a recipe from plain values.

    It is built anew for each call, but known mistakes share one that is `steady`: nothing can
    change it. A card describes it by `says`, which no worker receives. Its source is sent, with
    that of the functions and classes of the course that it names; besides it may use math, torch, F
    and nn. A learner can only call it, unless it is to be `trained`.

    >>> double = Made("a doubling", lambda by: lambda x: by * x, (2,))
    >>> double.recipe(*double.given)(3)
    6
    """

    says: str
    recipe: Callable[..., Any]
    given: tuple
    steady: bool = False
    trained: bool = False


def made(args: tuple) -> tuple:
    """Return arguments in which recipes are replaced by what they build."""
    return tuple(a.recipe(*a.given) if isinstance(a, Made) else a for a in args)


def numbers(args: tuple) -> tuple:
    """Return arguments with plain values in place of built things that may change."""
    return tuple((() if a.steady else a.given) if isinstance(a, Made) else a for a in args)


def plain(value: Any) -> Any:
    """Copy a value; each part that is not plain becomes an `Other`.

    Subclasses of tuple and dict, NumPy's numbers and parameters become the plain types.
    """
    return _plain(value, DEPTH_LIMIT, [PARTS_LIMIT])


def _plain(value: Any, depth: int, room: list[int]) -> Any:
    """Copy a part; `room` counts down the parts that the whole may still have."""
    value = _without_frills(value)
    kind = type(value)
    if kind is Tensor:
        return _plain_tensor(value)
    if value is None or kind in (bool, float):
        return value
    if kind is int:
        return value if abs(value) < INT_LIMIT else Other("int", f"of {value.bit_length()} bits")
    if kind is torch.dtype and value in DTYPES.values():
        return value
    if kind is Made:
        return replace(value, given=_plain(value.given, depth - 1, room))
    sized = kind in (str, tuple, list, dict)
    described = Other(kind.__name__[:TEXT_LIMIT], f"of length {len(value)}" if sized else "")
    if kind is str and len(value) <= TEXT_LIMIT and room[0] > 0:
        room[0] -= len(value) // 20
        return value
    if not sized or kind is str or depth == 0 or len(value) > room[0]:
        return described
    room[0] -= len(value)
    if kind is dict:
        if not all(type(key) is str and len(key) <= TEXT_LIMIT for key in value):
            return Other("dict", f"of length {len(value)}, with keys that are not texts")
        room[0] -= sum(len(key) // 20 for key in value)
        return {key: _plain(item, depth - 1, room) for key, item in value.items()}
    items = [_plain(item, depth - 1, room) for item in value]
    return items if kind is list else tuple(items)


def _without_frills(value: Any) -> Any:
    """Convert a named tuple to a tuple, an OrderedDict to a dict, np.float64(1) to 1.0 etc."""
    kind = type(value)
    if issubclass(kind, tuple):
        return tuple(value)
    if issubclass(kind, dict):
        return dict(value)
    if issubclass(kind, np.generic):
        return value.item()
    return value.data if kind is nn.Parameter else value


def _plain_tensor(value: Tensor) -> Tensor | Other:
    """Copy a tensor that is dense, on the CPU, of a common dtype and not too large."""
    dense = value.layout == torch.strided and value.device.type == "cpu"
    if not dense or value.dtype not in DTYPES.values() or value.nbytes > TENSOR_LIMIT:
        return Other("Tensor", f"of {value.dtype} and shape {tuple(value.shape)} on {value.device}")
    return value.detach().clone(memory_format=torch.contiguous_format)


def encode(value: Any, tensors: list[Tensor]) -> dict:
    """Convert a plain value to JSON, appending its tensors to the list."""
    if isinstance(value, Other):
        return {"other": list(value)}
    if isinstance(value, tuple):
        return {"tuple": [encode(item, tensors) for item in value]}
    if isinstance(value, list):
        return {"list": [encode(item, tensors) for item in value]}
    if isinstance(value, dict):
        return {"dict": {key: encode(item, tensors) for key, item in value.items()}}
    if isinstance(value, Tensor):
        tensors.append(value.contiguous())
        return {"tensor": len(tensors) - 1}
    if isinstance(value, torch.dtype):
        return {"dtype": str(value).removeprefix("torch.")}
    if isinstance(value, Made):
        source = _source(value.recipe)
        return {"made": [value.recipe.__name__, source, value.steady, encode(value.given, tensors)]}
    return {"simple": value}


def _source(recipe: Callable[..., Any]) -> str:
    """Return the source of a recipe, below that of functions and classes of its course it names."""
    course = recipe.__module__.partition(".")[0]
    waiting: list[Any] = [recipe]
    found: dict[Any, str] = {}
    while waiting:
        one = waiting.pop()
        if one in found or one.__module__.partition(".")[0] != course:
            continue
        found[one] = inspect.getsource(one)
        bodies = filter(inspect.isfunction, vars(one).values()) if isinstance(one, type) else [one]
        named = (body.__globals__.get(name) for body in bodies for name in _globals(body.__code__))
        waiting += [value for value in named if isinstance(value, FunctionType | type)]
    return "\n\n\n".join(reversed(found.values()))


def _globals(code: CodeType) -> set[str]:
    inside = [_globals(const) for const in code.co_consts if isinstance(const, CodeType)]
    read = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return read.union(*inside)


def decode(data: Any, tensors: list[Tensor], *, recipes: bool = False) -> Any:
    """Read what `encode` wrote. Raises ValueError for anything else, or too much of it.

    Recipes are for workers only: those that a worker sends are rejected.
    """
    return _decode(data, tensors, DEPTH_LIMIT + 1, [PARTS_LIMIT + 1], recipes)


def _decode(data: Any, tensors: list[Tensor], depth: int, room: list[int], recipes: bool) -> Any:
    """Read a part, within limits of depth and number."""
    room[0] -= 1
    if depth < 0 or room[0] < 0:
        raise ValueError("a value that is too deep or has too many parts")
    match data:
        case {"tensor": int(index)} if 0 <= index < len(tensors):
            return tensors[index]
        case {"tuple": list(items)}:
            return tuple(_decode(item, tensors, depth - 1, room, recipes) for item in items)
        case {"list": list(items)}:
            return [_decode(item, tensors, depth - 1, room, recipes) for item in items]
        case {"dict": dict(items)}:
            decoded = (_decode(item, tensors, depth - 1, room, recipes) for item in items.values())
            return dict(zip(map(clean, items), decoded, strict=True))
        case {"other": [str(name), str(text)]}:
            return Other(clean(name), clean(text))
        case {"dtype": str(name)} if name in DTYPES:
            return DTYPES[name]
        case {"made": [str(name), str(source), bool(steady), given]} if recipes:
            names: dict[str, Any] = {"math": math, "torch": torch, "F": F, "nn": nn}
            exec(source, names)  # the grader's own, which a worker only reads
            return Made("", names[name], _decode(given, tensors, depth - 1, room, recipes), steady)
        case {"simple": str(text)}:
            return text[:TEXT_LIMIT]
        case {"simple": int(number)} if abs(number) < INT_LIMIT:
            return number
        case {"simple": float() | bool() | None as simple}:
            return simple
    raise ValueError("malformed value")


def send(stream: BufferedIOBase, header: dict, tensors: list[Tensor]) -> None:
    """Write one message."""
    header["tensors"] = [
        {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape)} for t in tensors
    ]
    text = json.dumps(header).encode()
    stream.write(struct.pack(">I", len(text)) + text)
    for tensor in tensors:
        stream.write(ctypes.string_at(tensor.data_ptr(), tensor.nbytes) if tensor.nbytes else b"")
    stream.flush()


def receive(stream: BufferedIOBase) -> tuple[dict, list[Tensor]]:
    """Read one message. Raises EOFError at the end of the stream, ValueError if it is malformed."""
    (length,) = struct.unpack(">I", _read(stream, 4))
    if length > HEADER_LIMIT:
        raise ValueError(f"a header of {length} bytes is over the limit of {HEADER_LIMIT}")
    try:
        header = json.loads(_read(stream, length))
        listed = [(DTYPES[t["dtype"]], [int(n) for n in t["shape"]]) for t in header["tensors"]]
    except (KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"malformed header: {error}") from None
    room, tensors = MESSAGE_LIMIT, []
    for dtype, shape in listed:
        fits = len(shape) <= 16 and all(0 <= n <= TENSOR_LIMIT for n in shape)
        spread = math.prod(max(n, 1) for n in shape if fits)  # an empty tensor with many rows
        if not fits or spread * dtype.itemsize > TENSOR_LIMIT:
            raise ValueError("a tensor's shape is over the limit")
        size = math.prod(shape) * dtype.itemsize
        if (room := room - size) < 0:
            raise ValueError(f"a message of over {MESSAGE_LIMIT} bytes is over the limit")
        raw = _read(stream, size)
        flat = torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.empty(0, dtype=dtype)
        tensors.append(flat.reshape(shape))
    return header, tensors


def clean(text: str) -> str:
    """Truncate a foreign text, and drop what could control a terminal."""
    return "".join(c if c.isprintable() else " " for c in text[:TEXT_LIMIT])


def _read(stream: BufferedIOBase, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data

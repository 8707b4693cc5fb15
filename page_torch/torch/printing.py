"""How tensors are printed: as PyTorch prints them, from `torch/_tensor_str.py`."""

import math
from collections.abc import Sequence
from typing import Any

from .dtypes import BOOL, FLOAT32, INT64
from .missing import missing

MOST = 1000  # numbers that are written out in full
EDGE = 3  # numbers shown at each end of an axis otherwise
WIDTH = 80


class Entries:
    """Formats the entries of a tensor, all as wide as the widest."""

    def __init__(self, values: Sequence, floats: bool):
        """Find the format from all entries."""
        self.floats = floats
        known = [v for v in values if math.isfinite(v) and v != 0] if floats else []
        self.whole = all(v == math.ceil(v) for v in known)
        self.scientific = bool(known) and self._is_wide([abs(v) for v in known])
        self.width = 1
        shown = (known if floats else values) or []
        wider = floats and self.whole and not self.scientific
        self.width = max([1, *(len(self._bare(v)) + wider for v in shown)])

    def _is_wide(self, sizes: list[float]) -> bool:
        return max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4

    def _bare(self, value: Any) -> str:
        if not self.floats:
            return f"{value}"
        if self.scientific:
            return f"{value:.4e}"
        return f"{value:.0f}" if self.whole else f"{value:.4f}"

    def written(self, value: Any) -> str:
        """Return one entry as text."""
        text = self._bare(value)
        if self.floats and self.whole and not self.scientific and math.isfinite(value):
            text += "."
        return text.rjust(self.width)


def text(x: Any) -> str:
    """Return a tensor as text."""
    if x.dtype.is_complex:
        raise missing("print of complex numbers")
    head = "Parameter containing:\n" if type(x).__name__ == "Parameter" else ""
    suffixes = []
    told = x.dtype in (FLOAT32, INT64, BOOL)
    if x.is_meta:
        body, told = "...", x.dtype is FLOAT32
        suffixes += ["device='meta'", f"size={tuple(x.shape)}"]
    elif 0 in x.shape:
        body, told = "[]", x.dtype is FLOAT32
        suffixes += [f"size={tuple(x.shape)}"] if len(x.shape) != 1 else []
    else:
        body = _body(x)
    if not told:
        suffixes.append(f"dtype={x.dtype}")
    if x.grad_fn is not None:
        suffixes.append(f"grad_fn=<{x.grad_fn.name()}>")
    elif x.requires_grad:
        suffixes.append("requires_grad=True")
    return head + _with(f"tensor({body}", suffixes)


def _with(start: str, suffixes: list[str]) -> str:
    written, length = start, len(start) - start.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > WIDTH:
            written += f",\n{' ' * len('tensor(')}{suffix}"
            length = len("tensor(") + len(suffix)
        else:
            written += f", {suffix}"
            length += len(suffix) + 2
    return f"{written})"


def _body(x: Any) -> str:
    nested = x.tolist()
    short = x.shape.numel() > MOST
    seen = _flat(_shortened(nested) if short else nested)
    floats = x.dtype.is_floating_point
    return _written(nested, len("tensor("), short, Entries(seen, floats))


def _flat(nested: Any) -> list:
    return [v for part in nested for v in _flat(part)] if isinstance(nested, list) else [nested]


def _shortened(nested: Any) -> Any:
    if not isinstance(nested, list):
        return nested
    ends = nested[:EDGE] + nested[-EDGE:] if len(nested) > 2 * EDGE else nested
    return [_shortened(part) for part in ends]


def _depth(nested: Any) -> int:
    return 1 + _depth(nested[0]) if isinstance(nested, list) else 0


def _written(nested: Any, indent: int, short: bool, entries: Entries) -> str:
    if not isinstance(nested, list):
        return entries.written(nested)
    depth, edge = _depth(nested), EDGE
    cut = short and len(nested) > 2 * edge
    shown = nested[:edge] + nested[-edge:] if cut else nested
    parts = [_written(part, indent + 1, short, entries) for part in shown]
    if cut:
        parts.insert(edge, " ..." if depth == 1 else "...")
    if depth > 1:
        return "[" + ("," + "\n" * (depth - 1) + " " * (indent + 1)).join(parts) + "]"
    fitting = max(1, (WIDTH - indent) // (entries.width + 2))
    lines = [", ".join(parts[n : n + fitting]) for n in range(0, len(parts), fitting)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"

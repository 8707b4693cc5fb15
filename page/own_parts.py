"""A learner's own functions in a GPT: written down once, for page/train/replay.js to repeat.

They are called with tensors that have shapes and no numbers. Each step of the page's PyTorch leaves
on its result from what it came, so that what they compute can be told as a list of steps.
"""

import json
import math
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor

from tensorgrader.cells import parse
from tensorgrader.course import Course
from tensorgrader.outcome import Raised
from tensorgrader.sandbox.main_module import first_names
from tensorgrader.sandbox.worker import execute

#: The exercises whose answers can stand in the GPT, by the names of their functions there.
PARTS = {
    "masking-causal": "causal_mask",
    "attention-attention": "attention",
    "attention-scores": "scores",
    "attention-softmax": "softmax",
    "masking-softmax": "masked_softmax",
    "multi_head-split": "split_heads",
    "multi_head-merge": "merge_heads",
    "positional_encoding-angles": "angles",
    "positional_encoding-rotary": "rotate_pairs",
    "norm-rms": "rms_norm",
    "norm-layer": "layer_norm",
    "norm-swiglu": "swiglu",
}
#: What replay.js can repeat.
REPEATED = frozenset({
    "add", "sub", "mul", "divided", "power", "root_power", "largest", "least", "at_least",
    "at_most", "eq", "ne", "lt",
    "le", "gt", "ge", "and_", "or_", "xor", "not_", "isfinite", "_chosen", "_filled", "neg", "abs",
    "squared", "sqrt", "rsqrt", "reciprocal", "exp", "log", "sin", "cos", "tanh", "sigmoid",
    "relu_of", "_silu", "_gelu", "_gelu_by_tanh", "total", "_mean_of", "greatest", "smallest",
    "variance_0", "variance_1", "softmax_of", "matmul", "cat", "copy", "picked",
})  # fmt: skip
BATCH, LENGTH = 16, 64
LARGEST = 200_000  # numbers of a constant
PREPARED = "import math\nimport torch\nimport torch.nn.functional as F\n"
UNKNOWN = "numbers here, only shapes"


class OwnPartError(Exception):
    """A part cannot stand in the GPT; the message says why."""


def programs(course: Course, answers: dict[str, str], chosen: list[str], sizes: dict) -> dict:
    """Return the steps of a GPT with chosen parts, for a batch and for one text, or the trouble."""
    try:
        own = {PARTS[name]: function for name, function in _functions(course, answers, chosen)}
        traced = [_traced(Parts(own), texts, **sizes) for texts in (BATCH, 1)]
        return {"programs": json.dumps(traced)}
    except OwnPartError as error:
        return {"trouble": str(error)}


def _functions(
    course: Course, answers: dict[str, str], chosen: list[str]
) -> Iterator[tuple[str, Callable]]:
    """Yield the functions of chosen answers, each among the other answers of its chapter."""
    for chapter in dict.fromkeys(course.exercises[name].chapter for name in chosen):
        names = first_names()
        exec(PREPARED, names)
        for exercise in course.chapters[chapter].exercises:
            code = answers.get(exercise.id)
            if code is None:
                continue
            names.pop(exercise.function, None)
            failed = _run(code, exercise.id, names)
            if exercise.id in chosen:
                if not callable(function := names.get(exercise.function)):
                    why = f": {failed}" if failed else ""
                    raise OwnPartError(f"Your answer defines no {exercise.function}{why}.")
                yield exercise.id, function


def _run(code: str, cell: str, names: dict[str, Any]) -> str:
    """Run a cell; return what it raised first."""
    source, tree, problem = parse(code)
    if tree is None:
        return f"it {problem}"
    done = execute(tree, source, cell, names, (BaseException,))
    raised = [one for one in done if isinstance(one, Raised)]
    return f"line {raised[0].line}: {raised[0].type}: {raised[0].message}" if raised else ""


class Parts:
    """The functions of the GPT: the learner's own, and ours for the others."""

    def __init__(self, own: dict[str, Callable]):
        """Store the learner's functions, by their names."""
        self._own = own

    def call(self, name: str, shape: tuple[int, ...], *args: Any) -> Any:
        """Return what a part makes. Raises OwnPartError where it makes nothing that fits."""
        if name not in self._own:
            return OURS[name](*args)
        try:
            result = self._own[name](*args)
        except BaseException as error:
            raise OwnPartError(_why(name, error)) from None
        if name == "attention":
            result = result[1] if isinstance(result, tuple) and len(result) == 2 else None
        if not isinstance(result, Tensor):
            wanted = "(output, weights)" if name == "attention" else "a tensor"
            raise OwnPartError(f"Your {name} should return {wanted}: does it end with return?")
        if tuple(result.shape) != shape:
            raise OwnPartError(
                f"Your {name} returns shape {tuple(result.shape)} here; {shape} is expected."
            )
        if name == "causal_mask" and result.dtype is not torch.bool:
            raise OwnPartError("Your causal_mask returns numbers; True and False are expected.")
        return result

    def weights(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        """Return the weights of attention, of what the mask shows."""
        shape = (*q.shape[:-1], k.shape[-2])
        if "attention" in self._own:  # it knows no mask: what is hidden loses its share
            shown = self.call("attention", shape, q, k, v) * mask
            return shown / shown.sum(dim=-1, keepdim=True)
        scores = self.call("scores", shape, q, k)
        scores = self.call("scale", shape, scores, q.shape[-1])
        if "softmax" in self._own and "masked_softmax" not in self._own:
            lowest = torch.finfo(scores.dtype).min
            return self.call("softmax", shape, scores.masked_fill(~mask, lowest))
        return self.call("masked_softmax", shape, scores, mask)

    def norm(self, x: Tensor, gamma: Tensor) -> Tensor:
        """Return x after the norm that was chosen."""
        if "layer_norm" in self._own:
            beta = torch.zeros(x.shape[-1])
            return self.call("layer_norm", tuple(x.shape), x, gamma, beta, 1e-6)
        return self.call("rms_norm", tuple(x.shape), x, gamma, 1e-6)


def _masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def _rotate_pairs(x: Tensor, radians: Tensor) -> Tensor:
    cos, sin = radians.cos(), radians.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


#: The parts of book/gpt.py, as functions that take what the exercises' take.
OURS: dict[str, Callable] = {
    "causal_mask": lambda length: torch.ones(length, length).tril().bool(),
    "scores": lambda q, k: q @ k.mT,
    "scale": lambda scores, d_k: scores / math.sqrt(d_k),
    "masked_softmax": _masked_softmax,
    "weighted_sum": lambda weights, v: weights @ v,
    "split_heads": lambda x, heads: x.unflatten(-1, (heads, -1)).transpose(-2, -3),
    "merge_heads": lambda x: x.transpose(-2, -3).flatten(-2),
    "angles": lambda t, width, base: t[:, None] * base ** (-torch.arange(0, width, 2) / width),
    "rotate_pairs": _rotate_pairs,
    "rms_norm": lambda x, gamma, eps: gamma * x / (x.square().mean(-1, keepdim=True) + eps).sqrt(),
    "swiglu": lambda x, gate, up, down: (torch.nn.functional.silu(x @ gate) * (x @ up)) @ down,
}


def normed_output(parts: Parts, x: Tensor, weights: dict[str, Tensor], heads: int) -> Tensor:
    """Return what book/gpt.py gives its output matrix, from the embeddings of some texts."""
    B, T, D = x.shape
    K = D // heads
    mask = parts.call("causal_mask", (T, T), T)
    radians = parts.call("angles", (T, K // 2), torch.arange(T), K, 10_000)
    for n in range(sum(name.endswith("query.weight") for name in weights)):
        part = {name.split(".")[-2]: w for name, w in weights.items() if f"blocks.{n}." in name}
        normed = parts.norm(x, part["attention_norm"])
        q, k, v = (
            parts.call("split_heads", (B, heads, T, K), normed @ part[name].T, heads)
            for name in ("query", "key", "value")
        )
        q, k = (parts.call("rotate_pairs", (B, heads, T, K), one, radians) for one in (q, k))
        found = parts.call("weighted_sum", tuple(v.shape), parts.weights(q, k, v, mask), v)
        x = x + parts.call("merge_heads", (B, T, D), found) @ part["output"].T
        matrices = [part[name].T for name in ("gate", "up", "down")]
        normed = parts.norm(x, part["feed_forward_norm"])
        x = x + parts.call("swiglu", (B, T, D), normed, *matrices)
    return parts.norm(x, weights["norm.weight"])


def _traced(parts: Parts, batch: int, *, width: int, heads: int, shapes: dict) -> dict:
    """Return the steps from the parameters of some shapes, and x, to what is normed last."""
    inputs = {"x": _unknown(batch, LENGTH, width)}
    weights = {name: _unknown(*shape) for name, shape in shapes.items()}
    result = normed_output(parts, inputs["x"], weights, heads)
    return _steps(torch.clone(result), inputs | weights)


def _unknown(*shape: int) -> Tensor:
    """Make a tensor of which only the shape is known."""
    from torch.tensor import without_numbers  # type: ignore[import-not-found] # the page's own

    return without_numbers(_kind()(UNKNOWN), shape, torch.float32)


@cache
def _kind() -> Any:
    """Return the kind of storage from which nothing comes but by steps that can be repeated."""
    from torch.missing import missing  # type: ignore[import-not-found] # the page's own
    from torch.storage import Nowhere  # type: ignore[attr-defined] # the page's own

    class Traced(Nowhere):  # type: ignore[misc]
        def __setattr__(self, name: str, value: Any) -> None:
            if name == "step" and value and value[0] not in REPEATED:
                raise missing("way to repeat this step")
            super().__setattr__(name, value)

    return Traced


def _why(name: str, error: BaseException) -> str:
    """Return why a function could not be called with shapes alone, and in which line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith("<") and "-" in frame.filename]
    place = f" (line {own[-1].lineno}: {own[-1].line})" if own else ""
    if UNKNOWN in str(error):
        why = "it reads or writes single numbers, but it is called with shapes alone"
        return f"Your {name} cannot be used here: {why}{place}."
    if type(error).__name__ == "NotOnThisPage":
        return f"Your {name} cannot be used here: this page cannot repeat what it does{place}."
    return f"Your {name} raises {type(error).__name__}{place}: {str(error)[:200]}"


def _steps(result: Tensor, inputs: dict[str, Tensor]) -> dict:
    """Return the steps that lead from inputs to a result, each after those that it needs."""
    steps: list[dict] = []
    number: dict[int, int] = {}
    kept = []  # so that no storage takes the place of another

    def add(storage: Any, **step: Any) -> None:
        number[id(storage)] = len(steps)
        kept.append(storage)
        steps.append(step)

    def view(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return _number(x)
        place = {"strides": x._strides, "offset": x._offset}  # type: ignore[attr-defined]
        return {"step": number[id(x._storage)], "shape": tuple(x.shape), **place}  # type: ignore[attr-defined]

    for name, x in inputs.items():
        add(x._storage, does="input", name=name, shape=tuple(x.shape))  # type: ignore[attr-defined]
    waiting = [result]
    while waiting:
        x = waiting[-1]
        storage: Any = x._storage  # type: ignore[attr-defined]
        if id(storage) in number:
            waiting.pop()
            continue
        if not hasattr(storage, "what"):
            if len(storage) > LARGEST:
                raise OwnPartError("Your functions make a constant that is too large to be kept.")
            add(storage, does="constant", shape=(len(storage),), values=[*map(_number, storage)])
            continue
        does, of, axes, shape = storage.step
        needed = [one for one in of if isinstance(one, Tensor)]
        missing = [one for one in needed if id(one._storage) not in number]  # type: ignore[attr-defined]
        waiting += missing
        if not missing:
            add(storage, does=does, shape=shape, of=[*map(view, of)], axes=[*axes])
    return {"steps": steps, "result": number[id(result._storage)]}  # type: ignore[attr-defined]


def _number(value: Any) -> float | str:
    """Return a number as JSON has it: those without an end by JavaScript's names."""
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)

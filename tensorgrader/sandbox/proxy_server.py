"""The process that holds functions for a learner's code, and runs no learner's code itself.

Loaded by path into the zygote, so it imports torch and the standard library only. Data from the
worker is limited by the codec, and nothing in it is executed.
"""

import select
from io import BufferedIOBase
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

MOST_CALLS = 30_000  # for one call of the learner's function


def hold(
    values: ModuleType,
    requests: BufferedIOBase,
    replies: BufferedIOBase,
    asks: BufferedIOBase,
    gives: BufferedIOBase,
) -> None:
    """Build things as the grader requests, and answer a worker's calls, until either ends."""
    things: tuple = ()
    asked = 0
    while True:
        ready, _, _ = select.select([requests, asks], [], [])
        if requests in ready:
            header, tensors = values.receive(requests)
            things = values.made(values.decode(header["things"], tensors, recipes=True))
            asked = 0
            values.send(replies, {"held": len(things), "token": header["token"]}, [])
        if asks in ready:
            header, tensors = values.receive(asks)
            asked += 1
            values.send(gives, *_answer(values, things, asked, header, tensors))


def _answer(
    values: ModuleType, things: tuple, asked: int, header: dict, tensors: list[Tensor]
) -> tuple[dict, list[Tensor]]:
    versions = [tensor._version for tensor in tensors]
    told: list[Tensor] = []
    reply: dict[str, Any] = {}
    try:
        if asked > MOST_CALLS:
            raise RuntimeError(f"it was called more than {MOST_CALLS} times")
        thing = things[header["number"]]
        if "back" in header:
            gave = _gradients(values, thing, header, tensors)
        else:
            args, options = values.decode(header["given"], tensors)
            with torch.no_grad():
                gave = values.plain(thing(*args, **options))
            if isinstance(gave, values.Other):
                raise ValueError(f"it returned a {gave.type} {gave.text}, which is too large")
        reply["gave"] = values.encode(gave, told)
    except Exception as error:
        only = error.args[0] if len(error.args) == 1 else error
        told.clear()
        reply = {"raised": [type(error).__name__, str(only)[: values.TEXT_LIMIT]]}
    pairs = enumerate(zip(tensors, versions, strict=True))
    reply["written"] = [place for place, (tensor, was) in pairs if tensor._version != was]
    return reply, told + [tensors[place] for place in reply["written"]]


def _gradients(values: ModuleType, thing: Any, header: dict, tensors: list[Tensor]) -> tuple:
    """Return the gradients of the float tensors that a thing was called with."""
    given, incoming = tensors[: header["back"]], tensors[header["back"] :]
    leaves = [tensor.clone() for tensor in given if tensor.is_floating_point()]
    turns = iter([leaf.requires_grad_() for leaf in leaves])
    with torch.enable_grad():
        moving = [next(turns).clone() if t.is_floating_point() else t for t in given]
        args, options = values.decode(header["given"], moving)
        results: list[Tensor] = []
        values.encode(thing(*args, **options), results)
    pairs = zip(results, incoming, strict=True)
    kept = [(result, gradient) for result, gradient in pairs if result.requires_grad]
    if not kept:
        return tuple(map(torch.zeros_like, leaves))
    found = torch.autograd.grad(
        [result for result, _ in kept],
        leaves,
        [gradient for _, gradient in kept],
        allow_unused=True,
    )
    return tuple(
        torch.zeros_like(leaf) if gradient is None else gradient
        for leaf, gradient in zip(leaves, found, strict=True)
    )

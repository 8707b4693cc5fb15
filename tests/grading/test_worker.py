"""The worker's language: what crosses the pipe, and what is refused."""

import io
import json
import struct

import pytest
import torch

from transformer_lab.grading import worker
from transformer_lab.grading.worker import Other, Raised, Returned


def over_the_wire(value):
    tensors = []
    stream = io.BytesIO()
    worker.send(stream, {"value": worker.encode(value, tensors)}, tensors)
    stream.seek(0)
    header, received = worker.receive(stream)
    return worker.decode(header["value"], received)


@pytest.mark.parametrize("dtype", worker.DTYPES.values(), ids=str)
def test_tensors_arrive_as_they_were_sent(dtype):
    sent = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    arrived = over_the_wire(sent)
    assert arrived.dtype == dtype
    assert torch.equal(arrived, sent)


def test_structures_arrive_as_they_were_sent():
    sent = (torch.empty(0, 3), (torch.tensor(2.0), None, 7), Other("list", "of length 2"))
    arrived = over_the_wire(sent)
    assert arrived[0].shape == (0, 3)
    assert arrived[1] == sent[1]
    assert arrived[2] == sent[2]


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{}",
        b"not json",
        b'{"tensors": [{"dtype": "object", "shape": [1]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [-1]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [99999, 99999]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": "ab"}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [99999999, 0]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [1e999]}]}',
        b'{"tensors": [{"dtype": [], "shape": [1]}]}',
        b"[" * 100_000,
    ],
)
def test_a_malformed_message_is_a_value_error(header):
    with pytest.raises(ValueError, match=r"."):
        worker.receive(io.BytesIO(struct.pack(">I", len(header)) + header))


def test_a_message_that_is_too_long_or_too_short_is_refused():
    with pytest.raises(ValueError, match="over the limit"):
        worker.receive(io.BytesIO(struct.pack(">I", worker.HEADER_LIMIT + 1)))
    header = json.dumps({"tensors": [{"dtype": "float32", "shape": [2]}]}).encode()
    with pytest.raises(EOFError):
        worker.receive(io.BytesIO(struct.pack(">I", len(header)) + header + b"1234"))


def test_all_tensors_of_a_message_together_are_bounded(monkeypatch):
    monkeypatch.setattr(worker, "MESSAGE_LIMIT", 20)
    assert len(over_the_wire((torch.ones(2), torch.ones(3)))) == 2
    with pytest.raises(ValueError, match="over the limit"):
        over_the_wire((torch.ones(3), torch.ones(3)))


def test_names_from_outside_cannot_command_a_terminal():
    told = over_the_wire(Other("\x1b]0;title\x07" + "x" * 9999, "\u202e"))
    assert told.type.isprintable()
    assert told.text.isprintable()
    assert len(told.type) == worker.TEXT_LIMIT


def test_a_reply_repeats_the_token_of_its_request():
    requests, replies = io.BytesIO(), io.BytesIO()
    for token in ("a", "b"):
        worker.send(requests, {"do": "run", "cells": [], "token": token}, [])
    requests.seek(0)
    kept = dict(worker.sys.modules)
    worker.serve(requests, replies)
    worker.sys.modules.update(kept)
    replies.seek(0)
    assert [worker.receive(replies)[0]["token"] for _ in range(3)] == ["", "a", "b"]


@pytest.mark.parametrize("data", [{"tensor": 5}, {"tensor": "a"}, {}, [], {"other": [1, 2]}])
def test_a_malformed_value_is_refused(data):
    with pytest.raises((ValueError, IndexError)):
        worker.decode(data, [])


def test_plain_keeps_no_subclass_and_nothing_shared():
    class Sly(torch.Tensor):
        pass

    assert worker.plain(torch.ones(2).as_subclass(Sly)).type == "Sly"
    assert worker.plain(torch.nn.Parameter(torch.ones(2))).type == "Parameter"
    assert worker.plain([1, 2]) == Other("list", "of length 2")
    assert worker.plain(torch.ones(1).expand(10**9)).type == "Tensor"
    mine = torch.ones(2, requires_grad=True)
    copy = worker.plain(mine)
    assert not copy.requires_grad
    assert copy.data_ptr() != mine.data_ptr()


def test_the_mask_goes_by_name_where_there_is_one():
    x, mask = torch.ones(2), torch.tensor([True, False])
    functions = (
        lambda x, mask=None: mask,
        lambda x, allowed: allowed,
        lambda x, other=None, mask=None: mask,
        lambda x, **options: options["mask"],
        lambda x, *, mask: mask,
    )
    for function in functions:
        assert torch.equal(worker.apply(function, (x,), mask).value, mask)


def test_an_error_is_told_with_its_line():
    names = {}
    assert worker.run("def f(x):\n    y = x\n    return y.nothing", "cell", names) is None
    outcome = worker.apply(names["f"], (torch.ones(1),))
    assert outcome[:1] + outcome[2:] == ("AttributeError", 3, "return y.nothing")
    assert worker.run("1 / 0", "cell", {}).type == "ZeroDivisionError"
    assert isinstance(worker.apply(lambda: exit(), ()), Raised)


def test_what_became_of_the_arguments_is_told():
    outcome = worker.apply(lambda x: x.zero_(), (torch.ones(2), 3)[:1])
    assert isinstance(outcome, Returned)
    assert torch.equal(outcome.after[0], torch.zeros(2))

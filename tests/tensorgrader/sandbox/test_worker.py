"""The worker: how it applies a function, and what it tells of it."""

import functools
import io
from importlib import import_module

import pytest
import torch
from torch import nn

from tensorgrader.sandbox import values, worker


@pytest.fixture
def serve(monkeypatch):
    """Have requests answered; the package and PyTorch are afterwards as they were."""
    for name in worker.OURS:
        monkeypatch.setitem(worker.sys.modules, name, import_module(name))
    for name in worker.THREADS:
        monkeypatch.setattr(torch, name, getattr(torch, name))
    return worker.serve


def test_a_reply_repeats_the_token_of_its_request(serve):
    requests, replies = io.BytesIO(), io.BytesIO()
    for token in ("a", "b"):
        values.send(requests, {"do": "run", "cells": [], "token": token}, [])
    requests.seek(0)
    serve(requests, replies)
    replies.seek(0)
    assert [values.receive(replies)[0]["token"] for _ in range(3)] == ["", "a", "b"]


def test_a_worker_has_one_thread_whatever_an_answer_asks_for(serve):
    serve(io.BytesIO(), io.BytesIO())
    torch.set_num_threads(4)
    torch.set_num_interop_threads(4)
    assert torch.get_num_threads() == 1


def passing_on(function):
    return functools.wraps(function)(lambda *args, **options: function(*args, **options))


class Module(nn.Module):
    """A module is called through a function that takes anything."""

    def forward(self, x, other=None, mask=None):
        return mask


class Renamed(nn.Module):
    """A mask may have another name."""

    def forward(self, x, allowed):
        return allowed


def test_the_mask_goes_by_name_where_there_is_one():
    x, mask = torch.ones(2), torch.tensor([True, False])
    functions = (
        lambda x, mask=None: mask,
        lambda x, allowed: allowed,
        lambda x, other=None, mask=None: mask,
        lambda x, **options: options["mask"],
        lambda x, *, mask: mask,
        lambda x, mask=None, /: mask,
        functools.wraps(lambda x, mask: mask)(lambda *args: args[1]),
        lambda *args, **options: (lambda x, allowed: allowed)(*args, **options),
        passing_on(lambda x, *, mask: mask),
        passing_on(lambda x, allowed: allowed),
        Module(),
        Renamed(),
    )
    for function in functions:
        assert torch.equal(worker.apply(function, (x,), mask).value, mask)


def test_an_import_that_fails_is_told_and_stops_no_other_line():
    names = {}
    outcome = worker.run("import nothing_of_the_kind as n\ndef f(): return n\n", "cell", names)
    assert (outcome.type, outcome.line) == ("ModuleNotFoundError", 1)
    assert worker.apply(names["f"], ()).type == "NameError"
    assert worker.run("import no_such\nno_such.thing", "cell", {}).type == "NameError"


def test_a_feature_of_the_future_is_kept_from_cell_to_cell():
    names = {}
    future = "from __future__ import annotations"
    assert worker.run(f"x = 1\n{future}\ndef f(x: Nothing): pass", "one", names) is None
    assert worker.run("def g(x: Nothing): pass", "two", names) is None
    assert names["g"].__annotations__ == {"x": "Nothing"}

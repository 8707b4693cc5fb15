"""The worker: how it applies a function, and what it tells of it."""

import io

import torch

from transformer_lab.grading import values, worker
from transformer_lab.grading.worker import Raised, Returned


def test_a_reply_repeats_the_token_of_its_request():
    requests, replies = io.BytesIO(), io.BytesIO()
    for token in ("a", "b"):
        values.send(requests, {"do": "run", "cells": [], "token": token}, [])
    requests.seek(0)
    kept = dict(worker.sys.modules)
    worker.serve(requests, replies)
    worker.sys.modules.update(kept)
    replies.seek(0)
    assert [values.receive(replies)[0]["token"] for _ in range(3)] == ["", "a", "b"]


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

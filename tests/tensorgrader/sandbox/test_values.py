"""Plain values: what crosses the pipe, and what is refused."""

import io
import json
import struct
from collections import Counter, OrderedDict, namedtuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tensorgrader.sandbox import describe, values
from tensorgrader.sandbox.values import Other


def over_the_wire(value):
    tensors = []
    stream = io.BytesIO()
    values.send(stream, {"value": values.encode(value, tensors)}, tensors)
    stream.seek(0)
    header, received = values.receive(stream)
    return values.decode(header["value"], received)


@pytest.mark.parametrize("dtype", values.DTYPES.values(), ids=str)
def test_tensors_arrive_as_they_were_sent(dtype):
    sent = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(dtype)
    arrived = over_the_wire(sent)
    assert arrived.dtype == dtype
    assert torch.equal(arrived, sent)


SIMPLE = (
    st.none() | st.booleans() | st.floats() | st.text(max_size=20)
    | st.integers(-values.INT_LIMIT + 1, values.INT_LIMIT - 1)
    | st.sampled_from(list(values.DTYPES.values()))
)  # fmt: skip
NESTED = st.recursive(
    SIMPLE,
    lambda part: (
        st.lists(part, max_size=4)
        | st.lists(part, max_size=4).map(tuple)
        | st.dictionaries(st.text("abc", max_size=3), part, max_size=4)
    ),
    max_leaves=12,
)


@given(NESTED)
def test_plain_values_arrive_as_they_were_sent(sent):
    if sent == values.plain(sent):  # not too deep
        assert repr(over_the_wire(sent)) == repr(sent)


def test_tensors_and_what_is_not_plain_arrive_within_structures():
    sent = {"a": [torch.empty(0, 3), (torch.tensor(2.0), None)], "b": Other("set", "")}
    arrived = over_the_wire(sent)
    assert arrived["a"][0].shape == (0, 3)
    assert arrived["a"][1] == sent["a"][1]
    assert arrived["b"] == sent["b"]


Pair = namedtuple("Pair", "first second")


def nested(depth):
    return [nested(depth - 1)] if depth else 1


@pytest.mark.parametrize(
    ("value", "becomes"),
    [
        (torch.Size([2, 3]), (2, 3)),
        ({1, 2}, Other("set", "")),
        ({1: 2}, Other("dict", "of length 1, with keys that are not texts")),
        ([1] * 5000, Other("list", "of length 5000")),
        ("x" * 501, Other("str", "of length 501")),
        (2**99, Other("int", "of 100 bits")),
        (Pair(1, Pair(2, 3)), (1, (2, 3))),
        (OrderedDict(b=1, a=Counter("a")), {"b": 1, "a": {"a": 1}}),
        ([np.int64(3), np.float64(0.5), np.bool_(True)], [3, 0.5, True]),
        (nn.Parameter(torch.ones(2)), torch.ones(2)),
    ],
)
def test_what_is_not_plain_or_too_large_is_told_by_its_type(value, becomes):
    assert repr(values.plain(value)) == repr(becomes)


def test_what_is_too_deep_or_too_much_is_cut_off():
    assert "Other" in repr(values.plain(nested(9)))
    endless = []
    endless.append(endless)
    over_the_wire(values.plain(endless))
    for wide in ([[[1] * 30] * 30] * 30, ["\ud800" * 500] * 1900, {"\ud800" * 500: ["x"] * 1900}):
        over_the_wire(values.plain(wide))
    for deep in (nested(50), [1] * 99_999):
        with pytest.raises(ValueError, match="too deep"):
            values.decode(values.encode(deep, []), [])


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"not json",
        b'{"tensors": [{"dtype": "object", "shape": [1]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [-1]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [99999, 99999]}]}',
        b'{"tensors": [{"dtype": "float32", "shape": [99999999, 0]}]}',
        b'{"tensors": [{"dtype": [], "shape": [1]}]}',
        b'{"tensors": [{"dtype": "bool", "shape": [0' + b", 1" * 16 + b"]}]}",
        b'{"tensors": [{"dtype": "bool", "shape": [9' + b",9" * 300_000 + b"]}]}",
        b"[" * 100_000,
    ],
)
def test_a_malformed_message_is_a_value_error(header):
    with pytest.raises(ValueError, match=r".") as told:
        values.receive(io.BytesIO(struct.pack(">I", len(header)) + header))
    assert len(str(told.value)) < 1000


def test_a_message_that_is_too_long_or_too_short_is_refused():
    with pytest.raises(ValueError, match="over the limit"):
        values.receive(io.BytesIO(struct.pack(">I", values.HEADER_LIMIT + 1)))
    header = json.dumps({"tensors": [{"dtype": "float32", "shape": [2]}]}).encode()
    with pytest.raises(EOFError):
        values.receive(io.BytesIO(struct.pack(">I", len(header)) + header + b"1234"))


def test_all_tensors_of_a_message_together_are_bounded(monkeypatch):
    monkeypatch.setattr(values, "MESSAGE_LIMIT", 20)
    assert len(over_the_wire((torch.ones(2), torch.ones(3)))) == 2
    with pytest.raises(ValueError, match="over the limit"):
        over_the_wire((torch.ones(3), torch.ones(3)))


def test_names_from_outside_cannot_command_a_terminal():
    told = over_the_wire(Other("\x1b]0;title\x07" + "x" * 9999, "\u202e"))
    assert told.type.isprintable()
    assert told.text.isprintable()
    assert len(told.type) == values.TEXT_LIMIT
    assert len(values.decode({"simple": "x" * 9999}, [])) == values.TEXT_LIMIT


@pytest.mark.parametrize(
    "data",
    [{"tensor": 5}, {"tensor": "a"}, {}, [], {"other": [1, 2]}, {"simple": 2**70},
     {"simple": []}, {"dtype": "object"}, {"dict": [1]}, {"tensor": -1}],
)  # fmt: skip
def test_a_malformed_value_is_refused(data):
    with pytest.raises(ValueError, match="malformed"):
        values.decode(data, [])


def test_plain_keeps_no_subclass_and_nothing_shared():
    class Sly(torch.Tensor):
        pass

    assert values.plain(torch.ones(2).as_subclass(Sly)).type == "Sly"
    assert values.plain(torch.ones(1).expand(10**9)).type == "Tensor"
    mine = torch.ones(2, requires_grad=True)
    copy = values.plain(mine)
    assert not copy.requires_grad
    assert copy.data_ptr() != mine.data_ptr()


def test_variables_are_told_shortly_and_only_what_is_plain():
    names = {"x": torch.ones(2, 3), "n": 4, "s": "short", "half": 0.5, "yes": True, "none": None}
    large = {"listed": [1], "big": 10**40, "long": "x" * 100, "x" * 100: 1}
    told = ("x (2, 3)", "n = 4", "s = 'short'", "half = 0.5", "yes = True")
    assert describe.told(names | large) == told
    odd = {n: torch.ones(2, dtype=getattr(torch, n)) for n in ("half", "bool", "long", "int32")}
    shown = ("half (2,) of float16", "bool (2,)", "long (2,)", "int32 (2,) of int32")
    assert describe.told(odd) == shown
    assert len(describe.told({f"v{n}": n for n in range(100)})) == describe.TOLD_LIMIT

"""A widget shows a learner's function by the page's small PyTorch as it does by PyTorch."""

import base64
import json
import os
import subprocess
import sys

import pytest
import torch

from tests.course import EXERCISES
from tests.page_torch.judging import ROOT, STAND_INS
from tests.written import solutions
from transformer_lab.widgets._learner import OF_EXERCISES

#: Where controls stand, besides where they begin.
PLACES = {
    "attention-softmax": [{"fruit": -1.3, "furniture": 2.0, "temperature": 0.2}],
    "attention-attention": [{"d_k": 4, "scaled": False}, {"tokens": ["my", "own", "words"]}],
    "masking-causal": [{"kind": "causal + left padding", "fill": "both"}, {"kind": "cross"}],
    "multi_head-split": [{"heads": 4}],
    "positional_encoding-sinusoidal": [{"d_model": 8, "base": 10.0}, {"kind": "rotary"}],
    "norm-layer": [{"norm": "BatchNorm", "x2": 3.5}, {"gamma": 2.0, "eps": 1.0}],
}
#: Numbers of frames that come as shares of 255, or as they are; all others come as halves.
WHOLE = {("attention-attention", "weights"), ("masking-causal", "hidden")}
SHOW = """
import json, sys
from page import lab
notebook = lab.begin()
asked = {"check": False, "held": {}, "seconds": 9}
for cell, code, places in json.load(sys.stdin):
    run = json.loads(notebook.answer(json.dumps(asked | {"cell": cell, "code": code})))
    assert not run["note"], run
    for at in places:
        print(notebook.answer(json.dumps(asked | {"cell": cell, "at": at})))
"""


def shown(*path):
    """Run the right answers in a process of its own; give each frame, by exercise and place."""
    stems = dict.fromkeys(EXERCISES[exercise].chapter for exercise in OF_EXERCISES)
    cells = [("setup", "import math\nimport torch", [])]
    for stem in stems:
        for exercise, code in solutions(stem).items():
            cells.append((exercise, code, [{}, *PLACES[exercise]] if exercise in PLACES else []))
    done = subprocess.run(
        [sys.executable, "-c", SHOW], input=json.dumps(cells), capture_output=True, text=True,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(ROOT)])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = [(exercise, at) for exercise, _, places in cells for at in places]
    return list(zip(asked, map(json.loads, done.stdout.splitlines()), strict=True))


def same(exercise, name, ours, theirs):
    """Return whether two values of a frame are equal but for rounding."""
    if isinstance(theirs, dict) and "base64" in theirs:
        dtype = torch.uint8 if (exercise, name) in WHOLE else torch.half
        a, b = (
            torch.frombuffer(bytearray(base64.b64decode(x["base64"])), dtype=dtype).double()
            for x in (ours, theirs)
        )
        atol = 1 if dtype is torch.uint8 else 2e-3
        return a.shape == b.shape and torch.allclose(a, b, rtol=2e-3, atol=atol, equal_nan=True)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(
            same(exercise, name, *pair) for pair in zip(ours, theirs, strict=True)
        )
    if isinstance(theirs, dict):
        return all(same(exercise, name, ours[key], value) for key, value in theirs.items())
    return ours == (pytest.approx(theirs, abs=2e-3) if isinstance(theirs, float) else theirs)


def test_frames_are_the_same():
    assert PLACES.keys() == OF_EXERCISES.keys()
    for (asked, ours), (_, theirs) in zip(shown(*STAND_INS), shown(), strict=True):
        assert "trouble" not in ours.get("frame", {"trouble": ours}), (asked, ours)
        assert ours["frame"].keys() == theirs["frame"].keys()
        for name, value in theirs["frame"].items():
            assert same(asked[0], name, ours["frame"][name], value), (asked, name)

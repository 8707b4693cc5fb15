"""What writes into what its gradient needs is heard by the page's PyTorch, as by PyTorch."""

import json
import os
import subprocess
import sys

import pytest

from tests.page_torch.judging import ROOT, STAND_INS

#: Each makes y of x, a table that wants a gradient, and writes into something on the way.
PROGRAMS = (
    "y = x.softmax(-1); y[0] = 0",
    "y = x.log_softmax(-1); y -= 1",
    "y = x.exp(); y /= y.sum(-1, keepdim=True)",
    "y = (x + 0).exp_(); y += 1",
    "y = x - x.mean(-1, keepdim=True); y /= (y.square().mean(-1, keepdim=True) + 1) ** 0.5",
    "y = x.clone(); s = y.std(-1, keepdim=True); y /= s",
    "y = x / 2; y -= y.amax(-1, keepdim=True); y = y.exp()",
    "z = x + 0; y = z * z; z += 1",
    "z = x + 0; y = 2 / z; z *= 2",
    "z = torch.ones(3) * 2; y = x.clone() * z; z += 1",
    "y = x + 1; y *= 2; y = y.exp()",
    "y = x * torch.ones(3); y += 1",
    "y = x @ x; y += 1",
    "y = x.clone(); y[0] = 1; y = y.softmax(-1) * y",
    "y = x.clone(); y -= y.max(-1, keepdim=True).values; y = y.exp()",
    "y = x.clone(); y /= y.sum(-1, keepdim=True)",
    "y = x.tril(); y.masked_fill_(y > 1, 0); y = y.softmax(-1)",
    "z = x + 0; y = z * 3; z *= 2",
    "s = x.sum(-1, keepdim=True); y = x.clone().div_(s).mul_(s).add_(1)",
    "s = x.sum(-1, keepdim=True); y = x.clone().mul_(s); s += 1",
    "y = x.clone().clamp_(0.6, 1).abs_().pow_(2).add_(1)",
    "y = x.clone().sqrt_().mul_(2)",
)
CODE = """
import json, sys, torch
from tensorgrader.sandbox.gradients import arguments, origins

def is_refused(program):
    leaves = []
    (x,) = arguments((torch.rand(3, 3) + 0.5,), (0,), leaves)
    names = {"torch": torch, "x": x}
    exec(program, names)
    try:
        return origins(names["y"], leaves) != ((0,),)
    except RuntimeError as error:
        return "modified by an inplace operation" in str(error)

print(json.dumps([torch.__version__, [is_refused(program) for program in json.load(sys.stdin)]]))
"""


def told(path):
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=json.dumps(PROGRAMS), capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def both():
    return told([ROOT]), told([*STAND_INS, ROOT])


def test_both_refuse_the_same(both):
    (real, right), (page, mine) = both
    assert "page" in page
    assert "page" not in real
    assert dict(zip(PROGRAMS, mine, strict=True)) == dict(zip(PROGRAMS, right, strict=True))
    assert sum(right) == 11

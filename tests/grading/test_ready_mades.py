"""A refused ready-made is refused by every name, and right answers do without."""

import ast
from functools import partial
from pathlib import Path

import pytest
import torch

from tests.grading.asking import call, run
from transformer_lab.grading import ready_mades
from transformer_lab.grading.checks import CHAPTERS
from transformer_lab.grading.judge import verdict
from transformer_lab.grading.sandbox import Sandbox
from transformer_lab.grading.trial import Questions, Trial
from transformer_lab.grading.worker import Raised, Returned

RIGHT = Path(__file__).parent / "answers/right"


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("softmax", ["x.softmax(-1)", "torch._softmax(x, -1, False)", "nn.Softmax(-1)(x)"]),
        ("softmax", ["torch._refs.softmax(x, -1)", "torch.special.softmax(x, -1)"]),
        ("softmax", ["torch.sparse.softmax(x.to_sparse(), 1)", "x.to_mkldnn().softmax(-1)"]),
        ("log_softmax", ["F.log_softmax(x, -1)", "F.cross_entropy(x, torch.tensor([0, 1, 2]))"]),
        ("layer_norm", ["nn.LayerNorm(4)(x)", "torch.native_layer_norm(x, (4,), None, None, 0.1)"]),
        ("LayerNorm", ["F.layer_norm(x, (4,))", "nn.LayerNorm(4)"]),
        ("RMSNorm", ["F.rms_norm(x, (4,))", "nn.RMSNorm(4)"]),
        ("scaled_dot_product_attention", ["F.scaled_dot_product_attention(x, x, x)"]),
        ("MultiheadAttention", ["nn.MultiheadAttention(4, 2)", "nn.Transformer(4, 2, 1, 1, 8)"]),
        ("multi_head_attention_forward", ["nn.MultiheadAttention(4, 1)(x, x, x)"]),
    ],
)
def test_a_ready_made_is_refused_by_every_name(name, uses):
    with Sandbox(forbidden=[name]) as sandbox:
        run(sandbox, "import torch\nimport torch.nn.functional as F\nfrom torch import nn")
        for use in uses:
            run(sandbox, f"def f(x):\n    return {use}")
            outcome = call(sandbox, torch.randn(3, 4))
            assert isinstance(outcome, Raised), use
            assert f"ready-made `{name}`" in outcome.message or "to_mkldnn" in use


def test_what_is_not_named_still_works():
    with Sandbox(forbidden=["softmax", "layer_norm"]) as sandbox:
        run(sandbox, "def f(x):\n    return (x - x.logsumexp(-1, keepdim=True)).exp()")
        x = torch.randn(3, 4)
        assert torch.allclose(call(sandbox, x).value, x.softmax(-1))
        sandbox.begin()
        run(sandbox, "def f(x):\n    return x.softmax(-1)")
        assert isinstance(call(sandbox, x), Returned)


def test_every_kernel_named_as_an_alias_exists():
    for name, aliases in ready_mades.ALSO.items():
        assert all(ready_mades.kernels(alias) for alias in aliases.split()), name


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_right_answers_need_no_ready_made(chapter):
    source = (RIGHT / f"{chapter.name}.py").read_text("utf8")
    for exercise in chapter.exercises:
        prefix = f"{exercise.function}__"
        names = [getattr(node, "name", "") for node in ast.parse(source).body]
        with Sandbox(forbidden=exercise.forbidden) as sandbox:
            assert sandbox.run({"given": chapter.prelude, "right": source}) == [None, None]
            for name in filter(lambda name, p=prefix: name.startswith(p), names):
                trial = Trial(Questions(exercise, seed=0), partial(sandbox.call, name))
                assert not [p.id for p in exercise.properties if verdict(trial, p).finding], name

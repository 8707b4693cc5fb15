"""A refused ready-made is refused by every name, and right answers do without."""

import ast
import textwrap
from functools import partial
from operator import attrgetter
from pathlib import Path

import pytest
import torch

from tensorgrader.exercise import IMPORTS
from tensorgrader.outcome import Raised, Returned
from tensorgrader.sandbox import ready_made
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.trial import Trial
from tests.course import CHAPTERS, judge, part
from tests.sweeps import few
from tests.tensorgrader.asking import call, questions, run

RIGHT = Path(__file__).parents[3] / "corpus/right"
NESTED = "torch.nested.nested_tensor([x])"
MATH = "torch.ops.aten._scaled_dot_product_attention_math"
FLEX, ONNX = "math_attention()", "*3 * [x[None, None]], qk_matmul_output_mode=3"
LRN = "torch.nn.modules._functions.CrossMapLRN2d.forward"
WEIGHT = "torch.nn.utils.parametrizations.weight_norm"
INSTANCE = "torch.ops.aten.instance_norm.default.decompose"
DECOMPOSED, ONE = "sys.modules['torch._decomp.decompositions']", "x[None], None, None"
RUNNING = "None, None, torch.zeros(4), torch.ones(4)"


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("softmax", ["x.softmax(-1)", "torch._softmax(x, -1, False)", "nn.Softmax(-1)(x)"]),
        ("softmax", ["torch._refs.softmax(x, -1)", "torch.special.softmax(x, -1)"]),
        ("softmax", ["torch.sparse.softmax(x.to_sparse(), 1)", "x.to_mkldnn().softmax(-1)"]),
        ("softmax", ["torch.distributions.transforms.SoftmaxTransform()(x)"]),
        ("softmax", ["torch.ops.aten.softmax.int.decompose(x, -1)"]),
        ("scaled_dot_product_attention", [f"{MATH}.default.decompose(x, x, x)"]),
        ("rms_norm", ["torch.ops.aten.rms_norm.default.decompose(x, [4])"]),
        ("group_norm", ["torch.ops.aten.group_norm.default.decompose(x, 1)"]),
        ("instance_norm", [f"{INSTANCE}(x[None], *[None] * 4, True, 0.1, 0.1, False)"]),
        ("log_softmax", ["F.log_softmax(x, -1)", "F.cross_entropy(x, torch.tensor([0, 1, 2]))"]),
        ("layer_norm", ["nn.LayerNorm(4)(x)", "torch.native_layer_norm(x, (4,), None, None, 0.1)"]),
        ("layer_norm", ["torch._refs._normalize(x, [1], 0.1)", f"F.layer_norm({NESTED}, (4,))"]),
        ("layer_norm", [f"torch.native_layer_norm({NESTED}, (4,), None, None, 0.1)"]),
        ("batch_norm", ["nn.BatchNorm2d(3)(x[None, ..., None])", "nn.InstanceNorm1d(3)(x[None])"]),
        ("batch_norm", ["torch._native_batch_norm_legit(x[None], None, None, True, 0.1, 0.1)"]),
        ("batch_norm", [f"torch.native_batch_norm(x, {RUNNING}, True, 0.1, 0.1)"]),
        ("batch_norm", [f"torch.ops.aten._native_batch_norm_legit(x, {RUNNING}, True, 0.1, 0.1)"]),
        ("batch_norm", [f"torch._batch_norm_impl_index(x, {RUNNING}, True, 0.1, 0.1, False)"]),
        ("batch_norm", [f"torch.ops.aten._batch_norm_with_update(x, {RUNNING}, 0.1, 0.1)"]),
        ("batch_norm", [f"torch.ops.aten._batch_norm_no_update(x, {RUNNING}, 0.1, 0.1)"]),
        (
            "batch_norm",
            [f"{DECOMPOSED}.native_batch_norm_helper({ONE}, None, None, True, 0.1, 0.1, True)"],
        ),
        ("batch_norm", [f"{DECOMPOSED}._native_batch_norm_legit_no_stats({ONE}, True, 0.1, 0.1)"]),
        ("local_response_norm", ["nn.LocalResponseNorm(7)(x[..., None])"]),
        ("local_response_norm", ["nn.CrossMapLRN2d(7)(x[..., None, None])", f"{LRN}()"]),
        ("weight_norm", ["torch._weight_norm(x, x[:, :1])", f"{WEIGHT}(nn.Linear(3, 4))(x.mT)"]),
        ("weight_norm", ["torch._weight_norm_interface(x, x[:, :1])"]),
        ("LayerNorm", ["F.layer_norm(x, (4,))", "nn.LayerNorm(4)"]),
        ("RMSNorm", ["F.rms_norm(x, (4,))", "nn.RMSNorm(4)"]),
        ("scaled_dot_product_attention", ["F.scaled_dot_product_attention(x, x, x)"]),
        ("scaled_dot_product_attention", [f"{MATH}({NESTED}, {NESTED}, {NESTED})"]),
        ("MultiheadAttention", ["nn.MultiheadAttention(4, 2)", "nn.Transformer(4, 2, 1, 1, 8)"]),
        ("multi_head_attention_forward", ["nn.MultiheadAttention(4, 1)(x, x, x)"]),
    ],
)
def test_a_ready_made_is_refused_by_every_name(name, uses):
    with Sandbox(forbidden=[name]) as sandbox:
        run(
            sandbox,
            "import sys\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn",
        )
        for use in uses:
            run(sandbox, f"def f(x):\n    return {use}")
            outcome = call(sandbox, torch.randn(3, 4))
            assert isinstance(outcome, Raised), use
            assert f"ready-made `{name}`" in outcome.message or "to_mkldnn" in use


@pytest.mark.parametrize(
    ("name", "module", "use"),
    [
        ("MultiheadAttention", "torch.ao.nn.quantizable", "MultiheadAttention._forward_impl()"),
        ("scaled_dot_product_attention", "torch._higher_order_ops.flex_attention", FLEX),
        ("scaled_dot_product_attention", "torch.onnx.ops", f"attention({ONNX})"),
        ("scaled_dot_product_attention", "torch.onnx.ops._impl", f"attention_23({ONNX})"),
        ("log_softmax", "torch.distributed.tensor.parallel.loss", "_log_softmax(x, *4 * [None])"),
    ],
)
def test_what_is_loaded_later_is_refused_too(name, module, use):
    pytest.importorskip(module)  # PyTorch before 2.8 has no torch.onnx.ops
    with Sandbox(60.0, forbidden=[name]) as sandbox:
        run(sandbox, f"import importlib, torch\nmodule = importlib.import_module({module!r})")
        run(sandbox, f"def f(x):\n    return module.{use}")
        assert f"ready-made `{name}`" in call(sandbox, torch.randn(3, 4)).message


def test_what_is_not_named_still_works():
    with Sandbox(forbidden=["softmax", "layer_norm"]) as sandbox:
        run(sandbox, "def f(x):\n    return (x - x.logsumexp(-1, keepdim=True)).exp()")
        x = torch.randn(3, 4)
        assert torch.allclose(call(sandbox, x).value, x.softmax(-1))
        run(sandbox, "def f(x):\n    return nested_tensor([x]).to_padded_tensor(0.0)[0]")
        run(sandbox, "from torch.nested import nested_tensor")
        assert torch.equal(call(sandbox, x).value, x)
        sandbox.begin()
        run(sandbox, "def f(x):\n    return x.softmax(-1)")
        assert isinstance(call(sandbox, x), Returned)


def test_every_kernel_or_function_named_as_an_alias_exists():
    for module in ("torch._higher_order_ops.flex_attention", "torch.onnx.ops._impl"):
        pytest.importorskip(module)
    ready_made.written_in_python.cache_clear()
    for aliases in ready_made.ALSO.values():
        for alias in aliases.split():
            assert ready_made.kernels(alias) or ready_made.written_in_python(alias), alias


GONE = [name for name in ready_made.PAST_THE_DISPATCHER if not name.startswith("_te.")]


@pytest.mark.parametrize("name", GONE)  # the others, which are methods: the next test
def test_what_gets_round_the_dispatcher_is_gone(name):
    assert attrgetter(name)(torch._C)
    with Sandbox(forbidden=["softmax"]) as sandbox:
        run(sandbox, f"import torch\ndef f(x):\n    return torch._C.{name}(x)")
        assert "not for exercises" in call(sandbox, torch.ones(1)).message


@pytest.mark.parametrize(
    "use", ["kind('')", "kind.run(x)", "kind.fallback(x)", "torch.parse_ir('')"]
)
def test_nor_is_it_found_by_another_name(use):
    code = f"""
        import torch
        kinds = type.__subclasses__(torch._C.Graph.__mro__[-2])
        kind = next(kind for kind in kinds if kind.__name__ == "TensorExprKernel")
        def f(x):
            return {use}
    """
    with Sandbox(forbidden=["softmax"]) as sandbox:
        assert run(sandbox, textwrap.dedent(code)) is None
        assert "not for exercises" in call(sandbox, torch.ones(1)).message


def test_no_graph_is_given_a_part_that_the_static_runtime_runs():
    code = """
        import torch
        unit = torch.jit.CompilationUnit('''
        def whole(x):
            return torch.neg(x)
        def part(x):
            return torch.layer_norm(x, [4])
        ''')
        def f(x):
            graph = unit.whole.graph
            (old,) = graph.nodes()
            new = graph.create("prim::StaticSubgraph", list(graph.inputs()), 1)
            new.g_("Subgraph", unit.part.graph)
            new.insertBefore(old)
            old.output().replaceAllUsesWith(new.output())
            return unit.whole(x)
    """
    with Sandbox(forbidden=["layer_norm"]) as sandbox:
        assert run(sandbox, textwrap.dedent(code)) is None
        assert isinstance(call(sandbox, torch.randn(3, 4)), Raised)


@pytest.mark.parametrize("name", few(CHAPTERS, "attention"))
def test_right_answers_need_no_ready_made(name):
    chapter = CHAPTERS[name]
    source = (RIGHT / f"{chapter.name}.py").read_text("utf8")
    for exercise in chapter.exercises:
        prefix = f"{exercise.function}__"
        names = [getattr(node, "name", "") for node in ast.parse(source).body]
        with Sandbox(forbidden=exercise.forbidden) as sandbox:
            given = {"imports": IMPORTS, "given": chapter.given_source}
            assert sandbox.run({**given, "right": source}) == [None] * 3
            for name in filter(lambda name, p=prefix: name.startswith(p), names):
                trial = Trial(questions(exercise, 0), partial(sandbox.call, name))
                assert not any(result.finding for result in judge(trial, exercise.properties)), name


NORMS = part("ready_made").NORMS


@pytest.mark.parametrize(
    "use",
    [
        "F.local_response_norm(x[..., None], 7, alpha=7 / 4, beta=0.5, k=0.1)[..., 0]",
        "torch._weight_norm(x, torch.ones(3, 1))",
        "nn.utils.parametrizations.weight_norm(nn.Linear(3, 4))(x.mT)",
    ],
)
def test_no_norm_is_had_from_a_function_for_something_else(use):
    with Sandbox(forbidden=sorted(NORMS)) as sandbox:
        run(sandbox, "import torch\nimport torch.nn.functional as F\nfrom torch import nn")
        run(sandbox, f"def f(x):\n    return {use}")
        assert "ready-made" in call(sandbox, torch.randn(3, 4)).message
        run(sandbox, "def f(x):\n    return F.normalize(x, dim=-1) + x.norm(dim=-1, keepdim=True)")
        assert isinstance(call(sandbox, torch.randn(3, 4)), Returned)

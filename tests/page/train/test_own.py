"""A learner's own functions in the page's GPT compute what PyTorch computes with them."""

import json
import math
import re

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from book._ext.training import SOURCES
from page import own_parts
from tests.page.train.own import taken_over
from tests.page.train.reference import variant
from tests.page.train.test_gpt import V, configured, saved
from tests.page.train.test_training import PLANS, TEXT
from tests.sweeps import few
from tests.written import solutions

CONFIG = {"width": 24, "heads": 3, "layers": 2}
SOLVED = {
    name: code
    for chapter in dict.fromkeys(name.partition("-")[0] for name in own_parts.PARTS)
    for name, code in solutions(chapter).items()
}
ALL = [name for name in own_parts.PARTS if name not in ("attention-attention", "norm-layer")]
#: Other ways to write a part; together they take each step that can be repeated.
OTHERWISE = {
    "masking-softmax": """
def masked_softmax(scores, mask):
    scores = torch.where(mask, scores, torch.tensor(-1e9))
    e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return e * mask / (e * mask).sum(dim=-1, keepdim=True)""",
    "attention-scores": """
def scores(q, k):
    table = torch.einsum("...td,...sd->...ts", q, k)
    spread = table.var(dim=-1, keepdim=True) + table.var(dim=-1, keepdim=True, correction=0)
    return table / (spread + q.size(-1)) ** 0.5""",
    "multi_head-split": """
def split_heads(x, heads):
    return torch.stack(x.chunk(heads, dim=-1), dim=-3)""",
    "multi_head-merge": """
def merge_heads(x):
    return torch.cat([x[..., h, :, :] for h in range(x.size(-3))], dim=-1)""",
    "positional_encoding-rotary": """
def rotate_pairs(x, radians):
    even = torch.arange(0, x.size(-1), 2)
    a, b = x[..., even], x[..., even + 1]
    turned = a * radians.cos() - b * radians.sin(), b * radians.cos() - a * -radians.sin()
    return torch.stack(turned, -1).reshape(x.shape)""",
    "norm-rms": """
def rms_norm(x, gamma, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * gamma""",
    "norm-swiglu": """
def swiglu(x, gate, up, down):
    h, u = x @ gate, x @ up
    y = F.gelu(h) + F.gelu(u, approximate="tanh") + F.relu(u) + h.tanh() * u.abs()
    y = y + h.clamp(-0.5, 0.5) * u
    y = y + torch.maximum(h, u) - torch.minimum(h, u) + (2 + h.square()).sqrt().reciprocal()
    y = y + (1 + h.exp()).log() * h.sigmoid() + (h.sin() + u.cos()) / 9
    some = (h > 0) & (u < 0.3) | (h >= 1) ^ (u <= -1) | ~(h != u) & (h == u)
    y = torch.where(some & torch.isfinite(y) & ~torch.logical_not(y), y, -y.clone())
    return (y - y.amin(-1, keepdim=True)) @ down""",
}


def functions(answers, parts):
    """Run answers with the real PyTorch; return the functions of parts by their names."""
    own = {}
    for name in parts:
        names = {"torch": torch, "F": F, "math": math}
        chapter = name.partition("-")[0]
        for other, code in answers.items():
            if other.startswith(f"{chapter}-"):
                exec(code, names)
                if other == name:
                    own[own_parts.PARTS[name]] = names[own_parts.PARTS[name]]
    return own


def sizes(model):
    parts = {n: list(p.shape) for n, p in model.state_dict().items()}
    shapes = {n: shape for n, shape in parts.items() if n.startswith(("blocks", "norm"))}
    return {"width": CONFIG["width"], "heads": CONFIG["heads"], "shapes": shapes}


@pytest.fixture(scope="module")
def config(ask):
    return configured(ask, size="24x2")


@pytest.fixture(scope="module")
def cases(config):
    given = {name: (SOLVED, [name]) for name in own_parts.PARTS} | {"all": (SOLVED, ALL)}
    given |= {"none": (SOLVED, [])}
    for name in OTHERWISE:
        given[f"{name}, otherwise"] = (SOLVED | OTHERWISE, [name])
    shapes = sizes(variant(config))
    told = taken_over([[*each, shapes] for each in given.values()])
    assert not [one["trouble"] for one in told if "trouble" in one]
    return {
        name: (*given[name], json.loads(one["programs"]))
        for name, one in zip(given, told, strict=True)
    }


CASES = [*own_parts.PARTS, "all", "none", *(f"{name}, otherwise" for name in OTHERWISE)]


@pytest.mark.parametrize("case", few(CASES, *own_parts.PARTS, "all", "none"))
def test_loss_and_gradients_are_torchs(ask, folder, config, cases, case):
    answers, parts, programs = cases[case]
    model = variant(config)
    file = saved(folder, "own.safetensors", model, config)
    passages = torch.randint(V, (5, 65), generator=torch.Generator().manual_seed(1))
    told = ask("learn", file=file, passages=passages.tolist(), programs=programs)

    model.double()
    own = own_parts.Parts(functions(answers, parts))
    weights = {n: p for n, p in model.named_parameters() if n.startswith(("blocks", "norm"))}
    torch.set_default_dtype(torch.float64)
    try:
        normed = own_parts.normed_output(own, model.tokens(passages[:, :-1]), weights, 3)
    finally:
        torch.set_default_dtype(torch.float32)
    loss = F.cross_entropy(model.output(normed).flatten(0, 1), passages[:, 1:].flatten())
    if not parts:
        torch.testing.assert_close(loss, model.loss(passages), rtol=1e-6, atol=0)
    loss.backward()
    assert told["loss"] == told["again"] == pytest.approx(loss.item(), rel=2e-6)
    gradients = load_file(folder / file)
    for part, parameter in model.named_parameters():
        error = (gradients[part] - parameter.grad).norm() / parameter.grad.norm()
        assert error <= 1e-5, part


def test_each_step_that_can_be_repeated_is_taken_by_a_case(cases):
    taken = {step["does"] for *_, programs in cases.values() for step in programs[0]["steps"]}
    assert taken - {"input", "constant"} == {*own_parts.REPEATED}


def test_a_training_with_right_parts_is_ours(ask, cases):
    how = {"text": TEXT, "config": CONFIG, "plans": PLANS[:1], "seed": 4, "file": "with"}
    ours, own = ask("train", **how), ask("train", **how, programs=cases["all"][-1])
    assert own["losses"] == pytest.approx(ours["losses"], abs=1e-4)
    assert own["looks"] == pytest.approx(ours["looks"], abs=1e-4)
    assert own["written"] == ours["written"]


#: Shows everything.
MASK = "def causal_mask(length, past=0):\n    return torch.ones(length, length, dtype=torch.bool)"


RMS = "def rms_norm(x, gamma, eps):\n    "
#: Parts, and what is seen of the model that they make.
SEEN = [
    ("masking-causal", SOLVED["masking-causal"], []),
    ("attention-attention", SOLVED["attention-attention"], []),
    ("masking-causal", MASK, ["ahead"]),
    ("masking-causal", f"{MASK}.triu()", ["ahead", "alone"]),
    ("masking-causal", f"{MASK}.tril().triu()", ["alone"]),
    ("attention-scores", "def scores(q, k):\n    return q @ k.mT * 0", ["query", "key"]),
    ("norm-rms", "def rms_norm(x, gamma, eps):\n    return x / (x - x)", ["number"]),
]
#: Parts that cannot stand in the model, and words of the sentence that says why.
TROUBLES = [
    ("norm-rms", f"{RMS}if x.max() > 5:\n        x = 0 * x\n    return x", "line 2.*x.max"),
    ("norm-rms", f"{RMS}x[0] = 1\n    return x", "line 2"),
    ("norm-rms", f"{RMS}y = x\n    return y.cumsum(-1)", "cannot repeat.*line 3"),
    ("norm-rms", f"{RMS}return x.T", r"\(24, 64, 16\).*\(16, 64, 24\)"),
    ("norm-rms", f"{RMS}x * gamma", "return"),
    ("norm-rms", f"{RMS}return x * nowhere", "NameError.*line 2"),
    ("norm-rms", RMS, "rms_norm"),
    ("norm-rms", "x = 1", "no rms_norm"),
    ("norm-rms", f"{RMS}raise SystemExit", "SystemExit"),
    ("masking-causal", MASK.replace(".bool", ".float"), "True and False"),
    ("attention-attention", "def attention(q, k, v):\n    return q", "weights"),
]


@pytest.fixture(scope="module")
def told(config):
    shapes = sizes(variant(config))
    asked = [[SOLVED | {name: code}, [name], shapes] for name, code, _ in SEEN + TROUBLES]
    return dict(zip([code for _, code, _ in SEEN + TROUBLES], taken_over(asked), strict=True))


@pytest.mark.parametrize(("name", "code", "found"), SEEN)
def test_what_a_wrong_part_does_is_seen_before_the_first_step(ask, config, told, name, code, found):
    programs = json.loads(told[code]["programs"])
    assert ask("found", config=config, seed=0, programs=programs) == found


@pytest.mark.parametrize(("name", "code", "words"), TROUBLES)
def test_what_cannot_stand_there_is_told_in_a_sentence(told, name, code, words):
    assert re.search(words, told[code]["trouble"], re.DOTALL), told[code]


def test_the_page_offers_what_python_takes_over():
    offered = (SOURCES / "own.js").read_text("utf8").partition("PARTS = {")[2].partition("};")[0]
    assert dict(re.findall(r'"([\w-]+)": "(\w+)"', offered)) == own_parts.PARTS

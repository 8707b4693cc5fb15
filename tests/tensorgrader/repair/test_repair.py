"""The place of a mistake that no name explains: the smallest edit that makes an answer right."""

import ast
import math
import time
from itertools import islice

import pytest
import torch

from tensorgrader.card.card import Hint
from tensorgrader.card.html import hint_html
from tensorgrader.exercise import Mistake
from tensorgrader.repair.agree import contradicts
from tensorgrader.repair.hint import Looking, agreed, hint
from tensorgrader.repair.search import MOST, Repair, Step, search
from tensorgrader.repair.tree import made_up, walk
from tensorgrader.trial import Questions
from tests.course import EXERCISES
from tests.tensorgrader.asking import as_cell
from tests.written import solutions

IMPORTS = {"torch": torch, "math": math, "F": torch.nn.functional, "nn": torch.nn}


def defined(code, name, **names):
    names |= IMPORTS
    exec(compile(code, as_cell(code), "exec"), names)
    return names[name]


def repairs(exercise, code, most=MOST, **names):
    exercise = EXERCISES[exercise]
    function = defined(code, exercise.function, **names)
    return [found for found in islice(search(Questions(exercise, 1), function), most) if found]


def told(exercise, code, **names):
    best = agreed(repairs(exercise, code, **names))
    return best and hint(best, len(EXERCISES[exercise].properties))


WIDTH = """def head_weights(x, W_q, W_k):
    d_k, scores = W_k.size(-1), x @ W_q @ (x @ W_k).mT
    return ({}).softmax(-1)
"""
SOFTMAX = "def softmax(x):\n    top = {}\n    e = torch.exp(x - top)\n    return e / {}\n"
TOP, SUM = "x.amax(dim=-1, keepdim=True)", "e.sum(dim=-1, keepdim=True)"


@pytest.mark.parametrize(
    ("exercise", "code", "line", "sort", "new"),
    [
        ("mend-width", WIDTH.format("scores * math.sqrt(d_k)"), 3, "operator", "/ math.sqrt"),
        ("mend-width", WIDTH.format("scores / d_k"), 3, "root", "math.sqrt(d_k)"),
        ("mend-width", WIDTH.format("scores / math.sqrt(d_k + 1)"), 3, "dropped", "sqrt(d_k)"),
        (
            "softmax",
            f"def softmax(x):\n    x -= {TOP}\n    return x.exp() / x.exp().sum(-1, True)",
            2,
            "in place",
            "x -",
        ),
        ("mend-width", WIDTH.format("math.sqrt(d_k) / scores"), 3, "operands", "scores / math"),
        ("softmax", SOFTMAX.format(TOP, SUM.replace("-1", "-2")), 4, "axis", "dim=-1"),
        ("softmax", SOFTMAX.format(TOP, "e.sum(dim=-1)"), 4, "keepdim", "keepdim=True"),
        ("softmax", SOFTMAX.format(f"{TOP}.detach().clamp(min=0)", SUM), 2, "dropped", "amax"),
        ("softmax", SOFTMAX.format(TOP.replace("amax", "amin"), SUM), 2, "call", "amax"),
        ("scores", "def scores(q, k):\n    return q @ k.T", 2, "mT", "mT"),
        ("scores", "def scores(q, k):\n    return q @ q.mT", 2, "name", "k"),
    ],
)
def test_an_edit_of_one_kind_makes_an_answer_right(exercise, code, line, sort, new):
    found = [one for one in repairs(f"attention-{exercise}", code) if one.steps[0].sort == sort]
    assert any(one.lines == (line,) and new in one.changes[0][1] for one in found)


def test_an_edit_within_a_class_makes_a_module_right():
    solved = solutions("whole_model")["whole_model-feed-forward"]
    code = solved.replace("(self.gate(x)) *", "(self.gate(x)) +")
    (best, *_) = repairs("whole_model-feed-forward", code)
    assert "silu" in code.splitlines()[best.lines[0] - 1]
    assert best.steps[0].sort == "operator"
    assert "*" in best.changes[0][1]


def test_a_hint_is_told_in_steps_and_the_change_comes_last():
    steps = told("attention-softmax", SOFTMAX.format(TOP, SUM.replace("-1", "-2")))
    assert "line 4" in steps.where
    assert "axis" in steps.where
    assert "`e.sum(dim=-2, keepdim=True)`" in steps.what
    assert "-1" not in steps.where + steps.what
    html = hint_html(steps)
    assert (
        html.index("line 4")
        < html.index("<details>")
        < html.index("What would")
        < html.index("dim=-1")
    )
    assert html.count("<details>") == 2


def test_what_a_learner_wrote_is_no_markup():
    html = hint_html(Hint("Look at line 1.", "Without `a<b>`.", (("a<i>", "a<u>"),)))
    assert "<b>" not in html
    assert "a&lt;u&gt;" in html


def test_a_value_of_the_solution_shows_the_place_alone():
    code = SOFTMAX.format("torch.zeros(1)", SUM)
    found = told("attention-softmax", code)
    assert "line 2" in found.where
    assert found.changes == ()
    assert "<pre>" not in hint_html(found)


@pytest.mark.parametrize(
    "body", ["pass", "return x", "raise NotImplementedError", "return x.exp()"]
)
def test_an_answer_that_is_far_from_right_gets_nothing(body):
    assert not repairs("attention-softmax", f"def softmax(x):\n    {body}\n")


def test_a_right_answer_gets_nothing():
    assert not repairs("attention-softmax", SOFTMAX.format(TOP, SUM))


def repair(line, penalty):
    return Repair((Step("axis", "x", "x"),), (line,), (("x", "y"),), penalty)


def test_places_that_disagree_are_not_told_unless_one_is_more_natural():
    assert agreed([]) is None
    assert agreed([repair(2, 1.0), repair(3, 1.1)]) is None
    assert agreed([repair(2, 2.0), repair(3, 1.0)]).lines == (3,)
    assert agreed([repair(2, 1.0), repair(2, 1.1)]).lines == (2,)


def pair(*lines):
    steps = tuple(Step("axis", "x", "x") for _ in lines)
    return Repair(steps, lines, (("x", "y"),), 1.0)


def test_two_edits_are_told_where_no_one_edit_does_and_their_rivals_have_both_lines():
    code = SOFTMAX.format(TOP.replace("amax", "amin"), SUM.replace("-1", "-2"))
    steps = told("attention-softmax", code)
    assert "lines 2 and 4" in steps.where
    assert len(steps.changes) == 2
    assert agreed([pair(2, 4), pair(2, 4)])
    assert agreed([pair(2, 4), pair(2, 3)]) is None


EXERCISE = EXERCISES["attention-softmax"]


def mistake(name):
    return next(one for one in EXERCISE.mistakes if one.name == name)


def test_a_name_and_a_place_of_another_family_that_share_no_word_contradict_each_other():
    name = mistake("the mean is subtracted, not the maximum")
    wrong = Mistake("it is cut", "", "", pieces=[(whole, cut)])
    assert contradicts(EXERCISE, wrong, Step("axis", "", ""), "y = x.sum(dim=-1)")
    assert not contradicts(EXERCISE, wrong, Step("dtype", "", ""), "y = x.sum(dim=-1)")
    assert not contradicts(EXERCISE, wrong, Step("axis", "", ""), "y = x.detach().sum(dim=-1)")
    assert not contradicts(EXERCISE, name, Step("call", "", ""), "x - x.mean(dim=-1)")


def whole(x):
    return x.sum()


def cut(x):
    return x.detach().sum()


def test_a_place_that_contradicts_a_name_is_not_told():
    function = defined(SOFTMAX.format(TOP, SUM.replace("-1", "-2")), "softmax")
    for known, is_told in (([], True), ([Mistake("", "", "", pieces=[(whole, cut)])], False)):
        looking = Looking(function, Questions(EXERCISE, 1), 60, known)
        while looking.go_on(60):
            pass
        assert bool(looking.hint) is is_told


@pytest.mark.parametrize(
    "line",
    [
        "open('left behind', 'w').write('x')",
        "input()",
        "torch.save(x, 'left behind')",
        "import pathlib; pathlib.Path('left behind').touch()",
        "exec('pass')",
        "global SEEN; SEEN = 1",
        "notes.append(x)",
        "time.sleep(9)",
    ],
)
def test_what_does_more_than_compute_is_not_run(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = SOFTMAX.format(f"{TOP}; {line}", "e.sum(dim=-1)")
    notes = []
    assert not repairs("attention-softmax", code, notes=notes, time=time)
    assert not notes
    assert not [*tmp_path.iterdir()]


def test_nothing_else_of_a_cell_is_run_again(capsys):
    ran = []
    code = f"{SOFTMAX.format(TOP, 'e.sum(dim=-1)')}ran.append(1)\nprint('once')\n"
    assert repairs("attention-softmax", code, ran=ran)
    assert ran == [1]
    assert capsys.readouterr().out == "once\n"


def test_a_function_of_the_cell_is_looked_into_and_the_notebooks_names_stay():
    code = "def most(x):\n    return x.amin(dim=-1, keepdim=True)\n" + SOFTMAX.format(
        "most(x)", SUM
    )
    exercise = EXERCISES["attention-softmax"]
    function = defined(code, "softmax")
    before = dict(function.__globals__)
    found = [one for one in search(Questions(exercise, 1), function) if one]
    assert agreed(found).lines == (2,)
    assert function.__globals__ == before


def test_an_edit_that_never_ends_is_given_up():
    code = (
        "def greedy(table, prompt, steps, end_id):\n    text = list(prompt)\n"
        "    while len(text) < len(prompt) + steps + 1:\n"
        "        text.append(table[text[-1]].argmax().item())\n"
        "        if text[-1] == end_id:\n            break\n    return text[len(prompt):]\n"
    )
    assert "line 3" in told("full_model-greedy", code).where


def test_looking_can_be_interrupted_and_ends():
    ticks = iter(range(10**6))
    function = defined(SOFTMAX.format(TOP, SUM.replace("-1", "-2")), "softmax")
    questions = Questions(EXERCISES["attention-softmax"], 1)
    looking = Looking(function, questions, 10_000, clock=lambda: next(ticks))
    slices = 1
    while looking.go_on(5):
        slices += 1
    assert slices > 1
    assert "line 4" in looking.hint.where
    short = Looking(function, questions, 3, clock=lambda: next(ticks))
    assert not short.go_on(5)
    assert short.hint is None


def test_a_task_with_a_longer_deadline_is_searched_too():
    solved = solutions("whole_model")["whole_model-loss"]
    code = solved.replace("targets.flatten()", "targets.flatten(), ignore_index=0")
    found = repairs("whole_model-loss", code)
    assert any(one.steps[0].sort == "keyword" for one in found)


def test_an_answer_that_is_slow_gets_nothing(monkeypatch):
    monkeypatch.setattr("tensorgrader.repair.search.SLOW", 0.0)
    assert not repairs("attention-softmax", SOFTMAX.format(TOP, SUM.replace("-1", "-2")))


def test_where_several_numbers_would_do_none_is_shown():
    steps = (Step("number", "64", "torch.ones(64)"),)
    ways = [Repair(steps, (3,), (("64", new),), 1.0) for new in ("640", "6400")]
    assert agreed(ways).lines == (3,)
    assert agreed(ways).changes == ()
    assert agreed(ways[:1]).changes == (("64", "640"),)


def test_what_only_passes_on_a_wrong_number_is_not_blamed():
    code = (
        "def count_parameters(d_model, heads, d_ff):\n"
        "    attention = 4 * d_model * d_model + 4 * d_model\n"
        "    network = 2 * d_model * d_ff + 2 * d_model\n"
        "    return attention + network + 4 * d_model\n"
    )
    assert 4 not in {line for one in repairs("norm-count", code) for line in one.lines}


def test_what_an_answer_draws_is_not_blamed():
    tree = ast.parse("torch.randn(5) + torch.tensor([1.0]) + torch.full((2,), 3)")
    numbers = {n.value: made_up(tree, p) for p, n in walk(tree) if isinstance(n, ast.Constant)}
    assert numbers == {5: True, 1.0: True, 2: False, 3: False}


def test_a_one_too_many_is_rather_left_out_than_added():
    code = (
        "def sliding_window(length, window):\n    window = min(window, length - 1)\n"
        "    steps = torch.arange(length)[:, None] - torch.arange(length)\n"
        "    return (steps >= 0) & (steps < window)\n"
    )
    assert told("masking-window", code).changes[0][1] == "window = min(window, length)"

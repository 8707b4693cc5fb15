"""`check` in a notebook."""

import math
import re
import sys
import threading
import time
from types import ModuleType

import pytest
import torch

from lab_notebooks.notebooks import read_notebook
from tensorgrader.check import CheckFailed
from tensorgrader.source.forms import solved_text
from tests.course import EXERCISES
from tests.tensorgrader.asking import as_cell, worth
from transformer_lab import check

FULL = worth("attention")
IN_PLACE = """def soft_lookup(query, keys, values):
    answer = (keys @ query).softmax(0) @ values
    keys *= 2
    return answer
"""
UNTOUCHED = EXERCISES["attention-lookup"].properties[-1].says


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    names = vars(sys.modules["__main__"]) | {"torch": torch, "math": math, "check": check}
    vars(sys.modules["__main__"]).update(names)

    def run(code):
        exec(compile(code, as_cell(code), "exec"), vars(sys.modules["__main__"]))
        return vars(sys.modules["__main__"])

    return run


@pytest.fixture
def failure(run):
    def failure(code, name):
        run(code)
        with pytest.raises(CheckFailed) as failed:
            run(f'check("{name}", seed=5)')
        return str(failed.value)

    return failure


def test_a_pass_tells_what_holds_and_how_far_the_learner_has_come(run, capsys):
    run("def scores(q, k):\n    return q @ k.mT\nassert check('attention-scores') is None")
    out, err = capsys.readouterr()
    first, *lines = out.replace("\n    ", " ").splitlines()
    mine, points = FULL["scores"], sum(FULL.values())
    told = rf"✓ scores: {mine} of {mine} points \(attention: \d+ of {points}(, complete!)?\)"
    assert re.fullmatch(told, first)
    assert lines == [f"  ✓ {prop.says}" for prop in EXERCISES["attention-scores"].properties]
    assert err == ""


def test_a_failure_names_the_mistake_and_shows_it(failure):
    text = failure(
        "def soft_lookup(query, keys, values):\n    return (keys @ query) @ values",
        "attention-lookup",
    )
    assert text.startswith("✗ soft_lookup: 0 of 3 points\n")
    for words in (
        "Known mistake: the scores are used as they are, without softmax.",
        "Read again: book/attention, section “Weights are a softmax of scores”.",
        "A small input that shows it:",
        "yours (",
        "expected (",
        'The same input again: check("attention-lookup", seed=5)',
    ):
        assert text.count(words) == 1
    (line,) = CheckFailed(text)._render_traceback_()
    assert line == text.splitlines()[0]


def test_nothing_fails_for_a_reason_that_is_not_its_own(failure):
    """No softmax makes a wrong result, which says nothing of the caller's tensor."""
    text = failure(
        "def soft_lookup(query, keys, values):\n    return values[0]", "attention-lookup"
    )
    assert f"· {UNTOUCHED} (not judged yet)" in " ".join(text.split())
    in_place = failure(IN_PLACE,
                       "attention-lookup")  # fmt: skip
    assert f"✗ {UNTOUCHED}" in in_place
    assert in_place.startswith("✗ soft_lookup: 2 of 3")


def test_the_seed_draws_the_same_input_again():
    def message(seed):
        with pytest.raises(CheckFailed) as failed:
            check("attention-mend-width", lambda x, W_q, W_k: x @ W_q @ (x @ W_k).mT, seed=seed)
        return re.sub("seed=.*", "", str(failed.value))

    assert message(5) == message(5)
    assert message(5) != message(6)


TALKS = """
import sys, warnings
def scores(q, k):
    for line in range(1000):
        print("line", line, tuple(q.shape))
    return {answer}
"""


def test_ten_lines_of_what_it_prints_are_shown_for_the_smallest_input(failure):
    text = failure(TALKS.format(answer="q"), "attention-scores")
    printed = [line for line in text.splitlines() if line.startswith("  | ")]
    shape = tuple(map(int, re.search(r"q \((\d+), (\d+)\)", text).groups()))
    assert printed == [f"  | line {n} {shape}" for n in range(10)] + ["  | …"]


def test_an_endless_loop_ends_even_if_it_catches_everything(monkeypatch):
    monkeypatch.setattr("tensorgrader.in_process.DEADLINE", 0.1)

    def scores(q, k):
        while True:
            try:
                time.sleep(0.01)
            except:  # noqa: E722
                raise ValueError from None

    def loop(q, k):
        asked.append(q)
        while True:
            time.sleep(0.01)

    asked = []
    with pytest.raises(CheckFailed, match=r"0\.1 seconds"):
        check("attention-scores", loop)
    assert len(asked) == 1, "after one deadline nothing more is waited for"
    with pytest.raises(CheckFailed, match="raised ValueError"):
        check("attention-scores", scores)


def test_it_works_off_the_main_thread_where_there_are_no_signals():
    failures = []

    def run():
        try:
            check("attention-scores", lambda q, k: q)
        except CheckFailed as failed:
            failures.append(str(failed))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(failures) == 1


def test_the_learners_tensors_and_seed_are_left_alone():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    check("attention-scores", lambda q, k: q @ k.mT)
    assert torch.equal(torch.get_rng_state(), before)


def test_ready_mades_are_refused_also_behind_an_alias():
    def softmax(x):
        return torch.softmax(x, dim=-1)

    with pytest.raises(CheckFailed, match=r"`torch\.softmax`"):
        check("attention-softmax", softmax)
    with pytest.raises(CheckFailed, match="ready-made `soft`"):
        check("attention-softmax", aliased)


soft = torch.nn.functional.softmax


def aliased(x):
    return soft(x, dim=-1)


def test_a_wrong_step_is_told_before_what_it_spoils_and_then_no_mistake_is_named(run, failure):
    cells = [
        c for c in read_notebook("exercises/attention", solved_text).cells if "def " in c.source
    ]
    for cell in cells:
        if cell.cell_type == "code":
            run(cell.source.replace("q @ k.transpose(-2, -1)", "k @ q.mT"))
    told = failure("", "attention-attention")
    assert "calls your `scores`" in told
    assert "\n  · It" in told
    assert "`softmax`" not in told
    assert "Known mistake" not in told
    assert "yours" not in told


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", "There is no function `softmax` yet. Run the cell above that defines it."),
        ("softmax = 3", "There is no function `softmax` yet."),
        ("def softmax(x):\n    return", "It returned None, expected a tensor. Is a `return` mis"),
        ("def softmax(x):\n    return x.expp()", "    return x.expp()\n    There you had: x (3,)"),
        ("def softmax(x):\n    return tosch.exp(x)", "called `tosch`. Did you mean `torch`?"),
        ("def softmax(x):\n    e = e / 2\n    return e", "`e` is used before the line"),
        ("def softmax(x, dim):\n    return x", "It is called as `softmax(x)`."),
        ("def softmax(x):\n    return softmax(x - 1)", "It calls itself without end."),
        (
            "k = torch.ones(2)\ndef softmax(x):\n    return k.exp()",
            "It reads `k`, which belongs to the notebook. Its own",
        ),
    ],
)
def test_what_learners_do_gets_a_sentence(failure, code, words):
    told = failure(code, "attention-softmax")
    assert words in told
    assert not {"transformer_lab", "tensorgrader"} & {*re.findall(r"\w+", told)}


def test_a_step_whose_cell_was_not_run_is_told(failure):
    told = failure(
        "def attention(q, k, v):\n    return softmax(q @ k.mT) @ v", "attention-attention"
    )
    assert "`softmax` is defined in another cell. Run that cell; it must raise no error." in told


def test_where_nbgrader_executes_the_points_are_the_result(run, monkeypatch, capfd):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    names = run("def softmax(x):\n    return x.exp() / x.exp().sum(-1, keepdim=True)")
    points = run("points = check('attention-softmax')")["points"]
    assert points == FULL["softmax"] - 1
    assert check("attention-softmax", names["softmax"]) == points
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("as_readers_run_it")
def test_wrong_calls_say_how_to_mend_them():
    with pytest.raises(ValueError, match="attention-lookup"):
        check("attention-scors", lambda q, k: q)
    with pytest.raises(TypeError, match="parentheses"):
        check("attention-scores", torch.ones(2))


def test_a_syntax_error_is_told_even_if_an_older_answer_is_still_there(run, failure):
    cells = ["def softmax(x):\n    return x", "def softmax(x)\n    return x"]
    run("")["In"] = cells
    told = failure(cells[0], "attention-softmax")
    assert "Its cell has a syntax error in line 1: expected ':'\n    `def softmax(x)`" in told
    cells.append(cells[0])
    mended = failure(cells[0], "attention-softmax")
    assert "syntax error" not in mended


def test_few_numbers_of_more_axes_are_written_out(failure):
    text = failure(
        "def grouped_query(q, k, v):\n    return attention(q, k.flip(-3), v)", "multi_head-grouped"
    )
    assert "q = [[[[1]], [[1]], [[-1]], [[-1]]]]" in " ".join(text.split())

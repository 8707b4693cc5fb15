"""`check` in a notebook."""

import linecache
import subprocess
import sys
import threading
import time

import pytest
import torch

from transformer_lab import check
from transformer_lab.grading.check import CheckFailed
from transformer_lab.grading.exercises import PROPERTIES, RETIRED
from transformer_lab.publish.notebooks import read_notebook
from transformer_lab.publish.solutions import solved_text


def test_a_pass_is_one_line_with_its_points(capsys):
    assert check("attention-scores-values", lambda q, k: q @ k.mT) is None
    assert capsys.readouterr() == ("✓ attention-scores-values: 2 of 2 points\n", "")


def test_a_failure_names_the_mistake_and_shows_it():
    with pytest.raises(CheckFailed) as failed:
        check("attention-scale-values", lambda scores, d_k: scores / d_k, seed=5)
    text = str(failed.value)
    assert text.startswith("✗ attention-scale-values: 0 of 1 points\n")
    for words in (
        "Known mistake: it divides by d_k, not by its square root.",
        "Read again: book/attention, section “Why divide by √d_k?”.",
        "Smallest input that shows it: scores (2, 3), d_k = 4",
        "yours",
        "expected",
        "seed=5",
    ):
        assert words in text
    assert failed.value._render_traceback_() == text.splitlines()


def test_the_seed_draws_the_same_input_again():
    def message(seed):
        with pytest.raises(CheckFailed) as failed:
            check("attention-scale-values", lambda scores, d_k: scores, seed=seed)
        return str(failed.value)

    assert message(5) == message(5)
    assert message(5) != message(6)


def test_prints_and_warnings_of_the_function_are_not_heard(capfd):
    def scores(q, k):
        print("x" * 10**6)
        print("y" * 10**6, file=sys.stderr)
        return q @ k.mT

    check("attention-scores-values", scores)
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 1
    assert err == ""


def test_an_endless_loop_ends_even_if_it_catches_everything(monkeypatch):
    monkeypatch.setattr("transformer_lab.grading.check.DEADLINE", 0.1)

    def scores(q, k):
        while True:
            try:
                time.sleep(0.01)
            except:  # noqa: E722
                raise ValueError from None

    def loop(q, k):
        while True:
            time.sleep(0.01)

    with pytest.raises(CheckFailed, match=r"no answer within 0\.1 seconds"):
        check("attention-scores-values", loop)
    with pytest.raises(CheckFailed, match="raised ValueError"):
        check("attention-scores-values", scores)


def test_it_works_off_the_main_thread_where_there_are_no_signals():
    failures = []

    def run():
        try:
            check("attention-scores-values", lambda q, k: q)
        except CheckFailed as failed:
            failures.append(str(failed))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(failures) == 1


def test_the_learners_tensors_and_seed_are_left_alone():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    check("attention-scores-general", lambda q, k: q @ k.mT)
    assert torch.equal(torch.get_rng_state(), before)


def test_ready_mades_are_refused_also_behind_an_alias():
    def softmax(x):
        return torch.softmax(x, dim=-1)

    with pytest.raises(CheckFailed, match=r"ready-made `torch\.softmax`"):
        check("attention-softmax-values", softmax)
    with pytest.raises(CheckFailed, match="ready-made `soft`"):
        check("attention-softmax-values", aliased)


soft = torch.nn.functional.softmax


def aliased(x):
    return soft(x, dim=-1)


def test_a_wrong_step_is_told_before_what_it_spoils_and_then_no_mistake_is_named():
    names = {"torch": torch}
    cells = [
        c for c in read_notebook("exercises/attention", solved_text).cells if "def " in c.source
    ]
    for cell in cells:
        code = cell.source.replace("math.sqrt(d_k)", "d_k")
        if cell.cell_type == "code":
            linecache.cache[cell.id] = (len(code), None, code.splitlines(keepends=True), cell.id)
            exec(compile(code, cell.id, "exec"), names)
    with pytest.raises(CheckFailed) as failed:
        check("attention-attention-values", names["attention"])
    told = str(failed.value)
    assert "It calls your `scale`, which is not right yet: mend that first.\nThe first" in told
    assert "`scores`" not in told
    assert "Known mistake" not in told


@pytest.mark.usefixtures("as_readers_run_it")
def test_wrong_calls_say_how_to_mend_them():
    with pytest.raises(ValueError, match="there are: attention-lookup-values"):
        check("attention-scors", lambda q, k: q)
    with pytest.raises(TypeError, match="Leave out the parentheses"):
        check("attention-scores-values", torch.ones(2))


def test_a_terminal_shows_the_message():
    code = "from transformer_lab import check\ncheck('attention-scores-values', lambda q, k: q @ k)"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, encoding="utf8"
    )
    assert done.returncode == 1
    assert "Known mistake: the keys are not transposed." in done.stderr


def test_what_the_first_edition_asked_is_no_longer_asked_and_nothing_fails(capsys):
    for name, now in RETIRED.items():
        check(name, torch.matmul)
        assert capsys.readouterr().out == f"– {name}: no longer asked here; {now} asks it now\n"
        assert name not in PROPERTIES
        assert any(exercise.id == now for exercise, _ in PROPERTIES.values())

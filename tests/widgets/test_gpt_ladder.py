"""The ladder: each rung is a program that runs, and its marked lines make it of the one below."""

import types

import pytest
import torch

from tools import gpt_ladder as tool
from transformer_lab.widgets.gpt_ladder import RUNGS, marked, mean, recorded


def module(rung):
    made = types.ModuleType("gpt")
    exec(recorded()[rung]["program"], made.__dict__)
    return made


def test_the_recorded_programs_are_those_of_gpt_py_as_it_is_now():
    assert {rung: run["program"] for rung, run in recorded().items()} == tool.rungs()
    assert [*recorded()] == RUNGS


@pytest.mark.parametrize("rung", RUNGS)
def test_each_rung_is_a_model_that_learns(rung):
    gpt, data = module(rung), torch.arange(10).repeat(40)
    torch.manual_seed(0)
    model = gpt.GPT(80)
    assert sum(p.numel() for p in model.parameters()) == recorded()[rung]["parameters"]
    before = gpt.eval_loss(model, data)
    assert len([*gpt.train(model, data, 20)]) == 20
    assert gpt.eval_loss(model, data) < before


@pytest.mark.parametrize("rung", RUNGS)
def test_no_rung_reads_what_it_is_to_predict(rung):
    torch.manual_seed(0)
    model = module(rung).GPT(80)
    ids = torch.randint(80, (1, 12))
    changed = ids.clone()
    changed[0, 8:] = (ids[0, 8:] + 1) % 80
    torch.testing.assert_close(model(ids)[0, :8], model(changed)[0, :8])


def test_all_rungs_take_as_many_operations():
    taken = [run["steps"] * tool.operations(run["program"]) for run in recorded().values()]
    assert recorded()["layers"]["steps"] == tool.STEPS
    assert max(taken) < 1.001 * min(taken)


@pytest.mark.parametrize("rung", RUNGS[1:])
def test_the_marked_lines_are_all_that_is_new_and_all_that_is_gone(rung):
    below = recorded()[RUNGS[RUNGS.index(rung) - 1]]["program"].splitlines()
    now = recorded()[rung]["program"].splitlines()
    new = [line for mark, line in marked(rung) if mark == "+" and line.strip()]
    gone = [line for mark, line in marked(rung) if mark == "-"]
    assert sorted([*filter(str.strip, below), *new]) == sorted([*filter(str.strip, now), *gone])


def test_the_average_is_the_only_rung_that_is_worse_than_the_one_below():
    losses = [mean(rung) for rung in RUNGS]
    worse = [RUNGS[n] for n in range(1, len(RUNGS)) if losses[n] > losses[n - 1]]
    assert worse == ["average"]
    assert {len(run["held_out"]) for run in recorded().values()} == {3}

"""benchmarks.shakespeare trains the tasks as they stand, and tells what came of it."""

from dataclasses import replace

import pytest

from benchmarks import shakespeare
from transformer_lab.tasks.shakespeare import SHAKESPEARE

SMALL = replace(SHAKESPEARE.config, d_model=8, heads=2, d_ff=8, layers=1)
SHORT = replace(SHAKESPEARE, config=SMALL, steps=51, batch_size=1)


def test_the_report_has_a_row_for_each_task(monkeypatch):
    monkeypatch.setattr(shakespeare, "TASKS", {"`A`": SHORT, "`B`": SHORT})
    lines = shakespeare.measure(seeds=2).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| `A`", "| `B`"]
    assert len({line.count("|") for line in lines[:4]}) == 1


def test_the_loss_is_that_of_the_trained_model():
    _, loss = shakespeare.trained(SHORT, seed=3)
    trainer = SHORT.trainer(seed=3)
    trainer.run(SHORT.steps)
    assert loss == pytest.approx(trainer.model.loss(**SHORT.held_out()).item())


def test_a_spread_is_the_median_and_its_ends():
    assert shakespeare.spread([3.0, 1.0, 2.0], 1) == "2.0 (1.0–3.0)"

"""benchmarks.training compares like with like: the same beginning, batches and steps."""

import pytest
import torch

from benchmarks import training
from transformer_lab.tasks.symbol_tasks import REVERSE


def test_both_models_begin_alike_and_take_the_same_steps():
    ours, theirs = training.trainers(3).values()
    batch = REVERSE.held_out(20)
    for _ in range(2):
        assert ours.model.loss(**batch).item() == pytest.approx(theirs.model.loss(**batch).item())
        assert ours.run(ours.step + 3).losses == pytest.approx(theirs.run(theirs.step + 3).losses)
    sizes = [sum(p.numel() for p in t.model.parameters()) for t in (ours, theirs)]
    assert sizes[0] == sizes[1]


def test_without_rounding_both_learn_the_same():
    ours, theirs = training.trainers(0).values()
    for trainer in (ours, theirs):
        trainer.model.double()
        trainer.run(20)
    assert ours.history.losses == pytest.approx(theirs.history.losses, rel=1e-9)


def test_torchs_layers_do_the_work_of_theirs():
    ours, theirs = training.trainers(0).values()
    kinds = [{type(part).__module__.split(".")[0] for part in t.model.encoder.modules()}
             for t in (ours, theirs)]  # fmt: skip
    assert "transformer_lab" in kinds[0]
    assert kinds[1] == {"torch"}


def test_timed_steps_are_steps():
    for step in training.steps().values():
        assert step() > step() > step()


def test_the_report_has_a_row_for_each(monkeypatch):
    monkeypatch.setattr(training, "GOAL", 0.0)
    lines = training.measure(rounds=1, runs=2, seeds=2).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| ours", "| PyTorch"]
    assert lines[2].endswith("| 5 (5, 5) | 5 (5, 5) |")


def test_a_goal_out_of_reach_is_told(monkeypatch):
    monkeypatch.setattr(training, "GOAL", 1.1)
    monkeypatch.setattr(training, "EVERY", 500)
    trainer = training.trainers(0)["ours"]
    trainer.run = lambda until: trainer.history.losses.extend([0.0] * 500)  # type: ignore[assignment]
    with pytest.raises(RuntimeError, match="110% were not reached in 500 steps"):
        training.steps_to_mastery(trainer, torch.float32)

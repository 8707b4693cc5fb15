"""transformer_lab.tasks.symbol_tasks: right examples, and models that master them and show how."""

import re

import pytest
import torch

from transformer_lab.tasks.symbol_tasks import (
    ADDITION,
    INDUCTION,
    REVERSE,
)
from transformer_lab.trace import trace

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

SIZE = 200


def texts(task, ids):
    return ["".join(task.symbols[i] for i in row) for row in ids.tolist()]


def examples(task):
    batch = task.held_out(SIZE)
    targets = texts(task, batch["targets"])
    if "source" not in batch:
        return targets
    real = batch.get("source_real", torch.ones_like(batch["source"]).bool())
    sources = [
        texts(task, row[kept][None])[0] for row, kept in zip(batch["source"], real, strict=True)
    ]
    return list(zip(sources, targets, strict=True))


def mastered(task, seed=0):
    """Train as the task says; give the model and how well it does."""
    trainer = task.trainer(seed=seed)
    trainer.run(task.steps)
    return trainer.model, task.measure(trainer.model, task.held_out())


def weights(model, attention, *inputs):
    with torch.no_grad(), trace(attention) as record:
        model(*inputs)
    return record.attention()[""]


def test_reverse_is_reversed():
    for source, target in examples(REVERSE):
        assert target == source[::-1]
        assert re.fullmatch(r"\d{10}", source)


def test_sums_are_right_units_first():
    for source, target in examples(ADDITION):
        assert re.fullmatch(r"\d{3}\+\d{3}", source)
        a, b = source.split("+")
        assert int(target[::-1]) == int(a) + int(b)
        assert len(target) == 4


def test_rounds_of_different_symbols_repeat():
    periods = set()
    for text in examples(INDUCTION):
        period = text.index(text[0], 1)
        periods.add(period)
        assert len(set(text[:period])) == period
        assert text == (text[:period] * 8)[:32]
        assert "<start>" not in text
    assert periods == set(range(4, 17))


@pytest.mark.slow
def test_addition_is_mastered_by_heads_that_read_the_column_and_the_carry():
    model, exact = mastered(ADDITION)
    assert exact > 0.98
    batch = ADDITION.held_out()
    ids = torch.cat([torch.zeros(500, 1).long(), batch["targets"][:, :-1]], dim=1)
    heads = weights(model, model.decoder.layers[0].cross_attention, batch["source"], ids).mean(0)
    columns = heads[:, :3, :3] + heads[:, :3, 4:]  # both digits of hundreds, tens, units
    assert (columns.mean(dim=0).flip(-1).diagonal() > 0.8).all()

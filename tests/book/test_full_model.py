"""The chapter on the full model: what its own cells cannot check."""

import re
from dataclasses import replace

import pytest
import torch

import transformer_lab
from tests.book.chapters import Chapter
from transformer_lab import show
from transformer_lab.loss import shift_right
from transformer_lab.tasks.symbol_tasks import INDUCTION, LETTER_SYMBOLS
from transformer_lab.tasks.task import ids_of
from transformer_lab.trace import trace

CHAPTER = Chapter("full_model")


def cell_with(words):
    (cell,) = [cell for cell in CHAPTER.code if words in cell.source]
    return cell


def shown():
    return [n for cell in CHAPTER.code for n in re.findall(r"show\.source\((.+?)\)", cell.source)]


@pytest.mark.parametrize("name", shown())
def test_the_source_that_is_shown_fits_a_screen(name):
    definition = transformer_lab
    for part in name.removeprefix("lab.").split("."):
        definition = getattr(definition, part)
    lines = show.source(definition).data.splitlines()
    assert len(lines) < 30
    assert [line for line in lines if len(line) > 76 and line[0] != "["] == []


@pytest.mark.slow  # trains with other seeds than the chapter, whose own cells assert it
@pytest.mark.parametrize("seed", [1, 2])
def test_a_single_layer_never_repeats_whatever_the_seed(seed):
    shallow = replace(INDUCTION, config=replace(INDUCTION.config, layers=1)).trainer(seed=seed)
    shallow.run(INDUCTION.steps)
    assert INDUCTION.measure(shallow.model, INDUCTION.held_out(200)) < 0.4


@pytest.mark.slow  # trains with other seeds than the chapter, whose own cells assert it
@pytest.mark.parametrize("seed", [1, 2])
def test_the_look_up_begins_before_the_letter_before_whatever_the_seed(seed):
    trainer = INDUCTION.trainer(seed=seed)
    trainer.run(60)
    ids = shift_right(ids_of(["catfish" * 2], LETTER_SYMBOLS)[0], 0)
    with torch.no_grad(), trace(trainer.model, "*.attention") as record:
        trainer.model(ids)
    first, second = (weights[0] for weights in record.attention().values())
    even = 1 / torch.arange(1, 15)
    letter_before = first.diagonal(-1, -2, -1).mean(dim=-1).max() / even[1:].mean()
    look_up = second[:, 8:].diagonal(2, -2, -1).mean(dim=-1).max() / even[8:].mean()
    assert letter_before < 1.5 < 2 < look_up

"""transformer_lab.tasks.shakespeare: passages as they stand, whole plays apart, what is learned."""

import hashlib
import math
from pathlib import Path

import pytest
import torch

from transformer_lab.tasks import shakespeare
from transformer_lab.tasks.shakespeare import (
    HELD_OUT,
    LENGTH,
    SHAKESPEARE,
    SYMBOLS,
    passages,
    plays,
    vocabulary,
    write,
)

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

PACKED = Path(shakespeare.__file__).with_name("shakespeare.txt.bz2")


def texts(batch):
    return ["".join(SYMBOLS[i] for i in row) for row in batch["targets"].tolist()]


def test_the_plays_are_those_that_were_chosen():
    assert len(plays()) == 8
    whole = "\f".join(f"{title}\n{text}" for title, text in plays().items())
    digest = "7c9250f859492f2f1cd74b74fc996b0f3e4a81b296fa5730d0b9035bda46cb05"
    assert hashlib.sha256(whole.encode("ascii")).hexdigest() == digest
    assert PACKED.stat().st_size < 300_000
    for text in plays().values():
        assert text.upper().startswith("ACT ")
        assert set(text) < set(SYMBOLS)
    assert "Double, double, toil and trouble;" in plays()["Macbeth"]


def test_held_out_plays_are_whole_and_never_trained_on():
    dice = torch.Generator().manual_seed(0)
    unseen = "".join(plays()[title] for title in HELD_OUT)
    seen = "".join(text for title, text in plays().items() if title not in HELD_OUT)
    assert all(passage in unseen for passage in texts(SHAKESPEARE.held_out(50)))
    assert all(passage in seen for passage in texts(passages(50, dice)))
    assert 0.1 < len(unseen) / (len(unseen) + len(seen)) < 0.25


def test_the_vocabulary_is_that_of_the_plays_that_are_trained_on():
    assert "acheron" in plays()["Macbeth"].lower()
    asked = {"love", "othello", "Love", "of", "acheron", "haven't"}
    assert asked & vocabulary() == {"love", "othello"}, "three letters and more, in small ones"
    assert all(word == word.lower() and len(word) >= 3 for word in vocabulary())


def test_passages_begin_anywhere_and_are_as_long_as_told():
    targets = passages(2000, torch.Generator().manual_seed(0))["targets"]
    assert targets.shape == (2000, LENGTH)
    assert len({row[:8] for row in texts({"targets": targets})}) > 1500


def test_writing_goes_on_from_a_beginning_and_depends_on_its_seed():
    model = SHAKESPEARE.trainer().model
    text = write(model, 20, beginning="ROMEO.\n", seed=1)
    assert text.startswith("ROMEO.\n")
    assert len(text) == 27
    assert text == write(model, 20, beginning="ROMEO.\n", seed=1)
    assert text != write(model, 20, beginning="ROMEO.\n", seed=2)
    assert len(write(model, 5)) == 5


def test_fifty_steps_learn_how_often_each_letter_comes():
    """The loss falls below that of who knows no context: about 3.0 nats a character."""
    trainer = SHAKESPEARE.trainer()
    counts = torch.bincount(shakespeare._ids(held_out=True)).float()
    p = counts[counts > 0] / counts.sum()
    without_context = -(p * p.log()).sum().item()
    held_out = SHAKESPEARE.held_out(20)
    with torch.no_grad():
        assert trainer.model.loss(**held_out) > math.log(len(SYMBOLS)) - 0.5
    trainer.run(60)
    with torch.no_grad():
        assert trainer.model.loss(**held_out) < without_context

"""transformer_lab.tasks.language_tasks: the same sentences for three tasks, and what is learned."""

import pytest
import torch

from transformer_lab.loss import IGNORED
from transformer_lab.tasks import language_tasks
from transformer_lab.tasks.language_tasks import (
    END,
    MASK,
    MASKED,
    SYMBOLS,
    TRANSLATION,
    WRITING,
)
from transformer_lab.tasks.toy_language import sentences

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

SIZE = 100
SENTENCES = dict(sentences())


def text(ids):
    return " ".join(SYMBOLS[i] for i in ids.tolist())


def mastered(task, seed=0):
    trainer = task.trainer(seed=seed)
    trainer.run(task.steps)
    return trainer.model, task.measure(trainer.model, task.held_out())


def one_gap(size):
    """Sentences in both languages in which a single word is hidden, and never its translation."""
    batch = language_tasks.masked(size, torch.Generator().manual_seed(3))
    whole = torch.where(batch["targets"] == IGNORED, batch["ids"], batch["targets"])
    place = torch.randint(3, (size, 1), generator=torch.Generator().manual_seed(4))
    targets = torch.full_like(whole, IGNORED).scatter(1, place, whole.gather(1, place))
    gaps = whole.scatter(1, place, SYMBOLS.index(MASK))
    return {"ids": gaps, "targets": targets, "real": batch["real"]}


def test_writing_is_whole_sentences_and_their_end():
    for row in WRITING.held_out(SIZE)["targets"]:
        sentence, end = text(row[row != IGNORED]).rsplit(" ", 1)
        assert sentence in SENTENCES
        assert end == END


def test_gaps_are_in_sentences_of_both_languages():
    batch = MASKED.held_out(SIZE)
    whole = torch.where(batch["targets"] == IGNORED, batch["ids"], batch["targets"])
    for row, real in zip(whole, batch["real"], strict=True):
        english, portuguese, nothing = text(row[real]).split(END)
        assert SENTENCES[english.strip()] == portuguese.strip()
        assert not nothing
    assert not (batch["targets"] == SYMBOLS.index(END)).any()


def test_translation_is_mastered():
    _, exact = mastered(TRANSLATION)
    assert exact > 0.98


@pytest.mark.slow
def test_gaps_are_filled_from_the_other_language():
    model, _ = mastered(MASKED)
    batch = one_gap(300)
    assert MASKED.measure(model, batch) > 0.95
    english_only = batch["real"] & ((batch["ids"] == SYMBOLS.index(END)).cumsum(1) == 0)
    assert MASKED.measure(model, batch | {"real": english_only}) < 0.6

"""The recorded trainings: they are of the page's models, and what is said of a text is true."""

import pytest

from tests.sweeps import few
from tools import gpt_ladder as tool
from transformer_lab.tasks.shakespeare import vocabulary
from transformer_lab.widgets import LearningToWrite
from transformer_lab.widgets.learning_to_write import STEPS, WAYS, recorded

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time


def test_each_way_was_seen_at_every_step():
    assert [*recorded()["ways"]] == WAYS == [*tool.WAYS]
    assert [*recorded()["more"]] == [*tool.MORE]
    for run in recorded()["ways"].values():
        assert [look["step"] for look in run["seen"]] == STEPS
        assert {len(look["text"]) for look in run["seen"]} == {251}  # the first was given


@pytest.mark.parametrize("way", few(WAYS, [*WAYS][-1]))
def test_a_recording_begins_as_its_training_begins(way):
    """The page's build compares a whole training; here each way is made, and looked at once."""
    program = tool.edited(tool.SOURCE, tool.WAYS[way])
    (look,) = tool.trained(program, 0)["seen"]
    first = recorded()["ways"][way]["seen"][0]
    assert look["loss"] == pytest.approx(first["loss"], abs=1e-3)
    assert look["held_out"] == pytest.approx(first["held_out"], abs=1e-3)
    assert look["text"] == first["text"]


def test_a_text_is_cut_at_the_words_that_stand_in_the_plays():
    for way in WAYS:
        frame = LearningToWrite(way=way, step=800).frame
        others, known = frame["pieces"][::2], frame["pieces"][1::2]
        text = recorded()["ways"][way]["seen"][-1]["text"]
        assert "".join(frame["pieces"]) == text.strip()
        assert {word.lower() for word in known} <= vocabulary()
        assert all(len(word) > 2 for word in known)
        assert len(others) == len(known) + 1
        assert 0 <= frame["known"] <= 1

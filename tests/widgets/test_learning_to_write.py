"""The recorded trainings: those of the page, and what is said of a text is true of it."""

import pytest
import torch

from tests.book.chapters import Chapter
from tests.sweeps import few
from tests.widgets.reading import baked
from transformer_lab.tasks.shakespeare import LENGTH, SYMBOLS, vocabulary
from transformer_lab.widgets import LearningToWrite
from transformer_lab.widgets.learning_to_write import STEPS, WAYS, recorded

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time


def page():
    """Run the page's cells up to the widget, as `tools/learning_to_write.py` does."""
    names = {}
    for cell in Chapter("whole_model").code:
        if "LearningToWrite" in cell.source:
            return names
        if cell.metadata.get("tags") != ["proof"]:
            exec(cell.source, names)
    raise AssertionError("the page shows no widget")


def test_the_ways_are_those_of_the_page_and_each_was_seen_at_every_step():
    assert [*recorded()] == WAYS == [*page()["ways"]]
    for run in recorded().values():
        assert [look["step"] for look in run["seen"]] == STEPS
        assert run["right"].keys() == page()["right"]("").keys()


@pytest.mark.parametrize("way", few(WAYS, [*WAYS][-1]))
def test_a_recording_begins_as_the_page_begins(way):
    """The page's build compares a whole training; here each way is made, and looked at once."""
    names, looks = page(), []
    names["train"] = lambda model, **_: looks.append(names["look"](model, 0))
    names["ways"][way]()
    (look,) = looks
    first = recorded()[way]["seen"][0]
    assert look["loss"] == pytest.approx(first["loss"], abs=1e-3)
    assert look["held_out"] == pytest.approx(first["held_out"], abs=1e-3)
    assert look["text"] == first["text"]


def test_a_recorded_text_holds_characters_and_not_the_start_token():
    for way, run in recorded().items():
        for look in run["seen"]:
            assert len(look["text"]) == 251, (way, look["step"])  # the first was given


def test_the_page_never_writes_the_start_token():
    model = page()["GPT"]()
    start = 50 * torch.eye(len(SYMBOLS))[0]  # by far the likeliest
    model.forward = lambda ids: start.expand(*ids.shape, -1)
    assert len(model.write("\n", 40)) == 41


def test_a_text_is_cut_at_the_words_that_stand_in_the_plays():
    for way in WAYS:
        frame = LearningToWrite(way=way, step=800).frame
        others, known = frame["pieces"][::2], frame["pieces"][1::2]
        text = recorded()[way]["seen"][-1]["text"]
        assert "".join(frame["pieces"]) == text.strip()
        assert {word.lower() for word in known} <= vocabulary()
        assert all(len(word) > 2 for word in known)
        assert len(others) == len(known) + 1
        assert 0 <= frame["known"] <= 1


def test_what_it_knows_at_first_is_nothing_and_it_learns():
    for way in WAYS:
        assert LearningToWrite(way=way, step=0).frame["known"] == 0, way
    assert LearningToWrite(step=800).frame["known"] > 0.7
    assert {"the", "king"} <= vocabulary()
    assert len(recorded()["whole"]["seen"][0]["text"]) > LENGTH
    assert len(SYMBOLS) == 97


def test_every_step_of_every_way_is_baked():
    data, frames = baked("learning_to_write")
    assert [*data["axes"]] == ["way", "step"]
    assert len(frames) == len(WAYS) * len(STEPS)
    for way, (loss, held_out) in data["state"]["curves"].items():
        assert len(loss) == len(held_out) == len(STEPS), way

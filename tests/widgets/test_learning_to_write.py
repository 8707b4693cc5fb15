"""The recorded trainings: those of the page, and what is said of a text is true of it."""

import pytest

from tests.book.chapters import Chapter
from tests.sweeps import few
from tests.widgets.reading import baked
from transformer_lab.tasks.shakespeare import LENGTH, SYMBOLS, vocabulary
from transformer_lab.widgets import LearningToWrite
from transformer_lab.widgets.learning_to_write import STEPS, WAYS, recorded

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time


def page():
    """Run the page's cells up to the widget, as `.ci/learning-to-write` does."""
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
    assert look["text"][:20] == first["text"][:20]


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
    first, last = (LearningToWrite(step=step).frame["known"] for step in (0, 800))
    assert first < 0.2 < 0.7 < last
    assert {"the", "king"} <= vocabulary()
    assert len(recorded()["whole"]["seen"][0]["text"]) > LENGTH
    assert len(SYMBOLS) == 97


def test_every_step_of_every_way_is_baked():
    data, frames = baked("learning_to_write")
    assert [*data["axes"]] == ["way", "step"]
    assert len(frames) == len(WAYS) * len(STEPS)
    for way, (loss, held_out) in data["state"]["curves"].items():
        assert len(loss) == len(held_out) == len(STEPS), way

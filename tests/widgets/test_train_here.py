"""What a kernel tells the widget that trains: news of some steps for each message."""

import pytest

from transformer_lab.widgets.train_here import PLACE, Static, TrainHere, texts

CONFIG = {"width": 24, "heads": 3, "layers": 1}
PLAN = {"steps": 30, "peak": 1e-2, "warmUp": 0}
BEGIN = {"kind": "start", "named": "play", "config": CONFIG, "plan": PLAN, "seed": 0}


@pytest.fixture
def ask():
    widget = TrainHere()
    answers = []
    widget.send = lambda message, buffers=None: answers.append((message, buffers))

    def ask(view="a", buffers=(), **message):
        answers.clear()
        widget._hear(widget, message | {"id": view}, [*buffers])
        return answers[0] if answers else None

    ask.widget = widget
    return ask


def kinds(answer):
    return [news["kind"] for news in answer[0]["news"]]


def test_each_message_trains_for_some_steps_until_the_end(ask):
    answer = ask(**BEGIN)
    assert (kinds(answer), answer[0]["goes"]) == (["ready", "look"], True)
    told = []
    while answer[0]["goes"]:
        answer = ask(kind="go")
        told.append(answer[0]["news"][0]["step"])
    assert told == [10, 20, 25, 30]
    assert kinds(answer) == ["step", "look", "ended"]
    assert ask(kind="more", plan=PLAN)[0]["news"][0]["step"] == 40


def test_an_interrupted_kernel_pauses_it(ask, monkeypatch):
    ask(**BEGIN)

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(ask.widget.training, "next", interrupted)
    answer = ask(kind="go")
    assert (kinds(answer), answer[0]["goes"]) == (["interrupted"], True)
    monkeypatch.undo()
    assert kinds(ask(kind="go")) == ["step"]


def test_what_goes_wrong_is_told_and_ends_it(ask):
    answer = ask(**BEGIN, buffers=[b"no model"])
    assert (kinds(answer), answer[0]["goes"]) == (["failed"], False)
    assert "no model" in answer[0]["news"][0]["message"]


def test_a_view_that_another_has_followed_trains_no_more(ask):
    ask(**BEGIN)
    assert kinds(ask("b", **BEGIN)) == ["ready", "look"]
    assert ask("a", kind="go") is None


def test_a_model_is_saved_and_goes_on_from_there(ask):
    ask(**BEGIN)
    ask(kind="go")
    _, (file,) = ask(kind="save")
    begun = BEGIN | {"plan": PLAN | {"steps": 0}}
    ready, again, ended = ask(**begun, buffers=[file])[0]["news"]
    assert (ready["kind"], again["step"], ended["kind"]) == ("ready", 0, "ended")
    assert again["loss"] == ask.widget.training.held_out()


def test_a_text_is_ours_or_the_readers_own(ask):
    own = BEGIN | {"named": "", "text": "ten green bottles\n" * 99}
    ask(**own)
    assert "".join(ask.widget.training.vocabulary) == "\n beglnorst"
    assert {*texts()} == {"play", "plays", "held"}
    timed = ask(kind="time", named="plays", config=CONFIG, plan=PLAN)
    assert kinds(timed) == ["timed"]


def test_on_a_page_it_is_an_element():
    assert Static("seed=1")._repr_html_() == PLACE

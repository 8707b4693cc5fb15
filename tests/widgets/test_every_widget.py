"""What every widget promises in Python: nothing here knows any of them by name."""

import gzip
import json
import re
from collections import Counter

import ipywidgets
import pytest
import torch
import traitlets
from PIL import Image

from book._ext.widgets import scripts
from tests.sweeps import few
from tests.widget_pages import KINDS, ROOT, data_script
from tests.widgets.reading import baked
from transformer_lab.widgets import _page
from transformer_lab.widgets._traits import Edits, Function, Heads, Span, Stop, Text, Words

every_widget = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
#: Each of their frames is computed by a large model; of those with one, another stays.
DEAR = {"block_walk", "next_token", "real_heads"}
quick_widgets = pytest.mark.parametrize(
    "kind", few(KINDS.values(), *(KINDS[stem] for stem in KINDS.keys() - DEAR)), ids=KINDS
)
OWN = [(k, n) for k in KINDS.values() for n, t in k.class_traits().items() if type(t) is Function]
WRONG = {
    "raised ZeroDivisionError": lambda *_, **__: 1 / 0,
    "returned nothing": lambda *_, **__: None,
    "returned a str": lambda *_, **__: "weights",
    "shape": lambda *inputs, **__: inputs[0][:0] if hasattr(inputs[0], "shape") else torch.empty(0),
    "NaN": None,  # as ours, but NaN
}


def changed(ours, change):
    def other(*inputs, **named):
        result = ours(*inputs, **named)
        return change(result[0] if isinstance(result, tuple) else result)

    return other


def nothing_but_nan(result):
    return torch.full(result.shape, torch.nan)


def packed(text):
    return len(gzip.compress(text.encode(), mtime=0))


def other_value(control, value):
    if isinstance(control, Span):
        return control.low if value != control.low else control.high
    if isinstance(control, Heads):
        return [[0, 1]]
    if isinstance(control, Text):
        return "Something else."
    if isinstance(control, Edits):
        return [[control.words[0], control.features[0], control.low]]
    return next(stop for stop in control.offer(value) if stop != value)


@every_widget
def test_names_agree(kind):
    assert kind.stem == re.sub(r"(?<=.)(?=[A-Z])", "_", kind.__name__).lower()
    assert f'widget("{kind.stem}"' in _page.module(kind.stem)
    assert len(kind.alt) > 80
    assert all(control.label for control in kind.controls().values()), "each control has a label"


@every_widget
def test_a_value_that_is_not_offered_is_refused_and_nothing_changes(kind):
    widget = kind()
    before = widget.trait_values()
    for name, control in kind.controls().items():
        numbers = [n for n in getattr(control, "stops", ()) if type(n) in (int, float)]
        bad = {
            Stop: [None, "nonsense", *(n == 1 for n in numbers if n in (0, 1))],
            Edits: [
                3,
                [3],
                [["cat", "alive", 99]],
                [["dog", "alive", 1]],
                [["cat", "alive"]],
                [["cat", "alive", True]],
            ],
            Heads: [3, [3], [[0, -1]], [[99, 0]], [[0, True]]],
        }
        if type(control) is Text:
            bad[Text] = [None, 3, "a" * (control.most + 1)]
        if type(control) is Words:
            few, many = (["word"] * count for count in (control.fewest - 1, control.most + 1))
            bad[Words] = ["a sentence", few, many, [1, 2]]
        for value in bad.get(type(control), [True, "1", float("nan"), 1e9]):
            with pytest.raises(ValueError, match=name):
                setattr(widget, name, value)
    assert widget.trait_values() == before


@quick_widgets
def test_its_repr_makes_it_again(kind):
    widget = kind()
    for name, control in kind.controls().items():
        setattr(widget, name, other_value(control, getattr(widget, name)))
    again = eval(repr(widget), {kind.__name__: kind})
    assert again.frame == widget.frame
    assert repr(again) == repr(widget)


@quick_widgets
def test_every_value_of_every_control_has_its_frame_live_and_baked(kind):
    data, frames = baked(kind.stem)
    for name, control in kind.controls().items():
        ends = {Span: lambda c: [c.low, c.high], Heads: lambda _: [[], [[0, 1]]]}
        ends |= dict.fromkeys(
            (Edits, Text), lambda c: [c.default_value, other_value(c, c.default_value)]
        )
        stops = ends.get(type(control), lambda c: c.offer(c.default_value))(control)
        for stop in stops:
            widget = kind(**{name: stop})
            json.dumps(
                {k: v for k, v in widget.frame.items() if type(v) is not bytes}, allow_nan=False
            )
            assert "trouble" not in widget.frame
            place = [getattr(widget, axis) for axis in data["axes"]]
            frame = frames[tuple(tuple(at) if type(at) is list else at for at in place)]
            live = {key: widget.frame[key] for key in frame}
            if control.swept or stop == control.default_value:
                assert json.dumps(live, default=repr) == json.dumps(frame, default=repr)


@every_widget
def test_its_data_is_light(kind):
    assert packed(data_script(kind.stem)) <= 150_000


def test_three_widgets_and_all_that_they_share_are_light():
    sizes: Counter[str] = Counter()
    for name, text in scripts([*KINDS], ROOT / "_build/cache/page").items():
        sizes[name.partition(".")[0]] += packed(text)  # script and style
    assert sizes.pop("widgets") + sum(sorted(sizes.values())[-3:]) <= 20_000


@every_widget
def test_the_still_picture_is_a_picture(kind, tmp_path):
    file = tmp_path / "still.png"
    file.write_bytes(kind().still())
    with Image.open(file) as picture:
        assert 400 <= picture.width <= 1600
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 20


@quick_widgets
def test_it_behaves_like_any_other_widget(kind):
    first, second = kind(), kind()
    ipywidgets.VBox([first, second])
    for name, control in kind.controls().items():
        link = traitlets.link((first, name), (second, name))
        seen = []
        first.observe(lambda change, seen=seen: seen.append(change.new), name)
        value = other_value(control, getattr(first, name))
        setattr(first, name, value)
        assert getattr(second, name) == value
        assert seen == [value]
        link.unlink()
        ipywidgets.jslink((first, name), (second, name))
    assert second.frame == first.frame


@pytest.mark.parametrize(("kind", "name"), OWN, ids=str)
@pytest.mark.parametrize("said", WRONG)
def test_a_function_that_goes_wrong_is_told_in_words_and_nothing_is_lost(kind, name, said):
    widget, ours = kind(), kind.class_traits()[name].default_value
    before = widget.frame
    setattr(widget, name, WRONG[said] or changed(ours, nothing_but_nan))
    assert said in widget.frame["trouble"]
    assert widget.still().startswith(b"\x89PNG"), "even then something is to be seen"
    setattr(widget, name, ours)
    assert widget.frame == before


@pytest.mark.parametrize(("kind", "name"), OWN, ids=str)
def test_what_cannot_be_called_is_refused(kind, name):
    with pytest.raises(TypeError, match=name):
        kind(**{name: 3})


@every_widget
@pytest.mark.parametrize("home", few(["1", "inline"], "1"))
def test_its_place_on_a_page_holds_what_that_home_needs(kind, home, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LAB_STATIC", home)
    shown = _page.place(kind())
    assert f'data-widget="{kind.stem}"' in shown
    alone = home == "inline"
    assert (_page.ASSETS in shown) is not alone
    for carried in ("<script", "<style", "data:image/webp;base64,"):
        assert (carried in shown) is alone
    assert ("transformerLab = " in shown) is alone
    assert _page.place(kind()) == shown, "a place does not depend on those before it"


def test_where_it_does_not_run_a_page_shows_what_it_has_set(monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LAB_STATIC", "1")
    assert 'src="data:' not in _page.place(KINDS["gpt_ladder"]())
    pictures = {_page.place(KINDS["gpt_ladder"](rung=rung)) for rung in ("bigram", "average")}
    assert len({place.partition('src="data:image/')[2] for place in pictures} - {""}) == 2


@every_widget
def test_its_style_reaches_no_other_widget(kind):
    sheet = (_page.DRAWN / f"{kind.stem}.css").read_text("utf8")
    first, *inside, last = sheet.splitlines()
    assert first == f"@scope (.tl-{kind.stem.replace('_', '-')}) {{"
    assert last == "}"
    assert all(line.startswith("  ") for line in inside if line)
    # Inside, its own name is `:scope`: a class would be looked for below it, and not be found.
    assert first[8:-3] not in "".join(inside)

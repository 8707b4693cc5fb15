"""What every widget promises on a page without a kernel: nothing here knows any by name."""

import base64
import json
import random

import pytest

from tests.browser.axe import complaints
from tests.chromium import BEYOND, SETTLED
from tests.sweeps import few
from tests.widget_pages import KINDS
from transformer_lab.widgets._traits import Span

#: Those that have between them all that another may have: one's own words, a switch, tracks without
#: stops (Play has its own tests). What all owe to the kit is asked of these; of the others in
#: `make test-full`.
TELLING = {"attention_stepper", "norm_explorer"}
telling_widgets = pytest.mark.parametrize("stem", few(KINDS, *TELLING, tier="nightly"))


#: What may be typed: what a tokenizer joins and cuts, signs of several bytes, nothing at all.
TEXTS = ["  It's\n\nthe 12th: ½ café 😀_é\u0301 ", "the the", ""]


def with_control(wanted):
    """Name the widgets one of whose controls is such a one."""
    return [stem for stem, kind in KINDS.items() if any(map(wanted, kind.controls().values()))]


MODEL = "const { model } = transformerLab.mounted.get(el);"
#: Values of the model as JSON; bytes as base64.
READ = f"""(el, names) => {{
    {MODEL}
    const bytes = ({{ buffer, byteOffset, byteLength }}) =>
        String.fromCharCode(...new Uint8Array(buffer, byteOffset, byteLength));
    const text = (_, value) => value instanceof DataView ? btoa(bytes(value)) : value;
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, model.get(name)])), text);
}}"""


def read(widget, names):
    return json.loads(widget.evaluate(READ, list(names)))


def written(frame):
    """Write a frame as READ does."""
    return {k: base64.b64encode(v).decode() if type(v) is bytes else v for k, v in frame.items()}


def movable(stem):
    """Name the controls that a page without a real model has."""
    controls = KINDS[stem].controls().items()
    return [name for name, control in controls if control.swept or control.computed]


def state(widget, stem):
    return read(widget, KINDS[stem].controls())


def is_torchs(widget, stem):
    """Compare the frame on the page with torch's, where the controls stand; return where."""
    at = read(widget, [*KINDS[stem].controls(), "frame"])
    frame = at.pop("frame")
    expected = written(KINDS[stem](**at).frame)
    if frame != expected:
        assert frame.keys() == expected.keys()
        for key, value in expected.items():
            if frame[key] != value:  # what the page computes itself comes close
                assert numbers(frame[key]) == pytest.approx(numbers(value), rel=1e-5, abs=1e-5), key
    return at


def numbers(value):
    """Give the numbers in nested lists, one after the other; anything else as it is."""
    if not isinstance(value, list):
        return value
    return [n for item in value for n in (numbers(item) if isinstance(item, list) else [item])]


def offered(widget, name):
    """Tell whether the model that is chosen has this control."""
    return widget.locator(f"[data-name={name}]").is_visible()


def unfold(widget, is_open=True):
    """Open what a widget unfolds at a reader's wish, or close it."""
    folds = widget.locator("details.tl-more")
    folds.evaluate_all("(folds, is) => { for (const fold of folds) fold.open = is; }", is_open)
    if is_open and folds.count():
        folds.locator("select").wait_for()  # which comes only then


def moves(widget, name):
    """Give functions that move a control, by keyboard, through everything that it offers."""
    unfold(widget)
    if not offered(widget, name):  # then the last model has it
        moves(widget, "model")[-1]()
    row = widget.locator(f"[data-name={name}]")
    slider, radios, select = (
        row.locator(kind) for kind in ("[type=range]", "[type=radio]", "select")
    )
    if slider.count():
        count = int(slider.evaluate("s => Math.round((s.max - s.min) / s.step)"))
        keys = ["Home"] + ["ArrowRight"] * (count if count <= 16 else 2)
        keys += ["PageUp"] * 9 + ["End"] if count > 16 else []
        return [lambda key=key: slider.press(key) for key in keys]
    if radios.count():
        return [lambda i=i: radios.nth(i).press("Space") for i in range(radios.count())]
    if select.count():
        count = select.locator("option:enabled").count()
        return [lambda i=i: select.select_option(index=i) for i in range(count)]
    if (area := row.locator("textarea")).count():
        return [lambda text=text: area.fill(text) for text in TEXTS]
    return [lambda: row.locator("input").press("Space")] * 2


@pytest.mark.smoke
@telling_widgets
@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_every_place_of_every_control_shows_torchs_frame(widget_page, stem, home):
    widget = widget_page(stem, home=home)
    start = state(widget, stem)
    assert start == json.loads(json.dumps({n: getattr(KINDS[stem](), n) for n in start}))
    for name in movable(stem):
        seen = []
        for move in moves(widget, name):
            move()
            seen.append(is_torchs(widget, stem)[name])
        assert len({json.dumps(value) for value in seen}) > 1, f"{name} does not move"
        widget.get_by_role("button", name="Reset").click()
        assert state(widget, stem) == start


@pytest.mark.parametrize("stem", with_control(lambda control: isinstance(control, Span)))
def test_what_the_page_computes_is_torchs_anywhere(widget_page, stem):
    controls = KINDS[stem].controls()
    widget, dice = widget_page(stem), random.Random(0)
    for _ in range(25):
        at = {
            name: dice.uniform(control.low, control.high)
            if isinstance(control, Span)
            else dice.choice(control.offer(control.default_value))
            for name, control in controls.items()
        }
        widget.evaluate(
            f"(el, at) => {{ {MODEL} for (const name in at) model.set(name, at[name]);"
            " model.save_changes(); }",
            at,
        )
        is_torchs(widget, stem)


@telling_widgets
def test_a_copied_link_restores_the_state(widget_page, stem):
    widget = widget_page(stem)
    for name in movable(stem):
        moves(widget, name)[-1]()
    expected = state(widget, stem)
    widget.get_by_role("button", name="Copy link").click()
    widget.get_by_role("button", name="Copied").wait_for()
    fragment = "#" + widget.page.url.split("#")[1]
    assert fragment.startswith(f"#{stem}:")
    other = widget_page(stem, fragment=fragment)
    assert state(other, stem) == expected
    is_torchs(other, stem)


@telling_widgets
@pytest.mark.parametrize("theme", few(["", "dark"], "dark"))
def test_axe_finds_nothing_with_everything_open(widget_page, stem, theme):
    widget = widget_page(stem, theme=theme)
    widget.locator(".tl-numbers summary").click()
    tables = widget.get_by_role("region", name="Numbers").get_by_role("table")
    tables.first.wait_for()
    assert all(text.strip() for text in tables.locator("tbody td").all_inner_texts())
    found = complaints(widget.page, dark=theme == "dark")
    assert not found, found


@telling_widgets
def test_numbers_follow_the_controls(widget_page, stem):
    widget = widget_page(stem)
    widget.locator(".tl-numbers summary").click()
    shown = set()
    for name in movable(stem):
        for move in moves(widget, name)[:2]:
            move()
            shown.add(widget.locator(".tl-tables").inner_text())
    assert len(shown) > 1


@telling_widgets
def test_it_fits_and_nothing_jumps_when_it_comes_or_moves(widget_page, stem):
    widget = widget_page(stem)
    page, body = widget.page, widget.locator(".tl-body")
    for width in (360, 640, 832, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        assert page.evaluate(BEYOND) <= 0, f"{stem} is wider than {width} pixels"
        height = body.evaluate("b => b.offsetHeight")
        reserved = body.evaluate("b => parseFloat(getComputedStyle(b).minHeight)")
        told = f"at {width} its place has another height than {stem}"
        assert height == pytest.approx(reserved, abs=1), told
        unfold(widget)
        height = body.evaluate("b => b.offsetHeight")
        assert heights(widget, stem) == {height}, f"at {width} something changes its height"
        assert page.evaluate(BEYOND) <= 0, f"{stem} is wider than {width} pixels when it has moved"
        widget.get_by_role("button", name="Reset").click()
        unfold(widget, False)


MORE = {"model", "every"}  # another model, every token


def heights(widget, stem):
    """Try every control but the two by which there is more to show; give the heights."""
    body, seen = widget.locator(".tl-body"), set()
    for name in movable(stem):
        every = moves(widget, name) if name not in MORE and offered(widget, name) else []
        for move in every[:1] + every[-1:]:
            move()
            seen.add(body.evaluate("b => b.offsetHeight"))
    return seen


@telling_widgets
def test_the_keyboard_reaches_everything(widget_page, stem):
    widget = widget_page(stem)
    unfold(widget)
    reached = set()
    for _ in range(60):
        widget.page.keyboard.press("Tab")
        reached.add(
            widget.page.evaluate("""() => {
                const at = document.activeElement;
                return at.closest("[data-name]")?.dataset.name ?? at.textContent.trim();
            }""")
        )
    there = {name for name in movable(stem) if offered(widget, name)}
    assert reached >= {*there, "Reset", "Copy link", "Show numbers"}


@telling_widgets
def test_without_scripts_and_on_paper_a_still_picture_stands_for_it(widget_page, stem):
    for scripts in (True, False):
        widget = widget_page(stem, java_script_enabled=scripts)
        picture = widget.get_by_role("img", name=KINDS[stem].alt)
        if scripts:
            assert not picture.is_visible()
            widget.page.emulate_media(media="print")
        picture.wait_for()
        assert not widget.locator(".tl-body").first.is_visible()
        picture.evaluate("picture => picture.complete || picture.decode()")
        assert picture.bounding_box()["height"] > 200


@pytest.fixture
def crowd(open_page, widget_folders):
    """Open a page with every widget on it, twice."""
    built, address, _ = widget_folders
    built({"all": [f"{kind.__name__}()" for kind in KINDS.values()] * 2})
    page = open_page(f"{address}/all.html")
    for place in page.locator("[data-widget]").all():
        place.scroll_into_view_if_needed()
        place.locator(".tl-numbers").wait_for()
    return page


def test_all_of_them_live_on_one_page_and_none_minds_another(crowd):
    identities = crowd.locator("[id]").evaluate_all("all => all.map(e => e.id)")
    assert len(set(identities)) == len(identities)
    frames = """[...document.querySelectorAll("[data-widget]")]
        .map((el) => transformerLab.mounted.get(el).model.get("frame"))"""
    crowd.evaluate(f"window.before = {frames}")
    still = set()
    for number, stem in enumerate([*KINDS] * 2):
        place = crowd.locator("[data-widget]").nth(number)
        axes = [name for name in KINDS[stem].axes() if name in movable(stem)]
        if not axes:  # all that it has there is one frame
            still.add(number)
            continue
        moves(place, axes[0])[0]()
        moves(place, axes[0])[-1]()
        changed = crowd.evaluate(
            f"{frames}.map((frame, i) => frame !== before[i]).map((c, i) => c ? i : -1)"
            ".filter((i) => i >= 0)"
        )
        assert changed == [n for n in range(number + 1) if n not in still]

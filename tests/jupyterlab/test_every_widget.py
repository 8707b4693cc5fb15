"""Every widget with a kernel behind it: each control reaches Python, and Python each control."""

import os
import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import complaints
from tests.browser.test_every_widget import TEXTS, moves, with_control
from tests.jupyterlab.notebook import PATIENCE
from tests.sweeps import few
from tests.widget_pages import KINDS
from transformer_lab.widgets import AttentionStepper
from transformer_lab.widgets._traits import Edits, Function, Heads, Text, Words

#: Those that have all that another may have: one's own words, a switch, one's own function, a track
#: without stops. The others are for `make test-full`.
FIRST = {"attention_stepper", "norm_explorer"}
every_widget = pytest.mark.parametrize("stem", few(KINDS, *FIRST, tier="nightly"))
WITH_WORDS = with_control(lambda control: isinstance(control, Words))
#: The traits of widgets that hold a function.
FUNCTIONS = {
    stem: [name for name, trait in kind.class_traits().items() if type(trait) is Function]
    for stem, kind in KINDS.items()
}
WITH_FUNCTIONS = [stem for stem in KINDS if FUNCTIONS[stem]]


@pytest.fixture
def widget(notebook, stem):
    """One of them, as it starts, in view; its cell is run when it is first wanted."""
    found = notebook.page.locator(f".tl-{stem.replace('_', '-')}")
    if not found.count():
        notebook.run(f"{stem} = ")
    found.scroll_into_view_if_needed()
    found.get_by_role("button", name="Reset").click()
    return found


def stands(notebook, widget, stem, **state):
    notebook.kernel.comes_to(f"{{n: getattr({stem}, n) for n in {list(state)}}}", state)
    picture = widget.locator(".tl-main")
    expect(picture).to_have_attribute("aria-busy", "false", timeout=PATIENCE)  # it may load


@every_widget
def test_every_control_reaches_the_kernel_and_reset_brings_it_back(notebook, widget, stem):
    widget.locator(".tl-numbers summary").click()
    start = {name: getattr(KINDS[stem](), name) for name in KINDS[stem].controls()}
    for name, control in KINDS[stem].controls().items():
        if isinstance(control, Heads | Edits):  # chosen, or written, in the picture
            continue
        if isinstance(offer := control.offer(control.default_value), list):
            if isinstance(start[name], bool):  # one switch, to and fro
                offer = [not start[name], start[name]]
            for stop, move in list(zip(offer, moves(widget, name), strict=False))[:3]:
                move()
                stands(notebook, widget, stem, **{name: stop})
        else:
            moves(widget, name)[0]()
            low = TEXTS[0] if isinstance(control, Text) else control.low
            stands(notebook, widget, stem, **{name: low})
        widget.get_by_role("button", name="Reset").click()
        stands(notebook, widget, stem, **start)
    widget.locator(".tl-numbers summary").click()


@pytest.mark.parametrize("stem", few(WITH_WORDS, *FIRST, tier="nightly"))
def test_ones_own_words_are_computed(notebook, widget, stem):
    for name, control in KINDS[stem].controls().items():
        if isinstance(control, Words):
            field = widget.locator(f"[data-name={name}]").get_by_role("textbox")
            field.fill("my own words")
            field.press("Enter")
            stands(notebook, widget, stem, **{name: ["my", "own", "words"]})
            field.fill("word " * (control.fewest - 1))
            field.press("Enter")
            few, most = control.fewest, control.most
            told = f"{few} to {most} words fit here, not {few - 1}."
            expect(widget.get_by_role("alert")).to_have_text(told)
            stands(notebook, widget, stem, **{name: ["my", "own", "words"]})


@pytest.mark.parametrize("stem", ["block_walk"])
def test_under_other_words_no_old_numbers_stand(notebook, widget, stem, tmp_path):
    body = widget.locator(".tl-body")
    wait = f"import pathlib, time\nwhile not pathlib.Path({str(tmp_path)!r}, 'go').exists(): "
    done = notebook.kernel.start(f"{wait}time.sleep(0.05)")
    widget.get_by_role("textbox", name="Your text").fill("other words")
    expect(body).to_have_class(re.compile("tl-gone"))
    expect(widget.get_by_role("grid").first).to_be_hidden()
    (tmp_path / "go").touch()
    done()
    expect(body).not_to_have_class(re.compile("tl-gone"))


@pytest.mark.parametrize("stem", few(WITH_FUNCTIONS, *FIRST, tier="nightly"))
def test_a_function_that_raises_is_told_and_the_widget_lives_on(notebook, widget, stem):
    alert = widget.get_by_role("alert")
    for name in FUNCTIONS[stem]:
        notebook.kernel.run(f"_ours = {stem}.{name}; {stem}.{name} = lambda *_, **__: 1 / 0")
        expect(alert).to_contain_text("raised ZeroDivisionError: division by zero")
        picture = widget.locator("canvas:visible, svg:visible, [role=grid]:visible")
        expect(picture.first).to_be_visible()
        notebook.kernel.run(f"{stem}.{name} = _ours")
        expect(alert).to_have_text("")
    assert notebook.errors() == []


@every_widget
def test_copy_as_python_makes_it_again(notebook, widget, stem):
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget.get_by_role("button", name="Copy as Python").click()
    widget.get_by_role("button", name="Copied").wait_for()
    line = page.evaluate("navigator.clipboard.readText()")
    assert line.startswith(KINDS[stem].__name__ + "(")
    notebook.kernel.comes_to(f"({line}).frame == {stem}.frame", True)


@every_widget
def test_axe_finds_nothing(notebook, widget, stem):
    found = complaints(notebook.page, f".tl-{stem.replace('_', '-')}")
    assert not found, found


def expect_torch(widget, **state):
    """Compare the stepper's table of all weights with torch's: of the head that came last."""
    weights = AttentionStepper(**state).frame["weights"][0][-1]
    cells = widget.get_by_role("grid", name="weights").get_by_role("gridcell").all_inner_texts()
    expected = [weight for row in weights for weight in row]
    assert [float(text) for text in cells] == pytest.approx(expected, abs=0.00501)


@pytest.fixture
def key_width(notebook, widget, stem):
    """The slider of the stepper's key width, where the weights of all words are shown."""
    notebook.kernel.run(f"{stem}.step = 11")
    if not (slider := widget.get_by_role("slider", name="Key width d_k")).is_visible():
        widget.locator(".tl-more summary").click()
    return slider


@pytest.mark.parametrize("stem", ["attention_stepper"])
def test_jupyterlab_leaves_the_arrow_keys_to_a_slider(notebook, widget, stem, key_width):
    key_width.click()
    key_width.press("Home")
    where = """() => [
        [...document.querySelectorAll(".jp-Notebook .jp-Cell")]
            .findIndex(cell => cell.classList.contains("jp-mod-active")),
        document.querySelector(".jp-WindowedPanel-outer").scrollTop,
    ]"""
    before = notebook.page.evaluate(where)
    for key in ("ArrowUp", "ArrowDown", "ArrowUp", "ArrowUp"):
        key_width.press(key)
    third = AttentionStepper.grid()["d_k"][2]
    stands(notebook, widget, stem, d_k=third)
    expect_torch(widget, d_k=third)
    assert notebook.page.evaluate(where) == before
    assert key_width.evaluate("slider => slider === document.activeElement")


@pytest.mark.parametrize("stem", ["attention_stepper"])
def test_a_slider_moved_while_a_cell_runs_is_not_lost(notebook, widget, stem, key_width, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    finish = notebook.kernel.start(f"open({str(gate)!r}).read()")
    with gate.open("w"):  # opens when the cell has begun, and then lets it end
        key_width.press("End")
        assert key_width.get_attribute("aria-valuetext") == "64", "its own number does not wait"
        key_width.press("ArrowLeft")
    finish()
    stands(notebook, widget, stem, d_k=32)
    expect_torch(widget, d_k=32)

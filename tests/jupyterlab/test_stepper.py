"""The stepper with a kernel behind it: sliders, picture and Python say the same, always."""

import os

import pytest
from playwright.sync_api import expect

from tests.jupyterlab.notebook import written
from transformer_lab.widgets import AttentionStepper

FIND = "next(w for w in Out.values() if type(w).__name__ == 'AttentionStepper')"
GRID = AttentionStepper.grid()
LABELS = {"d_k": "Key width d_k", "heads": "Heads", "length": "Words"}
START = {"d_k": 4, "heads": 1, "length": 10}


def expect_torch(widget, **state):
    """Compare the table of all weights with torch's: of the head that came last."""
    weights = AttentionStepper(**state).frame["weights"][0][-1]
    cells = widget.get_by_role("grid", name="weights").get_by_role("gridcell").all_inner_texts()
    expected = [weight for row in weights for weight in row]
    assert [float(text) for text in cells] == pytest.approx(expected, abs=0.00501)


@pytest.fixture(scope="module")
def opened(lab, open_notebook):
    around = "# More to read.\n" * 40
    shown = "from transformer_lab.widgets import AttentionStepper\nAttentionStepper(step=11)"
    notebook = open_notebook(written(lab, "explorer.ipynb", [around, shown, around]))
    notebook.run_all()
    assert notebook.errors() == []
    notebook.kernel.run(f"_stepper = {FIND}")
    notebook.page.locator(".tl-more summary").click()
    return notebook


@pytest.fixture
def stepper(opened):
    widget = opened.page.locator(".tl-attention-stepper").first
    widget.scroll_into_view_if_needed()
    widget.get_by_role("button", name="Reset").click()
    stands(widget, opened, **START)
    return widget


def stands(widget, opened, **state):
    state = START | state
    for name, label in LABELS.items():
        slider = widget.get_by_role("slider", name=label)
        expect(slider).to_have_attribute("aria-valuetext", str(state[name]))
    expect(widget.locator(".tl-main")).to_have_attribute("aria-busy", "false")
    expect_torch(widget, **state)
    opened.kernel.comes_to(f"{{n: getattr(_stepper, n) for n in {list(state)}}}", state)


def test_jupyterlab_leaves_the_arrow_keys_to_a_slider(opened, stepper):
    slider = stepper.get_by_role("slider", name=LABELS["d_k"])
    slider.click()
    slider.press("Home")
    where = """() => [
        [...document.querySelectorAll(".jp-Notebook .jp-Cell")]
            .findIndex(cell => cell.classList.contains("jp-mod-active")),
        document.querySelector(".jp-WindowedPanel-outer").scrollTop,
    ]"""
    before = opened.page.evaluate(where)
    for key in ("ArrowUp", "ArrowDown", "ArrowUp", "ArrowUp"):
        slider.press(key)
    stands(stepper, opened, d_k=GRID["d_k"][2])
    assert opened.page.evaluate(where) == before
    assert slider.evaluate("slider => slider === document.activeElement")


def test_a_slider_moved_while_a_cell_runs_is_not_lost(opened, stepper, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    finish = opened.kernel.start(f"open({str(gate)!r}).read()")
    with gate.open("w"):  # opens when the cell has begun, and then lets it end
        slider = stepper.get_by_role("slider", name=LABELS["d_k"])
        slider.press("End")
        assert slider.get_attribute("aria-valuetext") == "64", "its own number does not wait"
        slider.press("ArrowLeft")
    finish()
    stands(stepper, opened, d_k=32)

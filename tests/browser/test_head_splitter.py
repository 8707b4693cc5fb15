"""The head splitter on the page: every number lies and says what the frame says."""

import itertools

import pytest

from tests.sweeps import few
from transformer_lab.widgets import HeadSplitter

HEADS, STEPS, WORDS = (HeadSplitter.grid()[name] for name in ("heads", "step", "word"))
T, D = len(WORDS), 8
CELLS = """svg => [...svg.querySelectorAll("g")].map((cell) => {
    const [x, y] = cell.style.transform.match(/[\\d.]+(?=px)/g).map(Number);
    return [x, y, Number(cell.querySelector(".tl-ink").style.opacity), cell.textContent];
})"""


def lanes(widget):
    """Read both pictures: for each number its place, how dark it is, and its text."""
    return [svg.evaluate(CELLS) for svg in widget.locator(".tl-lanes svg").all()]


def move(widget, **to):
    name, value = next(iter(to.items()))
    if name == "heads":
        slider = widget.get_by_role("slider", name="Heads")
        slider.press("Home")
        for _ in range(HEADS.index(value)):
            slider.press("ArrowRight")
    else:
        widget.get_by_role("radio", name=value, exact=True).check()


@pytest.mark.parametrize("heads", few(HEADS, 4))
@pytest.mark.parametrize("step", STEPS)
def test_every_number_lies_and_says_what_torch_says(widget_page, step, heads):
    widget = widget_page("head_splitter")
    move(widget, heads=heads)
    move(widget, step=step)
    K, late = D // heads, STEPS.index(step) >= 2
    for way, cells in zip(HeadSplitter(heads=heads).frame["ways"], lanes(widget), strict=True):
        order = way["places"] if step in ("split", "attend") else list(range(T * D))
        by_rows = [
            order[head * T * K + row * K + column]
            if step in ("split", "attend")
            else order[row * D + head * K + column]
            for row, head, column in itertools.product(range(T), range(heads), range(K))
        ]
        seen = sorted(range(T * D), key=lambda number: (cells[number][1], cells[number][0]))
        assert seen == by_rows, "from left to right, row after row"
        for number, (_, _, dark, text) in enumerate(cells):
            owner, column = divmod(number, D)
            share = way["heard"][step == "W_O"][number][1] if late else float(owner == 1)
            assert dark == share
            said = f"{share:.2f}".removeprefix("0") if late else ""
            assert text == f"{WORDS[owner][0]}{column}{said}"


def test_a_clicked_number_is_followed(widget_page):
    widget = widget_page("head_splitter")
    widget.locator(".tl-lanes svg").first.locator("g").nth(3 * D + 5).click()
    assert widget.get_by_role("radio", name="fish").is_checked()
    for cells in lanes(widget):
        assert [dark for _, _, dark, _ in cells] == [0] * 24 + [1] * 8

"""The block walk on the static page: every step shows torch's values, its shape and its line."""

import re

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.canvas import alpha
from tests.chromium import BEYOND, SCREENS
from tests.sweeps import few
from transformer_lab.widgets import BlockWalk
from transformer_lab.widgets.block_walk import DOES, SENTENCES, walk


def translator(widget_page, **options):
    """Open the walk through the translator."""
    return widget_page("block_walk", "translator", 'BlockWalk(model="translator")', **options)


def expect_torch(widget, operation, scale):
    """Compare the picture with torch, pixel for pixel, and the words with the operation."""
    label, does = DOES[operation.name]
    title = widget.locator(".tl-title").inner_text()
    assert f": {label}\n" in title
    assert title.endswith(operation.shape), title
    assert widget.locator(".tl-does").inner_text() == does
    where = widget.locator(".tl-where").inner_text()
    assert where.startswith(operation.line.text)
    assert where.endswith(f".py, line {operation.line.number}")
    values = operation.values if operation.values.dim() == 2 else operation.values[0]
    expected = 255 * (values.half().float().abs() / scale).clamp(max=1)
    drawn = alpha(widget.locator(".tl-canvas"))
    torch.testing.assert_close(drawn.double(), expected.double(), rtol=0, atol=0.51)
    grid = widget.get_by_role("grid")
    assert grid.get_by_role("rowheader").all_inner_texts() == operation.rows
    assert grid.get_by_role("columnheader").all_inner_texts()[1:] == operation.columns


#: A sentence, and every how many steps its picture is compared.
WALKS = [(0, 8), (0, 1), (1, 1), (2, 1)]


@pytest.mark.parametrize("walked", few(WALKS, (0, 8)))
def test_a_walk_on_and_back_through_every_step(widget_page, walked):
    number, every = walked
    widget = translator(widget_page, home=["http", "file", "http"][number])
    widget.get_by_role("combobox", name="Sentence").select_option(index=number)
    frame = BlockWalk(model="translator", tokens=SENTENCES[number].split()).frame
    scales = [step["scale"] for step in frame["steps"]]
    on = widget.get_by_role("button", name="on ›")
    for step, (operation, scale) in enumerate(zip(walk(SENTENCES[number]), scales, strict=True)):
        if step % every == 0:
            expect_torch(widget, operation, scale)
        on.click()
    expect_torch(widget, walk(SENTENCES[number])[-1], scales[-1])  # it does not walk off the end
    widget.get_by_role("button", name="‹ back").click()
    expect_torch(widget, walk(SENTENCES[number])[-2], scales[-2])


def test_a_part_and_an_operation_are_opened_by_their_buttons(widget_page):
    widget = translator(widget_page)
    slider = widget.get_by_role("slider", name="Step")
    widget.get_by_role("button", name="decoder 1", exact=True).click()
    assert slider.get_attribute("aria-valuetext") == "71"
    widget.get_by_role("button", name="cross weights").click()
    operation = walk(SENTENCES[0])[int(slider.get_attribute("aria-valuetext"))]
    assert (operation.part, operation.name) == ("decoder.layers.1", "cross_attention.weights")
    expect_torch(widget, operation, 1)
    pressed = widget.locator("[aria-pressed=true]").all_inner_texts()
    assert pressed == ["1", "weights"]
    widget.get_by_role("gridcell", name="O, cat: 0.97").click()
    assert widget.locator(".tl-readout").inner_text() == "O, column cat: 0.97"


def test_the_gpts_drawing_shows_where_one_is_and_leads_there(widget_page):
    widget = widget_page("block_walk", **SCREENS["phone"])
    title, code = widget.locator(".tl-title"), widget.locator(".tl-where")
    expect(title).to_contain_text("input: ids")
    expect(code).to_contain_text("vocabulary.index")
    widget.get_by_role("button", name="block 1", exact=True).tap()
    widget.get_by_role("button", name="weights", exact=True).tap()
    expect(title).to_contain_text("block 1: weights")
    expect(code).to_contain_text(re.compile(r"softmax\(-1\) gpt\.py, lines 51 and 52$"))
    assert widget.locator("[aria-pressed=true]").all_inner_texts() == ["block 1", "weights"]
    assert widget.locator(".tl-band button.tl-read").all_inner_texts() == ["scores"]
    on, name = (widget.get_by_role("button", name="on ›"), title)
    edges = [each.bounding_box()["y"] for each in (on, name)]
    assert abs(edges[0] - edges[1]) < 20, "the step and its buttons are together"
    for _ in range(40):
        on.tap()
    expect(title).to_contain_text("output: choose")
    expect(widget.get_by_role("columnheader").nth(1)).to_have_text("d")
    assert widget.page.evaluate(BEYOND) <= 0

"""Real heads on the static page: the wall and the open head are what torch computes."""

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.canvas import alpha
from tests.sweeps import few
from transformer_lab.widgets.real_heads import SENTENCES, wall, weights_of


def expect_torch(widget, model, sentence, layer, head):
    """Compare the wall and the open head with torch, pixel for pixel."""
    queries, keys, weights = weights_of(model, sentence)
    title = widget.locator(".tl-title")
    expect(title).to_have_text(f"{model}, layer {layer}, head {head}")
    drawn = alpha(widget.locator(".tl-canvas"))
    assert torch.equal(drawn.int(), (255 * weights[layer, head]).round().int())
    hung = alpha(widget.locator(".tl-wall canvas"))
    assert torch.equal(hung.int(), (255 * wall(weights)).round().int())
    grid = widget.get_by_role("grid")
    assert grid.get_by_role("rowheader").all_inner_texts() == queries
    assert grid.get_by_role("columnheader").all_inner_texts()[1:] == keys


@pytest.mark.slow
def test_the_sliders_go_as_far_as_the_model(widget_page):
    widget = widget_page("real_heads", fragment="#real_heads:model=SmolLM2,layer=29,head=8")
    expect_torch(widget, "SmolLM2", SENTENCES[0], 29, 8)
    widget.get_by_role("radio", name="translator").check()
    expect_torch(widget, "translator", SENTENCES[0], 1, 7)
    slider = widget.get_by_role("slider", name="Layer")
    assert slider.get_attribute("max") == "1"
    assert slider.get_attribute("aria-valuetext") == "1"
    widget.get_by_role("radio", name="SmolLM2").check()
    expect_torch(widget, "SmolLM2", SENTENCES[0], 1, 7)
    assert slider.get_attribute("max") == "29"


@pytest.mark.parametrize("model", few(["MiniLM", "SmolLM2", "translator"], "MiniLM"))
def test_a_head_is_opened_on_the_wall(widget_page, model):
    widget = widget_page("real_heads", fragment=f"#real_heads:model={model}")
    layers, heads = weights_of(model, SENTENCES[0])[2].shape[:2]
    banks = 2 if layers == 30 else 1
    canvas = widget.locator(".tl-wall canvas")
    box = canvas.bounding_box()
    for layer, head in [(0, 0), (layers - 1, heads - 1), (1, 3)]:
        column = head + heads * (layer * banks // layers)
        row = layer % (layers // banks)
        x = (column + 0.5) / heads / banks * box["width"]
        y = (row + 0.5) * banks / layers * box["height"]
        canvas.click(position={"x": x, "y": y})
        expect_torch(widget, model, SENTENCES[0], layer, head)
        frame = widget.locator(".tl-wall span").bounding_box()
        assert frame["x"] <= box["x"] + x <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"] + y <= frame["y"] + frame["height"]


def test_a_cell_says_what_is_gathered(widget_page):
    widget = widget_page("real_heads", fragment="#real_heads:model=translator,layer=1,head=0")
    widget.get_by_role("combobox", name="Sentence").select_option(index=1)
    widget.get_by_role("gridcell", name="query gato, key cat:").click()
    said = widget.locator(".tl-readout").inner_text()
    assert "0.96 of its weight to cat" in said

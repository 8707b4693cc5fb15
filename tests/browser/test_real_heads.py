"""Real heads on the static page: the wall and the open head are what torch computes."""

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.test_attention_explorer import alpha
from tests.chromium import SCREENS
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


@pytest.mark.slow  # the next tests open all three
@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_every_model_on_every_sentence(widget_page, home):
    widget = widget_page("real_heads", home=home)
    for model in ("SmolLM2", "translator", "MiniLM"):
        widget.get_by_role("radio", name=model).check()
        widget.get_by_role("slider", name="Layer").press("End")
        last = {"MiniLM": 5, "SmolLM2": 29, "translator": 1}[model]
        widget.get_by_role("slider", name="Head").press("Home")
        for number, sentence in enumerate(SENTENCES):
            widget.get_by_role("combobox", name="Sentence").select_option(index=number)
            expect_torch(widget, model, sentence, last, 0)


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


def test_a_head_is_opened_by_touch(widget_page):
    widget = widget_page("real_heads", **SCREENS["phone"])
    canvas = widget.locator(".tl-wall canvas")
    box = canvas.bounding_box()
    canvas.tap(position={"x": box["width"] * 7.5 / 12, "y": box["height"] * 2.5 / 6})
    expect_torch(widget, "MiniLM", SENTENCES[0], 2, 7)
    assert "It looks at the first token: 0." in widget.locator(".tl-habit").inner_text()


def test_it_says_what_a_head_is_fond_of(widget_page):
    widget = widget_page("real_heads")
    said = widget.locator(".tl-habit")
    expect(said).to_have_text("It looks at the token before: 1.00 of a token's weight, on average.")
    widget.get_by_role("slider", name="Head").press("Home")
    expect(said).to_contain_text("No clear habit. Most goes to ")
    widget.locator(".tl-numbers summary").click()
    table = widget.get_by_role("table", name="Where it looks, on average")
    table.wait_for()
    shares = [float(text) for text in table.locator("td").all_inner_texts() if text]
    assert f"{max(shares):.2f}" in said.inner_text()


def test_of_another_model_a_cell_is_chosen_that_has_most_of_its_row(widget_page):
    widget = widget_page("real_heads")
    readout, here = widget.locator(".tl-readout"), widget.locator(".tl-map .tl-here")
    expect(readout).to_contain_text("For cat this head takes 1.00 of what it gathers from the")
    for model in ("translator", "SmolLM2", "MiniLM"):
        widget.get_by_role("radio", name=model).check()
        for sentence in (1, 2, 0):
            widget.get_by_role("combobox", name="Sentence").select_option(index=sentence)
            rows = widget.get_by_role("row").filter(has=widget.page.locator(".tl-here"))
            shares = [float(text) for text in rows.get_by_role("gridcell").all_text_contents()]
            assert float(here.text_content()) == max(shares) > 0, (model, sentence)


def test_a_chosen_cell_stays_chosen_from_head_to_head(widget_page):
    widget = widget_page("real_heads")
    widget.get_by_role("gridcell", name="query mat, key on:").click()
    widget.get_by_role("slider", name="Head").press("ArrowRight")
    assert "mat" in widget.locator(".tl-readout .tl-query").inner_text()
    assert widget.locator(".tl-readout .tl-key").inner_text() == "on"


def test_a_cell_says_what_is_gathered(widget_page):
    widget = widget_page("real_heads", fragment="#real_heads:model=translator,layer=1,head=0")
    widget.get_by_role("combobox", name="Sentence").select_option(index=1)
    widget.get_by_role("gridcell", name="query gato, key cat:").click()
    said = widget.locator(".tl-readout").inner_text()
    assert said == "To write gato this head takes 0.96 of what it gathers from cat."

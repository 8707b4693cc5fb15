"""The attention explorer on the static page: what is drawn is what torch computes."""

import re

import pytest
import torch
from playwright.sync_api import expect

from tests.chromium import SCREENS
from tests.sweeps import few
from transformer_lab.widgets import AttentionExplorer
from transformer_lab.widgets.attention_explorer import TOKENS, values

PAGE = "/book/attention.html"
START = {"d_k": 16, "heads": 4, "length": 6, "scaled": True}
GRID = AttentionExplorer.grid()
LABELS = {"d_k": "Key width d_k", "heads": "Heads", "length": "Words"}


@pytest.fixture
def explorer(open_page, site):
    """Open the chapter and give the widget, drawn."""
    return drawn(open_page(site + PAGE))


def drawn(page):
    widget = page.locator(".tl-attention-explorer[data-widget]").first
    widget.scroll_into_view_if_needed()
    widget.locator(".tl-map").wait_for()
    return widget


def alpha(canvas):
    """Return the opacity of a canvas' pixels, row by row: 255 is a weight of 1."""
    return torch.tensor(
        canvas.evaluate(
            """canvas => {
                const { data, width } = canvas.getContext("2d")
                    .getImageData(0, 0, canvas.width, canvas.height);
                const pixel = (row, column) => data[4 * (row * width + column) + 3];
                const all = (count) => [...Array(count).keys()];
                return all(canvas.height).map(row => all(width).map(c => pixel(row, c)));
            }"""
        )
    )


def expect_torch(widget, *, head=0, **state):
    """Compare every picture of the widget with torch, pixel for pixel."""
    state = START | state
    heads = state.pop("heads")
    _, weights = AttentionExplorer(**state).weights_at(**state)
    expected = (weights * 255).round().int()
    assert torch.equal(alpha(widget.locator(".tl-canvas")).int(), expected[head])
    thumbs = widget.locator(".tl-thumb:visible")
    assert thumbs.count() == heads
    for i in range(heads):
        assert torch.equal(alpha(thumbs.nth(i).locator("canvas")).int(), expected[i])
    cells = widget.get_by_role("gridcell").all_inner_texts()
    assert [float(text) for text in cells] == pytest.approx(
        weights[head].flatten().tolist(), abs=0.5 / 255 + 0.005 + 1e-6
    )


@pytest.mark.parametrize("name", few(LABELS, "d_k"))
def test_each_stop_of_each_slider_by_keyboard(explorer, name):
    slider = explorer.get_by_role("slider", name=LABELS[name])
    slider.focus()
    slider.press("Home")
    for stop in GRID[name]:
        assert slider.get_attribute("aria-valuetext") == str(stop)
        assert explorer.locator(f"output[for='{slider.get_attribute('id')}']").inner_text() == str(
            stop
        )
        expect_torch(explorer, **{name: stop})
        slider.press("ArrowRight")


def test_without_scaling_and_back(explorer):
    explorer.get_by_role("slider", name="Key width d_k").press("End")
    explorer.get_by_role("checkbox", name="divide by √d_k").uncheck()
    expect_torch(explorer, d_k=64, scaled=False)
    explorer.get_by_role("button", name="Reset").click()
    expect_torch(explorer)


def test_a_head_is_opened_by_its_picture(explorer):
    explorer.get_by_role("button", name="head 3").click()
    expect_torch(explorer, head=2)
    heads = explorer.get_by_role("button", name="head").all()
    pressed = [head.get_attribute("aria-pressed") for head in heads]
    assert pressed == ["true" if n == 2 else "false" for n in range(len(heads))]
    # When the open head is taken away, the last that is left is opened.
    explorer.get_by_role("slider", name="Heads").press("Home")
    expect_torch(explorer, heads=1)
    expect(explorer.get_by_role("button", name="head")).to_have_count(1)


def readout(widget, query, key, head=0, **state):
    """Check the sentence about a cell, and the cell's name, against torch."""
    state = {k: v for k, v in (START | state).items() if k != "heads"}
    scores, weights = AttentionExplorer().weights_at(**state)
    score, weight = scores[head, query, key].item(), weights[head, query, key].item()
    text = widget.locator(".tl-readout").inner_text()
    start, number = text.split(": score ")
    assert start == f"Query {TOKENS[query]} meets key {TOKENS[key]}"
    formula, _, rest = number.partition(" = ")
    assert formula == (f"q·k / √{state['d_k']}" if state["scaled"] else "q·k")
    shown_score, rest = rest.split(", weight ")
    shown_weight, rest = rest.split(". In head ")
    assert float(shown_score) == pytest.approx(score, abs=0.005 + abs(score) / 1024)
    assert float(shown_weight) == pytest.approx(weight, abs=0.5 / 255 + 0.005)
    percent = round(100 * round(weight * 255) / 255)
    assert rest == (
        f"{head + 1}, {percent} % of the new {TOKENS[query]} is the value of {TOKENS[key]}."
    )


def test_a_cell_speaks_on_hover_and_keyboard(explorer):
    readout(explorer, 1, 0)
    cells = explorer.get_by_role("gridcell")
    cells.nth(2 * 6 + 4).hover()
    readout(explorer, 2, 4)
    cells.nth(2 * 6 + 4).click()
    before = explorer.page.evaluate("scrollY")
    explorer.page.keyboard.press("ArrowDown")
    readout(explorer, 3, 4)
    assert explorer.page.evaluate("scrollY") == before, "the page stays where it is"
    explorer.page.keyboard.press("End")
    readout(explorer, 3, 5)
    focused = explorer.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused.startswith("query on, key mat: weight ")
    # The chosen cell stays when the numbers change under it.
    explorer.get_by_role("checkbox").uncheck()
    readout(explorer, 3, 5, scaled=False)


def test_a_cell_speaks_on_tap(open_page, served):
    widget = drawn(open_page(served + PAGE, **SCREENS["phone"]))
    widget.get_by_role("gridcell").nth(8).tap()
    readout(widget, 1, 2)


def test_the_chosen_querys_row_is_drawn_as_arcs_and_numbers(widget_page):
    explorer = widget_page("attention_explorer")
    _, weights = AttentionExplorer().weights_at(16, 6, True)
    explorer.get_by_role("gridcell").nth(2 * 6 + 4).hover()
    arcs = explorer.locator(".tl-arcs")
    expected = weights[0, 2].tolist()
    shown = [float(text) for text in arcs.locator(".tl-share").all_text_contents()]
    assert shown == pytest.approx(expected, abs=0.5 / 255 + 0.005)
    widths = arcs.locator("path").evaluate_all(
        "all => all.map(p => +p.getAttribute('stroke-width'))"
    )
    assert [width / 9 for width in widths] == pytest.approx(expected, abs=0.51 / 255)
    assert arcs.get_attribute("aria-label").startswith("What sat reads: The 0.")
    assert arcs.locator("text.tl-query").text_content() == "sat"


def test_the_chosen_querys_new_vector_is_put_together_of_weighted_values(widget_page):
    explorer = widget_page("attention_explorer")
    _, weights = AttentionExplorer().weights_at(16, 6, True)
    explorer.get_by_role("gridcell").nth(2 * 6 + 4).hover()
    given = values(TOKENS[:6])
    stops = torch.cat([torch.zeros(1, 2), (weights[0, 2, :, None] * given).cumsum(0)])
    places = torch.tensor([170.0, 95.0]) + 78 * stops * torch.tensor([1.0, -1.0])

    def drawn(kind):
        path = explorer.locator(f".tl-adds .tl-{kind}").get_attribute("d")
        return torch.tensor([float(n) for n in re.findall(r"-?[\d.]+", path)]).view(-1, 2)

    torch.testing.assert_close(drawn("chain"), places, rtol=0, atol=0.6)
    torch.testing.assert_close(drawn("newest"), places[4:6], rtol=0, atol=0.6)
    torch.testing.assert_close(drawn("total"), places[[0, -1]], rtol=0, atol=0.6)


def test_a_function_in_trouble_speaks_and_the_last_picture_stays(widget_page):
    code = "AttentionExplorer(attention=lambda q, k, v: v if q.size(1) == 6 else q)"
    widget = widget_page("attention_explorer", "trouble", code)
    trouble = widget.get_by_role("alert")
    assert trouble.inner_text() == ""
    before = alpha(widget.locator(".tl-canvas"))
    assert torch.equal(before, 255 * torch.eye(6).int())
    words = widget.get_by_role("slider", name="Words")
    words.press("ArrowRight")
    assert "gave a tensor of shape (4, 7, 16), where (4, 7, 7) was expected" in trouble.inner_text()
    assert torch.equal(alpha(widget.locator(".tl-canvas")), before)
    widget.get_by_role("button", name="head 2").click()
    assert torch.equal(alpha(widget.locator(".tl-canvas")), before)
    words.press("ArrowLeft")
    assert trouble.inner_text() == ""

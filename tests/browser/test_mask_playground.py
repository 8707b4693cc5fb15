"""The mask playground on the static page: what is drawn and said is what torch computes."""

import pytest
import torch

from tests.browser.canvas import alpha
from tests.sweeps import few
from transformer_lab.widgets import MaskPlayground
from transformer_lab.widgets.mask_playground import weigh

FILLS = MaskPlayground.fill.stops


def expect_torch(widget, kind, length, fill):
    """Compare the three pictures with torch, pixel for pixel, and their numbers."""
    playground = MaskPlayground()
    queries, keys, hidden = playground.reasons(kind, length)
    scores, weights = weigh(queries, keys, hidden == 0, fill)
    weights = weights.half().float()
    painted = {
        0: (hidden == 0).float(),
        1: scores.half().abs().clamp(max=3).float() / 3,
        2: torch.cat([weights, weights.sum(-1, keepdim=True)], -1).nan_to_num().clamp(max=1),
    }
    if fill != "0 after softmax":
        painted[1] = painted[1].masked_fill(hidden > 0, 0)
    for number, expected in painted.items():
        drawn = alpha(widget.locator(".tl-canvas").nth(number))
        torch.testing.assert_close(drawn.double(), 255 * expected.double(), rtol=0, atol=0.51)
    grid = widget.get_by_role("grid", name="The weights")
    shown = [float(t.replace("NaN", "nan")) for t in grid.get_by_role("gridcell").all_inner_texts()]
    expected = torch.cat([weights, weights.sum(-1, keepdim=True)], -1).flatten()
    torch.testing.assert_close(torch.tensor(shown), expected, rtol=0, atol=0.00501, equal_nan=True)


@pytest.mark.parametrize("kind", few(MaskPlayground.kind.stops, "causal + padding", "cross"))
@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_every_mask_in_every_way_of_hiding(widget_page, home, kind):
    widget = widget_page("mask_playground", home=home)
    widget.get_by_role("radio", name=kind, exact=True).check()
    for fill in FILLS:
        widget.get_by_role("radio", name=fill).check()
        expect_torch(widget, kind, 6, fill)


def choose(widget, grid, row, column):
    cells = widget.get_by_role("grid", name=grid).get_by_role("row").nth(row + 1)
    cells.get_by_role("gridcell").nth(column).click()
    return widget.locator(".tl-readout").inner_text()


def test_hiding_after_the_softmax_is_called_a_leak(widget_page):
    widget = widget_page("mask_playground", fragment="#mask_playground:fill=0 after softmax")
    assert "a leak" in choose(widget, "The mask", 1, 0)
    assert "leak" not in choose(widget, "The mask", 5, 0), "from the last word nothing is hidden"
    last = widget.get_by_role("grid", name="The weights").get_by_role("row").last
    for column, weight in enumerate(last.get_by_role("gridcell").all_inner_texts()[:-1]):
        assert f"its weight 0{weight}." in choose(widget, "The weights", 5, column)


def test_a_learners_mask_that_lets_the_future_through_is_called_a_leak(widget_page):
    code = "MaskPlayground(mask=lambda n: __import__('torch').ones(n, n).triu().bool())"
    widget = widget_page("mask_playground", "upside-down", code)
    assert "a leak" in choose(widget, "The mask", 1, 2)
    assert "your function hides it" in choose(widget, "The mask", 2, 1)

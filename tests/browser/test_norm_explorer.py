"""The norm explorer on the static page: numbers, colours, frames and sums are torch's."""

import re

import pytest
import torch

from tests.browser.canvas import alpha
from tests.browser.test_every_widget import state
from tests.sweeps import few
from transformer_lab.widgets import NormExplorer

STEM = "norm_explorer"


def expect_torch(widget):
    """Compare both tables, cell by cell, with torch; return what torch has."""
    frame = NormExplorer(**state(widget, STEM)).frame
    for number, name in enumerate(("before", "after")):
        expected = torch.tensor(frame[name])
        drawn = alpha(widget.locator(".tl-canvas").nth(number)).float()
        painted = 255 * (expected.abs() / 3).clamp(max=1)
        torch.testing.assert_close(drawn, painted, rtol=0, atol=0.51)
        cells = widget.get_by_role("grid").nth(number).get_by_role("gridcell").all_inner_texts()
        for shown, value in zip(cells, expected.flatten().tolist(), strict=True):
            assert float(shown) == pytest.approx(
                value, abs=0.00501 if abs(value) < 99.99 else 0.501
            )
    cat = torch.tensor(frame["after"][1])
    said = widget.locator(".tl-summary").inner_text()
    mean, square = map(float, re.findall(r"-?\d+\.\d\d", said)[:2])
    assert mean == pytest.approx(cat.mean().item(), abs=0.00501)
    assert square == pytest.approx(cat.square().mean().sqrt().item(), abs=0.00501)
    return frame


def choose(widget, row, column):
    """Choose a number of the second table; return the sum that is told, and what is framed."""
    cells = widget.get_by_role("grid").nth(1).get_by_role("gridcell")
    cells.nth(4 * row + column).click()
    before = widget.get_by_role("grid").first.get_by_role("gridcell")
    classes = before.evaluate_all("all => all.map(cell => cell.className)")
    framed = [place for place, names in enumerate(classes) if "tl-averaged" in names]
    return widget.locator(".tl-readout").inner_text(), framed


@pytest.mark.parametrize("home", few(["http", "file"], "http"))
@pytest.mark.parametrize("norm", NormExplorer.norm.stops)
def test_every_norm_wherever_the_sliders_stand(widget_page, home, norm):
    widget = widget_page(STEM, home=home)
    widget.get_by_role("radio", name=norm).check()
    expect_torch(widget)
    for label in ("cat, feature 2", "cat, all times", "cat, all plus", "γ of feature 2", "ε"):
        widget.get_by_role("slider", name=label).press("End")
        expect_torch(widget)
    widget.get_by_role("slider", name="β of feature 2").press("PageUp")
    widget.get_by_role("radio", name="A … fled").check()
    expect_torch(widget)


@pytest.mark.parametrize("norm", NormExplorer.norm.stops)
def test_a_chosen_number_is_worked_out_and_what_it_averages_is_framed(widget_page, norm):
    where = f"#{STEM}:norm={norm},gamma=2,beta=-1.5,eps=1"
    widget = widget_page(STEM, fragment=where)
    frame = expect_torch(widget)
    for row, column in [(1, 1), (0, 1), (2, 3)]:
        told, framed = choose(widget, row, column)
        group = [4 * row + j for j in range(4)]
        if norm == "BatchNorm":
            group = [4 * i + column for i in range(3)]
        assert framed == group
        assert told.startswith(f"{frame['tokens'][row]}, feature {column + 1}: ")
        numbers = re.findall(r"-?\d+\.\d\d", told)
        x, mean, root, gamma, beta, result = map(float, numbers)
        right = [2, 0 if norm == "RMSNorm" else -1.5] if column == 1 else [1, 0]
        assert [gamma, beta] == right
        assert x == pytest.approx(frame["before"][row][column], abs=0.00501)
        assert result == pytest.approx((x - mean) / root * gamma + beta, abs=0.03)
        assert result == pytest.approx(frame["after"][row][column], abs=0.00501)
        assert told.count("RMSNorm has no mean and no β.") == (norm == "RMSNorm")


def test_a_learners_function_is_shown_beside_what_is_right(widget_page):
    code = "NormExplorer(layer_norm=lambda x, weight, bias, eps: (x - x.mean(-1, True)))"
    widget = widget_page(STEM, "own", code)
    assert "by up to 7.2" in widget.inner_text()
    assert "= 1.12 (yours: 7.08)" in choose(widget, 1, 1)[0]
    alert = widget.get_by_role("alert")
    slider = widget.get_by_role("slider", name="cat, feature 2")
    slider.press("End")
    assert "needs Python" in alert.inner_text()
    assert widget.get_by_role("grid").nth(1).get_by_role("gridcell").nth(5).inner_text() == "7.08"
    widget.get_by_role("radio", name="RMSNorm").check()
    assert alert.inner_text() == ""
    widget.get_by_role("button", name="Reset").click()
    assert "(yours: 7.08)" in widget.locator(".tl-readout").inner_text()

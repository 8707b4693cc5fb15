"""The position explorer on the page: its pictures are torch's numbers, pixel for pixel."""

import re

import pytest
import torch

from tests.browser.canvas import alpha
from tests.sweeps import few
from transformer_lab.widgets import PositionExplorer
from transformer_lab.widgets.position_explorer import SENTENCES

KINDS = PositionExplorer.kind.stops
TOP, BOTTOM, LEFT, RIGHT = 24, 156, 44, 330  # the frame that the kit's charts draw in


def line(svg, kind):
    """Read a drawn line back: its points from 0 to 1, across and up."""
    d = svg.locator(f"path.tl-s{kind}").get_attribute("d")
    points = re.findall(r"[ML]([-\d.e]+) ([-\d.e]+)", d)
    x, y = torch.tensor([[float(number) for number in point] for point in points]).T
    return torch.stack([(x - LEFT) / (RIGHT - LEFT), (BOTTOM - y) / (BOTTOM - TOP)], -1)


def expect_torch(widget, *, length=32, feature=6, **at):
    """Compare the four pictures with torch."""
    explorer = PositionExplorer(**at)
    at = {name: getattr(explorer, name) for name in explorer.axes()}
    table = explorer.table(**at)[:length]
    if at["kind"] == "rotary":
        table = table[:, :length]
    fades = at["kind"] == "ALiBi"
    low, high = (-length / 2, 0) if fades else (-1, 1)
    drawn = alpha(widget.locator(".tl-table canvas"))
    expected = 255 * (table.half().float().abs() / -low).clamp(max=1)
    torch.testing.assert_close(drawn.float(), expected, rtol=0, atol=0.51)

    column = min(feature, table.size(1) - 1)
    curve, reads, wave = widget.locator(".tl-chart").all()
    x = torch.arange(length) / (length - 1)
    y = (table[:, column] - low) / (high - low)
    torch.testing.assert_close(line(wave, 0), torch.stack([x, y], -1), rtol=0, atol=1e-3)

    for number, values in enumerate(explorer.curves(**at).values()):
        near = values[64 - length : 63 + length]
        x, seen = torch.linspace(0, 1, len(near)), near.isfinite()
        y = (near - low) / (high - low)
        expected = torch.stack([x, y], -1)[seen]
        torch.testing.assert_close(line(curve, number), expected, rtol=0, atol=1e-3)

    for number, words in enumerate(SENTENCES):
        weights = explorer.weights(words, **at)[words.index("dog")]
        heights = [weights[words.index(word)].item() for word in SENTENCES[0]]
        bars = reads.locator(f"rect.tl-s{number}").evaluate_all(
            "all => all.slice(0, 3).map(bar => Number(bar.getAttribute('height')))"
        )
        assert [bar / (BOTTOM - TOP) for bar in bars] == pytest.approx(heights, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_every_way_at_the_start(widget_page, home, kind):
    widget = widget_page("position_explorer", home=home)
    widget.get_by_role("radio", name=kind).check()
    expect_torch(widget, kind=kind)


def test_controls_are_called_by_what_they_are_and_those_without_a_part_are_off(widget_page):
    widget = widget_page("position_explorer")
    for kind, name, used in [
        ("ALiBi", "Head", {"feature"}),
        ("rotary", "Key", {"base", "d_model", "feature"}),
        ("none", "Feature", set()),
        ("sinusoidal", "Feature", {"base", "d_model", "feature"}),
    ]:
        widget.get_by_role("radio", name=kind).check()
        widget.get_by_role("slider", name=name, exact=True).wait_for()
        for control in ("base", "d_model", "feature"):
            slider = widget.locator(f"[data-name={control}] input")
            assert slider.is_enabled() == (control in used), (kind, control)
    widget.get_by_role("radio", name="ALiBi").check()
    heads = widget.get_by_role("slider", name="Head", exact=True)
    heads.press("End")
    assert heads.input_value() == "7"


def test_a_clicked_column_is_drawn_as_a_wave(widget_page):
    widget = widget_page("position_explorer")
    box = widget.locator(".tl-table")
    width = box.bounding_box()["width"]
    for column in (0, 12, 31):
        box.click(position={"x": (column + 0.5) * width / 32, "y": 50})
        expect_torch(widget, feature=column)
        assert widget.get_by_role("slider", name="Feature", exact=True).input_value() == str(column)
        mark = box.locator("div").bounding_box()
        left = mark["x"] - box.bounding_box()["x"]
        assert left == pytest.approx(column * width / 32, abs=1)

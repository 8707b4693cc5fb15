"""The clocks on the page: hands point where torch says, and Play turns them."""

import re

import pytest
from playwright.sync_api import expect

from transformer_lab.widgets import PositionClocks


def hands(widget):
    """Read the angle of each hand, position by position."""
    styles = widget.locator(".tl-clocks path").evaluate_all(
        "all => all.map(p => p.style.transform)"
    )
    angles = [float(re.search(r"rotate\((.*)rad\)", style)[1]) for style in styles]
    return [angles[i : i + 4] for i in range(0, 24, 4)]


@pytest.mark.parametrize("apart", [1, 1000])
def test_the_hands_turn_as_torch_says(widget_page, apart):
    widget = widget_page("position_clocks", fragment=f"#position_clocks:position=9,apart={apart}")
    expected = PositionClocks(position=9, apart=apart).frame["angles"]
    for shown, row in zip(hands(widget), expected, strict=True):
        assert shown == pytest.approx(row, abs=1e-4)


def test_play_turns_them(widget_page):
    widget = widget_page("position_clocks")
    widget.get_by_role("button", name="Play").click()
    position, three = widget.get_by_role("slider", name="Position"), re.compile(r"^([3-9]|\d\d+)$")
    expect(position).to_have_attribute("aria-valuetext", three)  # or later, if it turns unseen
    widget.get_by_role("button", name="Pause").click()
    assert hands(widget)[0][0] >= 3

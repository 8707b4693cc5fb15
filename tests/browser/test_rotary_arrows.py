"""The arrows on the page: dragged by pointer and finger, turned by keyboard and by positions."""

import math

import pytest

from tests.browser.test_every_widget import is_torchs, read
from tests.chromium import SCREENS

STEM = "rotary_arrows"


def place(widget, circle, degrees, share=0.85):
    """Give the point of the screen in this direction from the middle of a circle."""
    rim = widget.locator("circle.tl-rule").nth(circle).bounding_box()
    x, y, r = rim["x"] + rim["width"] / 2, rim["y"] + rim["height"] / 2, rim["width"] / 2
    angle = math.radians(degrees)
    return x + share * r * math.cos(angle), y - share * r * math.sin(angle)


def score(widget):
    return widget.locator(".tl-readout").inner_text().split("score of ")[1]


def test_a_dragged_arrow_points_to_the_pointer_however_it_is_turned(widget_page):
    widget = widget_page(STEM, fragment=f"#{STEM}:before=40,distance=2")
    mouse = widget.page.mouse
    mouse.move(*place(widget, 2, 110 + math.degrees(0.42)))  # the slow query
    mouse.down()
    for degrees in (90, 10, -120, 175):
        mouse.move(*place(widget, 2, degrees), steps=3)
        is_torchs(widget, STEM)
        x, y = read(widget, ["frame"])["frame"]["query"][4:]
        off = (math.degrees(math.atan2(y, x)) - degrees + 180) % 360 - 180
        assert abs(off) < 2
    mouse.up()
    at = read(widget, ["arrows"])
    mouse.move(*place(widget, 2, 30))
    assert read(widget, ["arrows"]) == at, "it was let go"
    assert [arrow[:2] for arrow in at["arrows"]] == [["query", "slow"]]


def test_a_finger_drags_an_arrow_and_the_page_stays(widget_page):
    widget = widget_page(STEM, **SCREENS["phone"] | {"has_touch": True})
    widget.locator(".tl-circles").scroll_into_view_if_needed()
    session, before = (
        widget.page.context.new_cdp_session(widget.page),
        widget.page.evaluate("scrollY"),
    )
    for kind, degrees in [("touchStart", 35), ("touchMove", 60), ("touchMove", 130)]:
        x, y = place(widget, 1, degrees)  # the middle key
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    [[name, pair, angle]] = read(widget, ["arrows"])["arrows"]
    assert (name, pair) == ("key", "middle")
    assert angle == pytest.approx(130, abs=3)
    assert widget.page.evaluate("scrollY") == before


def test_words_before_keep_the_score_and_the_distance_changes_it(widget_page):
    widget = widget_page(STEM)
    start = score(widget)
    widget.get_by_role("slider", name="Words before the sentence").press("End")
    assert score(widget) == start
    widget.get_by_role("slider", name="Distance").press("ArrowRight")
    assert score(widget) != start
    is_torchs(widget, STEM)


def test_the_keyboard_turns_the_chosen_arrow(widget_page):
    widget = widget_page(STEM)
    widget.get_by_role("combobox", name="Turn one arrow").select_option("key, slow")
    widget.get_by_role("slider", name="Its direction").press("ArrowRight")
    assert read(widget, ["arrows"])["arrows"] == [["key", "slow", 45]]
    is_torchs(widget, STEM)

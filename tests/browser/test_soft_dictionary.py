"""The soft dictionary on the static page: wherever the query is dragged, torch's answer shows."""

import re

import pytest
import torch

from tests.browser.test_every_widget import state
from tests.chromium import SCREENS
from tests.sweeps import few
from transformer_lab.widgets import SoftDictionary
from transformer_lab.widgets.soft_dictionary import SHELF

STOPS = SoftDictionary.temperature.stops

STEM = "soft_dictionary"


def expect_torch(widget):
    """Compare all that is drawn with torch; return where the controls stand."""
    at = state(widget, STEM)
    q = torch.tensor([at["fruit"], at["furniture"]], dtype=torch.float)
    scores = torch.tensor(SHELF["keys"]) @ q
    weights = (scores / at["temperature"]).softmax(-1)
    answer = weights @ torch.tensor(SHELF["values"])
    shelf = widget.locator(".tl-shelf tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    assert [row[0] for row in shelf[1:]] == [*SHELF["names"], "answer"]
    assert float(shelf[-1][-1]) == pytest.approx(answer.item(), abs=0.00501)
    for column, expected in {1: scores, 2: weights}.items():
        shown = [float(row[column]) for row in shelf[1:-1]]
        assert shown == pytest.approx(expected.tolist(), abs=0.00501)
    bars = widget.locator(".tl-shelf i").evaluate_all(
        "bars => bars.map(bar => bar.offsetWidth / bar.parentElement.clientWidth)"
    )
    assert [bar / sum(bars) for bar in bars] == pytest.approx(weights.tolist(), abs=0.04)
    line = widget.locator("svg[aria-hidden]")
    radii = line.locator("circle").evaluate_all("all => all.map(c => Number(c.getAttribute('r')))")
    assert [((r - 1) / 9) ** 2 for r in radii] == pytest.approx(weights.tolist(), abs=1e-4)
    pointer = re.match(r"M(\S+) ", line.locator("path").last.get_attribute("d"))[1]
    assert (float(pointer) - 14) / 26 == pytest.approx(answer.item(), abs=1e-4)
    handle = widget.locator(".tl-handle").get_attribute("transform")
    x, y = map(float, re.findall(r"[-\d.]+", handle))
    assert [(x - 170) / 30, (170 - y) / 30] == pytest.approx(q.tolist(), abs=1e-5)
    return at


def place(widget, fruit, furniture):
    """Give the point of the screen where a query lies."""
    box = widget.get_by_role("img").first.bounding_box()
    unit = box["width"] / 340
    return box["x"] + unit * (170 + 30 * fruit), box["y"] + unit * (170 - 30 * furniture)


def test_a_dragged_query_is_answered_all_the_way(widget_page):
    widget = widget_page(STEM)
    mouse = widget.page.mouse
    mouse.move(*place(widget, 4, -1.5))
    mouse.down()
    for fruit, furniture in [(3, -1), (0, 3), (-4.5, 4.5), (-2.5, -2.5)]:
        mouse.move(*place(widget, fruit, furniture), steps=3)
        at = expect_torch(widget)
        assert (at["fruit"], at["furniture"]) == pytest.approx((fruit, furniture), abs=0.11)
    mouse.move(*place(widget, 9, -9))
    at = expect_torch(widget)
    assert (at["fruit"], at["furniture"]) == (5, -5), "it stays on the plane"
    mouse.up()
    mouse.move(*place(widget, 0, 0))
    assert expect_torch(widget) == at, "it was let go"


def test_a_tap_moves_the_query_and_a_finger_drags_it(widget_page):
    widget = widget_page(STEM, **SCREENS["phone"] | {"has_touch": True})
    widget.get_by_role("img").first.scroll_into_view_if_needed()
    widget.page.touchscreen.tap(*place(widget, -2, 3))
    at = expect_torch(widget)
    assert (at["fruit"], at["furniture"]) == pytest.approx((-2, 3), abs=0.11)
    session = widget.page.context.new_cdp_session(widget.page)
    before = widget.page.evaluate("scrollY")
    touches = [("touchStart", (-2, 3)), ("touchMove", (0, 1)), ("touchMove", (1, -4))]
    for kind, where in touches:
        x, y = place(widget, *where)
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    at = expect_torch(widget)
    assert (at["fruit"], at["furniture"]) == pytest.approx((1, -4), abs=0.11)
    assert widget.page.evaluate("scrollY") == before, "the page stays where it is"


@pytest.mark.parametrize("temperature", few(STOPS, STOPS[0]))
def test_every_temperature_is_drawn(widget_page, temperature):
    where = f"#{STEM}:fruit=1.5,furniture=1.3,temperature={temperature:g}"
    assert expect_torch(widget_page(STEM, fragment=where))["temperature"] == temperature


def test_a_learners_softmax_is_never_replaced_by_ours(widget_page):
    widget = widget_page(STEM, "own", "SoftDictionary(softmax=lambda s: (2 * s).softmax(-1))")
    weight = widget.locator(".tl-shelf tr").nth(1).locator("td").nth(1)
    assert weight.inner_text() == "0.69"
    widget.get_by_role("slider", name="Temperature").press("Home")
    assert weight.inner_text() == "1.00"
    widget.get_by_role("slider", name="Fruit").press("End")
    told = "Your softmax needs Python: it is shown here only for the query (4,-1.5)."
    assert widget.get_by_role("alert").inner_text() == told
    widget.get_by_role("button", name="Reset").click()
    assert widget.get_by_role("alert").inner_text() == ""
    assert weight.inner_text() == "0.69"

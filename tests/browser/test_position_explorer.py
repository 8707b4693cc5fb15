"""The position explorer on the page: its pictures are torch's numbers, pixel for pixel."""

import re

import pytest
import torch
from playwright.sync_api import expect

from tests.browser.test_attention_explorer import alpha
from tests.sweeps import few
from transformer_lab.widgets import PositionExplorer
from transformer_lab.widgets.position_explorer import SENTENCES

KINDS = PositionExplorer.kind.stops
TOP, BOTTOM, LEFT, RIGHT = 18, 156, 44, 330  # the frame that the kit's charts draw in


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


@pytest.mark.parametrize("kind", few(KINDS, *KINDS[:2]))
@pytest.mark.parametrize(
    "at", [{"length": 8, "d_model": 4, "base": 10.0}, {"length": 64, "d_model": 64, "feature": 63}]
)
def test_every_way_at_the_ends_of_the_sliders(widget_page, at, kind):
    where = ",".join(f"{name}={value:g}" for name, value in at.items())
    widget = widget_page("position_explorer", fragment=f"#position_explorer:kind={kind},{where}")
    expect_torch(widget, kind=kind, **at)


def test_what_is_negative_has_another_colour(widget_page):
    widget = widget_page("position_explorer")
    red = widget.locator(".tl-table canvas").evaluate("""canvas => [...canvas.getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height).data].filter((_, i) => i % 4 === 0)""")
    table = PositionExplorer().table("sinusoidal", 32, 10_000.0)[:32].flatten()
    sure = table.abs() > 0.1
    assert torch.equal((torch.tensor(red) > 100)[sure], (table < 0)[sure])


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


@pytest.mark.parametrize(
    ("kind", "told", "dog"),
    [
        ("none", "Feature 6, the marked column.", "the same."),
        ("sinusoidal", "Feature 6, the marked column: one wave is 35.3 positions long.", "not the"),
        ("rotary", "Feature 6, the marked column: one wave is 35.3 positions long.", "not the"),
        ("ALiBi", "Head 6, the marked column.", "not the same."),
    ],
)
def test_it_says_what_is_seen(widget_page, kind, told, dog):
    widget = widget_page("position_explorer", fragment=f"#position_explorer:kind={kind}")
    assert widget.get_by_text(told, exact=True).is_visible()
    assert widget.get_by_text(f"and in “man bites dog”: {dog}").is_visible()


def test_a_feature_beyond_the_last_shows_the_last(widget_page):
    fragment = "#position_explorer:d_model=4,feature=20"
    widget = widget_page("position_explorer", fragment=fragment)
    assert widget.get_by_text("Feature 3, the last: one wave is 628.3 positions long.").is_visible()


def test_the_tables_hold_what_is_drawn(widget_page):
    fragment = "#position_explorer:kind=ALiBi,length=8"
    widget = widget_page("position_explorer", fragment=fragment)
    widget.locator(".tl-numbers summary").click()
    tables = widget.get_by_role("table")
    expect(tables).to_have_count(4)
    first = tables.nth(0).locator("tbody tr").nth(7).locator("td").all_inner_texts()
    assert [float(cell) for cell in first] == pytest.approx(
        [-7 / 2**head for head in range(1, 9)], abs=0.00501
    )
    rows = tables.nth(1).locator("tbody tr")
    assert rows.count() == 15
    assert rows.nth(0).locator("td").all_inner_texts() == ["-3.50", "-0.44", "-0.03"]
    assert rows.nth(14).locator("td").all_inner_texts() == ["hidden"] * 3

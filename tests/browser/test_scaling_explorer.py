"""The scaling explorer on the static page: hills, bars and averages are torch's."""

import math
import re

import pytest
import torch

from tests.sweeps import few
from transformer_lab.widgets import ScalingExplorer
from transformer_lab.widgets.scaling_explorer import WIDTHS, dot_products

STEM = "scaling_explorer"
TOP, BOTTOM = 24, 156  # of a chart, where 1 and 0 are


@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_every_width_and_query_is_drawn(widget_page, home):
    widget = widget_page(STEM, home=home)
    widths, queries = (widget.get_by_role("slider", name=n) for n in ("Key width d_k", "Query"))
    widths.press("Home")
    for i, d_k in enumerate(WIDTHS):
        query = i % 8 + 1
        queries.fill(str(query - 1))
        expect_torch(widget, d_k, query)
        widths.press("ArrowRight")


def expect_torch(widget, d_k, query):
    hills, bars = widget.get_by_role("img").all()[:2]
    raw = dot_products()[d_k]
    columns = widget.locator(".tl-effects tr").evaluate_all(
        "rows => rows.slice(1).map(row => [...row.cells].slice(1).map(c => Number(c.textContent)))"
    )
    averages = torch.tensor(columns).T
    for series, scores in enumerate((raw, raw / math.sqrt(d_k))):
        weights = scores.softmax(-1)
        heights = bars.locator(f"rect.tl-s{series}").evaluate_all(
            "all => all.map(bar => Number(bar.getAttribute('height')))"
        )[:10]
        drawn = torch.tensor(heights) / (BOTTOM - TOP)
        torch.testing.assert_close(drawn, weights[query - 1], rtol=0, atol=0.51 / 255)
        path = hills.locator(f"path.tl-s{series}").get_attribute("d")
        points = torch.tensor([[*map(float, p.split())] for p in re.split("[ML]", path)[1:]])
        counts = torch.stack(
            [((low <= scores) & (scores < low + 2)).sum() for low in range(-61, 61, 2)]
        )
        hill = (BOTTOM - points[:, 1]) / (BOTTOM - TOP)
        torch.testing.assert_close(hill, counts / counts.max(), rtol=0, atol=1e-3)
        torch.testing.assert_close(points[:, 0], torch.linspace(44, 330, 61), rtol=0, atol=1e-3)
        entropy = -(weights * weights.clamp(min=1e-30).log()).sum(-1)
        expected = torch.stack([scores.std(), weights.amax(-1).mean(), entropy.mean()])
        torch.testing.assert_close(averages[series][:3], expected, rtol=0, atol=0.0052)
    told = ScalingExplorer(d_k=d_k).frame
    assert averages[:, 3].tolist() == pytest.approx(told["response"], abs=0.0051)
    assert averages[:, 4].tolist() == pytest.approx(told["saturated"], abs=0.0051)


def test_a_learners_scale_stands_in_the_place_of_ours(widget_page):
    widget = widget_page(STEM, "own", "ScalingExplorer(scale=lambda scores, d_k: scores / d_k)")
    heads = widget.locator(".tl-effects tr").first.get_by_role("columnheader").all_inner_texts()
    assert heads == ["over 2,000 queries", "not divided", "your own"]
    measures = widget.locator(".tl-effects").get_by_role("rowheader")
    assert measures.count() == 5
    assert widget.locator(".tl-effects tr").nth(3).locator("td").last.inner_text() == "2.30"

"""The mask playground on the static page: what is drawn and said is what torch computes."""

import re
from urllib.parse import quote

import pytest
import torch

from tests.browser.test_attention_explorer import alpha
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


def test_with_forced_colours_hidden_cells_stay_hatched_and_numbers_readable(widget_page):
    widget = widget_page("mask_playground", forced_colors="active", color_scheme="dark")
    cell = widget.get_by_role("grid", name="The scores").locator(".tl-blocked").first
    hatch, ink = cell.evaluate("""cell => {
        const { backgroundImage, color } = getComputedStyle(cell);
        return [backgroundImage, color];
    }""")
    assert "gradient" in hatch
    soft = widget.evaluate("""widget => {
        const probe = document.createElement("i");
        probe.style.cssText = "color: var(--tl-soft); forced-color-adjust: none";
        widget.querySelector(".tl-body").append(probe);
        return getComputedStyle(probe).color;
    }""")
    assert ink == soft, "the ink that the picture was made for"


WHY = [
    ("causal", 1, 2, "May cat see eats? No: it comes later."),
    ("causal", 2, 2, "May eats see eats? Yes: a word may see itself."),
    ("causal", 2, 0, "May eats see The? Yes: it came before."),
    ("padding", 0, 3, "May The see fish? Yes: it is a word, before or after."),
    ("padding", 0, 5, "May The see <pad>? No: the key is padding."),
    ("causal + padding", 1, 5, "May cat see <pad>? No: the key is padding, and it comes later."),
    ("window", 4, 1, "No: it is 3 words back, and the window is 3 wide."),
    ("window", 1, 2, "May cat see eats? No: it comes later."),
    ("window", 4, 2, "May and see eats? Yes: it came before."),
    ("cross", 1, 3, "May gato see fish? Yes: every word of the one may see every word of the oth"),
    ("cross", 4, 4, "May <pad> see <pad>? No: the key is padding."),
    ("padding", 5, 0, "May <pad> see The? Yes: only keys are hidden, for nobody reads the row"),
    ("cross", 4, 0, "May <pad> see The? Yes: only keys are hidden, for nobody reads the row"),
]  # fmt: skip


@pytest.mark.parametrize("asked", few(WHY, WHY[0], WHY[6], WHY[-1]))
def test_a_chosen_cell_says_whether_and_why(widget_page, asked):
    kind, row, column, said = asked
    widget = widget_page("mask_playground", fragment=f"#mask_playground:kind={quote(kind)}")
    for grid in ("The mask", "The scores", "The weights"):
        told = choose(widget, grid, row, column)
        assert said in told
        names = widget.locator(".tl-here").evaluate_all("all => all.map(c => c.ariaLabel)")
        assert len(names) == 3
        assert len({name.split(":")[0] for name in names}) == 1, "the same cell in all pictures"
        weight = re.search(r"its weight (\S+)\. ", told)[1]
        assert names[2].split()[-1] == (weight.removeprefix("0") or "0")


@pytest.mark.parametrize(
    ("fill", "summary", "said"),
    [
        (
            "-inf before softmax",
            "2 rows of weights are NaN.",
            "divides 0 by 0, and all of it is NaN",
        ),
        (
            "-1e9 before softmax",
            "Every row of weights adds up to 1.",
            "shares it evenly among what",
        ),
        ("0 after softmax", "6 rows of weights do not add up to 1.", "its weights are 0."),
        ("both", "2 rows of weights do not add up to 1.", "its weights are 0."),
    ],
)
def test_a_row_that_hides_everything(widget_page, fill, summary, said):
    where = f"#mask_playground:kind={quote('causal + left padding')},fill={fill}"
    widget = widget_page("mask_playground", fragment=where)
    assert summary in widget.locator(".tl-summary").inner_text()
    assert said in choose(widget, "The weights", 0, 0)


def test_hiding_after_the_softmax_is_called_a_leak(widget_page):
    widget = widget_page("mask_playground", fragment="#mask_playground:fill=0 after softmax")
    assert "so what is left still depends on them: a leak" in choose(widget, "The mask", 1, 0)
    assert "leak" not in choose(widget, "The mask", 5, 0), "from the last word nothing is hidden"


def test_a_learners_mask_that_lets_the_future_through_is_called_a_leak(widget_page):
    code = "MaskPlayground(mask=lambda n: __import__('torch').ones(n, n).triu().bool())"
    widget = widget_page("mask_playground", "upside-down", code)
    assert "Yes, though it comes later: a leak." in choose(widget, "The mask", 1, 2)
    assert "No: your function hides it." in choose(widget, "The mask", 2, 1)

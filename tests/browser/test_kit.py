"""The shared kit on a toy widget: what no single widget is sure to use."""

import math

import pytest

from transformer_lab.widgets._base import Explorer
from transformer_lab.widgets._page import bake, linked
from transformer_lab.widgets._traits import Span, Stop, Words

TOY = """
import "./host.js";
import { chart } from "./charts.js";
import { widget } from "./kit.js";
import { bytes, h, halves, heatMap, number, shares } from "./pictures.js";

window.pictures = { bytes, halves, shares };
widget("toy", (ui) => {
  const lines = chart(), bars = chart();
  const map = heatMap(ui, { choose() {} }), text = h("p", { class: "text" });
  function draw({ y, tokens }) {
    text.textContent = y.map(number).join(" ");
    lines.draw({ label: "a line", x: [0, 1, 2, 3], low: 0, high: 4, xLabel: "x", yLabel: "y",
      mark: 2,
      series: [{ name: "y", y: [y[0], NaN, y[1], y[0]] }, { name: "z", y: [0, 0, 1, 1] }] });
    bars.draw({ label: "bars", x: tokens, series: [{ name: "y", y: tokens.map(() => y[0]) }],
      low: 0, high: 4, bars: true });
    map.draw({ label: "signs", rows: ["a"], columns: ["b", "c", "d", "e"],
      values: [-1, 2, NaN, -Infinity], scale: 2, blocked: [0, 0, 0, 1], say: () => "cell" });
    return "drawn";
  }
  const numbers = ({ y }) => [{ caption: "y", columns: ["", "y"], rows: y.map((v, i) => [i, v]) }];
  return { side: [text], main: [lines.element, bars.element, map.element], draw, numbers };
}, (state) => ({ y: [state.heat * state.by, state.tokens.length] }));
"""


class Toy(Explorer):
    """A number that is dragged, one that is chosen, and words: the page computes."""

    stem = "toy"
    heat = Span(0.5, 2.0, 1.0, step=0.25, label="Heat")
    by = Stop([1, 2], 1, label="By")
    tokens = Words(["a b c", "c b a"], label="Words")

    def frame_at(self, heat, by, tokens):
        return {"y": [heat * by, len(tokens)]}


@pytest.fixture
def toy(open_page):
    page = open_page("about:blank")
    page.add_script_tag(content=f"{{{linked(TOY)}}}")
    page.evaluate(
        """data => {
            const { render, compute } = transformerLab.widgets.toy;
            const blob = new Uint8Array();
            window.model = new transformerLab.Model({ ...data, blob }, {}, compute);
            window.close_ = render({ model, el: document.body, link: (state) => `#${state}` });
        }""",
        bake(Toy()),
    )
    return page


def test_only_what_a_grid_can_hold_is_baked():
    data = bake(Toy())
    assert (list(data["axes"]), data["free"]) == (["by", "tokens"], ["heat"])
    assert [[f["y"] for f in row] for row in data["frames"]] == [[[1, 3]] * 2, [[2, 3]] * 2]


@pytest.mark.parametrize("value", [0.4, 2.1, math.nan, "1", True, None])
def test_a_span_has_bounds(value):
    with pytest.raises(ValueError, match=r"heat .*0\.5 to 2\.0"):
        Toy(heat=value)
    assert Toy(heat=1).heat == 1.0


@pytest.mark.smoke
def test_a_dragged_number_is_computed_on_the_page(toy):
    slider = toy.get_by_role("slider", name="Heat")
    assert [slider.get_attribute(n) for n in ("min", "max", "step")] == ["0.5", "2", "0.25"]
    for key, shown in {"End": "2", "ArrowLeft": "1.75", "Home": "0.5"}.items():
        slider.press(key)
        assert slider.get_attribute("aria-valuetext") == shown
        assert toy.locator(".text").inner_text() == f"{float(shown):.2f} 3.00"
    toy.get_by_role("slider", name="By").press("End")
    assert toy.locator(".text").inner_text() == "1.00 3.00"


def test_own_words_are_taken_where_the_page_computes(toy):
    field = toy.get_by_role("textbox")
    field.fill(" my   words ")
    field.press("Enter")
    assert toy.evaluate("model.get('tokens')") == ["my", "words"]
    select = toy.get_by_role("combobox", name="Words")
    assert select.evaluate("s => s.selectedOptions[0].textContent") == "my words"
    assert toy.locator(".text").inner_text() == "1.00 2.00"
    field.fill("a b c d")
    field.press("Enter")
    told = toy.get_by_role("alert")
    assert "2 to 3 words" in told.inner_text()
    assert toy.evaluate("model.get('tokens')") == ["my", "words"], "nothing is lost"
    toy.get_by_role("button", name="Reset").click()
    assert told.inner_text() == ""


def test_a_chart_draws_its_numbers_to_scale_and_leaves_out_what_is_none(toy):
    toy.get_by_role("slider", name="Heat").press("End")
    line = toy.get_by_role("img", name="a line")
    moves = line.locator("path.tl-s0").get_attribute("d")
    bottom, top = (line.locator(".tl-rule").nth(i).get_attribute("y1") for i in (0, -1))
    points = [tuple(map(float, p.split())) for p in moves.replace("L", "M").split("M")[1:]]
    assert moves.count("M") == 2, "a gap where there is no number"
    assert [x for x, _ in points] == pytest.approx([44, 44 + 286 * 2 / 3, 330])
    share = [(float(bottom) - y) / (float(bottom) - float(top)) for _, y in points]
    assert share == pytest.approx([2 / 4, 3 / 4, 2 / 4])
    bars = toy.get_by_role("img", name="bars").locator("rect")
    assert bars.count() == 3
    height = float(bars.first.get_attribute("height"))
    assert height / (float(bottom) - float(top)) == pytest.approx(2 / 4)


def test_a_signed_heat_map_tells_size_sign_and_what_is_no_number(toy):
    pixels = toy.locator(".tl-canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, 4, 1).data]"
    )
    (minus, plus, nan, blocked) = (pixels[i : i + 4] for i in range(0, 16, 4))
    assert [p[3] for p in (minus, plus, nan, blocked)] == [128, 255, 0, 0]
    assert minus[0] > minus[2], "negative is gold"
    assert plus[2] > plus[0], "positive is indigo"
    cells = toy.get_by_role("gridcell")
    assert cells.all_inner_texts() == ["-1.00", "2.00", "NaN", "-∞"]
    classes = cells.evaluate_all("all => all.map(c => c.className)")
    assert ["tl-nan" in c for c in classes] == [False, False, True, False]
    assert ["tl-blocked" in c for c in classes] == [False, False, False, True]


@pytest.mark.parametrize(
    ("bits", "number"),
    [(0x3C00, 1), (0xC000, -2), (0x3555, 0.333251953125), (0x0001, 2**-24), (0x7BFF, 65504),
     (0x8000, 0), (0x7C00, math.inf), (0xFC00, -math.inf), (0x7E00, math.nan)],
)  # fmt: skip
def test_half_precision_is_read_as_ieee_says(toy, bits, number):
    read = toy.evaluate(
        "bits => pictures.halves(new DataView(new Uint16Array([bits]).buffer))[0]", bits
    )
    assert read == pytest.approx(number, nan_ok=True)

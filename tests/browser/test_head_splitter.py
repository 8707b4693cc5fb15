"""The head splitter on the page: every number lies and says what the frame says."""

import itertools

import pytest

from tests.chromium import SETTLED
from tests.sweeps import few
from transformer_lab.widgets import HeadSplitter

HEADS, STEPS, WORDS = (HeadSplitter.grid()[name] for name in ("heads", "step", "word"))
T, D = len(WORDS), 8
CELLS = """svg => [...svg.querySelectorAll("g")].map((cell) => {
    const [x, y] = cell.style.transform.match(/[\\d.]+(?=px)/g).map(Number);
    return [x, y, Number(cell.querySelector(".tl-ink").style.opacity), cell.textContent];
})"""


def lanes(widget):
    """Read both pictures: for each number its place, how dark it is, and its text."""
    return [svg.evaluate(CELLS) for svg in widget.locator(".tl-lanes svg").all()]


def move(widget, **to):
    name, value = next(iter(to.items()))
    if name == "heads":
        slider = widget.get_by_role("slider", name="Heads")
        slider.press("Home")
        for _ in range(HEADS.index(value)):
            slider.press("ArrowRight")
    else:
        widget.get_by_role("radio", name=value, exact=True).check()


@pytest.mark.parametrize("heads", few(HEADS, 4))
@pytest.mark.parametrize("step", STEPS)
def test_every_number_lies_and_says_what_torch_says(widget_page, step, heads):
    widget = widget_page("head_splitter")
    move(widget, heads=heads)
    move(widget, step=step)
    K, late = D // heads, STEPS.index(step) >= 2
    for way, cells in zip(HeadSplitter(heads=heads).frame["ways"], lanes(widget), strict=True):
        order = way["places"] if step in ("split", "attend") else list(range(T * D))
        by_rows = [
            order[head * T * K + row * K + column]
            if step in ("split", "attend")
            else order[row * D + head * K + column]
            for row, head, column in itertools.product(range(T), range(heads), range(K))
        ]
        seen = sorted(range(T * D), key=lambda number: (cells[number][1], cells[number][0]))
        assert seen == by_rows, "from left to right, row after row"
        for number, (_, _, dark, text) in enumerate(cells):
            owner, column = divmod(number, D)
            share = way["heard"][step == "W_O"][number][1] if late else float(owner == 1)
            assert dark == share
            said = f"{share:.2f}".removeprefix("0") if late else ""
            assert text == f"{WORDS[owner][0]}{column}{said}"


def test_heads_lie_apart_only_while_they_are_apart(widget_page):
    widget = widget_page("head_splitter")
    for step, gaps in {"split": 1, "attend": 1, "merge": 0, "project": 0, "W_O": 0}.items():
        move(widget, step=step)
        for cells in lanes(widget):
            left = sorted({x for x, *_ in cells})
            steps = [b - a for a, b in itertools.pairwise(left)]
            assert len([s for s in steps if s > min(steps)]) == gaps
        titles = widget.locator(".tl-lanes svg > text").all_text_contents()
        assert titles.count("head 2") == 2 * gaps


@pytest.mark.parametrize(
    ("heads", "step", "wrong"),
    [
        (1, "split", "✓ Head 1 has numbers of every word."),
        (2, "split", "✗ Head 1 has numbers of The and cat only."),
        (8, "split", "✗ Head 1 has numbers of The only."),
        (2, "attend", "✗ cat is heard by numbers of The and cat only."),
        (8, "attend", "✗ cat is heard by numbers of cat only."),
        (2, "merge", "✗ cat is heard by The and cat only."),
        (4, "W_O", "✗ cat is heard by cat only."),
    ],
)
def test_each_way_is_judged_in_words(widget_page, heads, step, wrong):
    widget = widget_page("head_splitter", fragment=f"#head_splitter:heads={heads},step={step}")
    said = widget.locator(".tl-lanes p").all_inner_texts()
    subject = "Head 1 has" if step == "split" else "cat is heard by"
    numbers = "numbers of " if step in ("split", "attend") else ""
    assert said == [f"✓ {subject} {numbers}every word.", wrong]
    codes = widget.locator(".tl-lanes code").all_inner_texts()
    assert codes == [f"split_heads(x, {heads})", f"x.reshape({heads}, 4, {8 // heads})"]


@pytest.mark.parametrize("heads", few(HEADS, 2))
def test_a_row_is_named_by_what_it_holds(widget_page, heads):
    """And the verdict names the words whose numbers are seen to have some of the followed word."""
    widget = widget_page("head_splitter", fragment=f"#head_splitter:heads={heads}")
    for step in STEPS:
        move(widget, step=step)
        lanes_ = zip(lanes(widget), widget.locator(".tl-lanes > div").all(), strict=True)
        for cells, lane in lanes_:
            names = lane.locator("svg > text").all_text_contents()[-T:]
            top = sorted({y for _, y, *_ in cells})
            for name, y in zip(names, top, strict=True):
                held = {WORDS[n // D] for n, cell in enumerate(cells) if cell[1] == y}
                assert name == (next(iter(held)) if len(held) == 1 else f"row {top.index(y) + 1}")
            if step in ("attend", "merge", "W_O"):
                seen = {WORDS[n // D] for n, (_, _, _, t) in enumerate(cells) if t[2:] != ".00"}
                told = lane.locator("p").inner_text()
                said = {w for w in WORDS if f" {w} " in f" {told.partition(' by ')[2]} "}
                assert seen == ({*WORDS} if "every word" in told else said)


def test_a_clicked_number_is_followed(widget_page):
    widget = widget_page("head_splitter")
    widget.locator(".tl-lanes svg").first.locator("g").nth(3 * D + 5).click()
    assert widget.get_by_role("radio", name="fish").is_checked()
    for cells in lanes(widget):
        assert [dark for _, _, dark, _ in cells] == [0] * 24 + [1] * 8


def test_the_picture_and_its_table_say_the_same(widget_page):
    widget = widget_page("head_splitter", fragment="#head_splitter:step=attend,word=eats")
    widget.locator(".tl-numbers summary").click()
    way = HeadSplitter().frame["ways"][1]
    rows = widget.get_by_role("table").nth(1).locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == T
    expected = [way["heard"][0][number][2] for number in way["places"]]
    for row in range(T):
        cells = rows.nth(row).locator("td").all_inner_texts()
        both = expected[row * 4 :][:4] + expected[16 + row * 4 :][:4]
        names = [f"{WORDS[i // D][0]}{i % D}" for i in way["places"]]
        assert [c.split()[0] for c in cells] == names[row * 4 :][:4] + names[16 + row * 4 :][:4]
        assert [float(cell.split()[1]) for cell in cells] == pytest.approx(both, abs=0.00501)
    label = widget.locator(".tl-lanes svg").nth(1).get_attribute("aria-label")
    assert label.startswith("x.reshape(2, 4, 4), attend, (H, T, K) = (2, 4, 4): row 1 T0 .")


def test_numbers_travel_from_rest_and_are_set_down_at_once_by_who_moves_on(widget_page):
    widget = widget_page("head_splitter")
    widget.page.evaluate("""addEventListener("transitionrun", (event) => {
        travelling += event.propertyName === "transform";
    })""")

    def travelling_at(milliseconds, step):
        widget.page.evaluate("n => { performance.now = () => n; travelling = 0; }", milliseconds)
        move(widget, step=step)
        widget.page.evaluate(SETTLED)
        return widget.page.evaluate("travelling")

    rested = 1e9
    assert travelling_at(rested, "project") > 0
    assert travelling_at(rested + 500, "attend") == 0
    assert travelling_at(rested + 500 + 700, "merge") > 0

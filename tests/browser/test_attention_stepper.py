"""The stepper on the static page: what it computes is torch's, and each step shows it."""

import random

import pytest
from playwright.sync_api import expect

from tests.browser.test_every_widget import MODEL, is_torchs, unfold
from tests.chromium import SCREENS, opener
from tests.sweeps import few
from transformer_lab.widgets import AttentionStepper
from transformer_lab.widgets.attention_stepper import STEPS

STEM = "attention_stepper"
CONTROLS = AttentionStepper.controls()


def put(widget, **at):
    widget.evaluate(
        f"(el, at) => {{ {MODEL} for (const name in at) model.set(name, at[name]);"
        " model.save_changes(); }",
        at,
    )


def cells(widget, table):
    return widget.locator(f".tl-{table} [role=gridcell]").all_inner_texts()


def shares(widget):
    """Return what stands under each word of the sentence."""
    return widget.locator("[data-name=asks] label").evaluate_all(
        "all => all.map(label => label.dataset.share)"
    )


@pytest.fixture(scope="module")
def shared(chromium, widget_folders):
    """A page with the stepper, opened once for many tests, and what goes wrong in it."""
    built, address, _ = widget_folders
    built({f"{STEM}-shared": ["AttentionStepper()"]})
    troubles = []
    with opener(chromium, troubles) as open_:
        page = open_(f"{address}/{STEM}-shared.html", reduced_motion="reduce")
        yield page.locator(f"[data-widget={STEM}]"), troubles


@pytest.fixture
def stepper(shared):
    """The stepper as it starts, whatever was done with it before."""
    widget, troubles = shared
    widget.locator(".tl-numbers").wait_for()
    unfold(widget, False)
    widget.get_by_role("button", name="Reset").click()
    yield widget
    assert not troubles


@pytest.mark.parametrize("seed", few(range(8), 0))
def test_what_the_page_computes_is_torchs_wherever_the_controls_stand(stepper, seed):
    dice = random.Random(seed)
    for _ in range(4):
        at = {
            n: dice.choice(c.offer(c.default_value)) for n, c in CONTROLS.items() if n != "features"
        }
        word, feature = dice.choice(CONTROLS["features"].words), dice.choice(["alive", "thing"])
        put(stepper, **at, features=[[word, feature, dice.randint(-8, 8) / 2]])
        is_torchs(stepper, STEM)


def test_next_leads_through_all_steps_and_back_returns(stepper):
    title = stepper.locator(".tl-main .tl-row b")
    for number, (name, *_) in enumerate(STEPS, start=1):
        expect(title).to_contain_text(f"{number} of {len(STEPS)}: {name}")
        if number < len(STEPS):
            stepper.get_by_role("button", name="Next").click()
    stepper.get_by_role("button", name="Next").click()
    expect(title).to_contain_text(STEPS[-1].name)
    stepper.get_by_role("button", name="Back").click()
    expect(title).to_contain_text(STEPS[-2].name)


def test_a_query_is_made_of_a_row_and_a_column_that_light_up(stepper):
    put(stepper, step=2)
    assert cells(stepper, "result") == ["3", "3", "0", "3"]
    assert stepper.locator(".tl-lit").count() == 5 + 5
    expect(stepper.locator(".tl-readout")).to_contain_text(
        "0 · 4 + 0 · 0 + 0 · 4 + 0 · 0 + 1 · 3 = 3"
    )


def test_one_score_is_written_in_the_order_of_all_of_them(stepper):
    said = stepper.locator(".tl-readout")
    for step in (4, 10):
        put(stepper, step=step)
        expect(said).to_have_text(
            "it meets cat: 3 · 2 + 3 · 0 + 0 · 0 + 3 · 0 = 6, divided by √4: score 3."
        )
    names = "row => row.filter(({ classList }) => classList.value).map((name) => name.textContent)"
    for table, kind, name in (("left", "row", "it"), ("top", "column", "cat")):
        heads = stepper.locator(f".tl-{table} [role={kind}header]")
        assert name in heads.evaluate_all(names), "the names of what is lit stand out"


def test_arrow_keys_walk_through_a_product(stepper):
    put(stepper, step=4)
    result = stepper.locator(".tl-result [tabindex='0']")
    expect(stepper.locator(".tl-readout")).to_contain_text("it meets cat")
    result.focus()
    stepper.page.keyboard.press("ArrowRight")
    expect(stepper.locator(".tl-readout")).to_contain_text("it meets sat")
    stepper.page.keyboard.press("ArrowLeft")
    stepper.page.keyboard.press("ArrowLeft")
    expect(stepper.locator(".tl-readout")).to_contain_text("it meets The")


def test_the_sentence_shows_the_weights_of_the_word_that_asks(stepper):
    put(stepper, step=5)
    assert [text for text in shares(stepper) if text] == ["0.30"] * 3
    stepper.locator("[data-name=asks] input").last.focus()
    stepper.page.keyboard.press("Space")
    assert shares(stepper)[1] == "0.78"
    put(stepper, length=5)
    assert stepper.locator("[data-name=asks] label:visible").count() == 5


def test_the_second_layer_decides_and_the_other_ending_turns_it_round(stepper):
    put(stepper, step=5, layer="second")
    assert [shares(stepper)[place] for place in (1, 5)] == ["0.86", "0.08"]
    put(stepper, ending="soft")
    assert [shares(stepper)[place] for place in (1, 5)] == ["0.08", "0.86"]


def test_under_the_mask_what_comes_later_has_no_score(stepper):
    put(stepper, step=4, causal=True)
    hidden = stepper.locator(".tl-result .tl-blocked")
    assert hidden.all_inner_texts() == ["−∞"] * 2, "was, tired"
    put(stepper, step=5)
    assert hidden.all_inner_texts() == ["−∞", "0", "0"] * 2
    assert (
        hidden.evaluate_all("all => all.map(cell => cell.style.getPropertyValue('--bar'))")
        == ["0%"] * 6
    ), "no bar"
    words = stepper.locator("[data-name=asks] .tl-blocked")
    assert [text.strip() for text in words.all_inner_texts()] == ["was", "tired"]
    put(stepper, step=10)
    assert hidden.count() == 45
    hidden.first.click()
    expect(stepper.locator(".tl-readout")).to_contain_text("comes later")


def test_the_film_ends_with_the_answer(stepper):
    said = stepper.locator(".tl-verdict")
    for at, answer in (
        ({}, "cat"),
        ({"ending": "soft"}, "mat"),
        ({"layer": "second"}, "cat"),
        ({"d_k": 64}, "cat"),
        ({"causal": True}, "undecided"),
        ({"length": 9}, "undecided"),
        ({"asks": "last"}, "cat"),
        ({"heads": 2, "head": 2}, "tired"),
    ):
        stepper.get_by_role("button", name="Reset").click()
        for step in (13, 14):
            put(stepper, step=step, **at)
            expect(said).to_contain_text(answer)
    stepper.get_by_role("button", name="Reset").click()
    put(stepper, step=14)
    assert shares(stepper)[1] == "0.86", "of the second layer, whichever is chosen"


def test_play_rests_where_there_is_most_to_see(widget_page):
    widget = widget_page(STEM)
    page = widget.page
    page.clock.install()
    put(widget, step=4)
    title = widget.locator(".tl-main .tl-row b")
    widget.get_by_role("button", name="Play").click()
    for wait, step in ((3300, 5), (3300, 5), (3300, 6), (3300, 7), (3300, 8), (3300, 8), (3300, 9)):
        page.clock.run_for(wait)
        expect(title).to_contain_text(f"{step} of")


#: Where each step puts the reader first: what its table holds, and how much of it is passed over.
PRESETS = [
    {}, {"ending": "soft"}, {"asks": "last"}, {"layer": "second"}, {"causal": True},
    {"heads": 2, "head": 2}, {"heads": 2, "head": 2, "asks": "cat"}, {"heads": 3, "head": 3},
    {"d_k": 64, "scaled": False}, {"length": 5}, {"features": [["mat", "alive", 2.0]]},
]  # fmt: skip


#: At each step, the number that is chosen in the result, its row and its column.
CHOSEN = f"""(el, steps) => steps.map((step) => {{
    {MODEL}
    model.set("step", step);
    model.save_changes();
    const value = ({{ textContent: text }}) =>
        Number(text.replace("−∞", "-Infinity").replaceAll(",", ""));
    const rows = [...el.querySelectorAll(".tl-result [role=row]")].slice(1)
        .map((row) => [...row.querySelectorAll("[role=gridcell]")]);
    const here = el.querySelector(".tl-result .tl-here");
    const row = rows.find((row) => row.includes(here));
    const column = rows.map((other) => value(other[row.indexOf(here)]));
    return [value(here), row.map(value), column];
}})"""


def test_each_step_rests_on_what_matters_most(stepper):
    for at in PRESETS:
        stepper.get_by_role("button", name="Reset").click()
        put(stepper, step=9, **at)
        stepper.locator(".tl-result [role=gridcell]").first.hover()  # not for the next step
        stepper.page.mouse.move(0, 0)
        steps = [2, 4, 5, 6, 7, 9, 10, 11, 12, 13]
        for step, chosen in zip(steps, stepper.evaluate(CHOSEN, steps), strict=True):
            number, row, column = chosen
            if step in (5, 13):
                assert number == max(column), (at, step)
            elif step in (4, 10, 11):
                assert number == max(row), (at, step)
            else:
                assert abs(number) == max(map(abs, row[step == 7 :])), (at, step)


def test_a_change_of_a_control_moves_the_choice_to_what_matters_then(stepper):
    put(stepper, step=5)
    said = stepper.locator(".tl-readout")
    for at, told in (
        ({"step": 8, "ending": "soft"}, "it was"),
        ({"step": 5, "ending": "tired", "asks": "last"}, "0.78"),
        ({"asks": "it", "layer": "second"}, "cat"),
        ({"ending": "soft"}, "mat"),
    ):
        put(stepper, **at)
        expect(said).to_contain_text(told)


def test_the_head_that_is_shown_is_one_of_those_that_there_are(stepper):
    unfold(stepper)
    stepper.get_by_role("slider", name="Heads").press("ArrowRight")
    assert is_torchs(stepper, STEM)["head"] == 2, "the newest"
    stepper.get_by_role("slider", name="Head shown").press("End")
    assert is_torchs(stepper, STEM)["heads"] == 4


def test_arrows_come_when_the_reader_comes_to_them(widget_page):
    stepper = widget_page(STEM, reduced_motion="reduce")
    loaded = "[...document.scripts].some(script => script.src.endsWith('/plane.js'))"
    assert not stepper.page.evaluate(loaded)
    put(stepper, step=8)
    names = stepper.locator(".tl-moves .tl-name")
    expect(names.filter(has_text="new it")).to_be_visible()
    assert stepper.page.evaluate(loaded)
    told = sorted(name for name in names.all_text_contents() if name)
    assert told == ["cat", "cat", "mat", "mat", "new it", "old it", "tired"], (
        "words, and what comes from them"
    )


def test_what_one_head_adds_has_no_number(stepper):
    added = stepper.locator(".tl-result [role=rowheader]")
    put(stepper, step=8)
    expect(added).to_have_text(["old it", "+ collected", "new it"])
    put(stepper, heads=2)
    expect(added).to_have_text(["old it", "+ head 1", "+ head 2", "new it"])


def test_bars_of_powers_and_of_weights_are_on_one_scale(stepper):
    for at in ({"step": 5}, {"step": 13}, {"scaled": False, "d_k": 64}, {"causal": True}):
        put(stepper, **at)
        bars = stepper.locator(".tl-result [role=gridcell]").evaluate_all(
            "all => all.map(cell => Number.parseFloat(cell.style.getPropertyValue('--bar')))"
        )
        assert bars[1::3] == bars[2::3]
        assert 79 < sum(bars[2::3]) < 81, "80 % of a cell stand for a weight of 1"
        assert max(bars[::3]) == 80, "a score is compared with the largest"


#: Of each arrow, points on its shaft; of each name, its box, with some air.
INK = """svg => [...svg.querySelectorAll(".tl-arrow")]
    .filter(arrow => arrow.style.opacity === "1")
    .flatMap(arrow => {
        const shaft = arrow.querySelector("path");
        const end = new DOMPoint(1, 0).matrixTransform(shaft.getScreenCTM());
        const start = new DOMPoint(0, 0).matrixTransform(shaft.getScreenCTM());
        return Array.from({ length: 50 }, (_, n) => [
            start.x + (end.x - start.x) * n / 50, start.y + (end.y - start.y) * n / 50,
        ]);
    })"""


MOVES = [
    {"step": 7}, {"step": 8}, {"step": 14}, {"step": 14, "ending": "soft"},
    {"step": 14, "causal": True}, {"step": 7, "head": 2, "heads": 2},
    {"step": 8, "head": 2, "heads": 2, "layer": "second"},
]  # fmt: skip


@pytest.mark.parametrize("width", [360, 1000])
def test_names_lie_on_no_arrow_and_on_no_other_name(widget_page, width):
    stepper = widget_page(STEM, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    for at in MOVES:
        stepper.get_by_role("button", name="Reset").click()
        put(stepper, **at)
        names = stepper.locator(".tl-moves .tl-name")
        expect(names.filter(has_text="sum" if at["step"] == 7 else "new it")).to_be_visible()
        boxes = [name.bounding_box() for name in names.all() if name.text_content()]
        # A line of the book's sans is higher than its letters, by 22 % above and 15 % below.
        boxes = [
            (b["x"], b["y"] + 0.22 * h, b["x"] + b["width"], b["y"] + 0.85 * h)
            for b in boxes
            for h in [b["height"]]
        ]
        assert len(boxes) >= 2
        points = stepper.locator(".tl-moves").evaluate(INK)
        for n, (left, top, right, low) in enumerate(boxes):
            assert not [(x, y) for x, y in points if left < x < right and top < y < low], at
            for other in boxes[:n]:
                beside = max(left, other[0]) >= min(right, other[2])
                assert beside or max(top, other[1]) >= min(low, other[3]), at


def test_the_arrow_swings_from_where_the_word_was(widget_page):
    widget = widget_page(STEM)
    put(widget, step=13)
    widget.evaluate(
        """el => { window.turns = new Set();
            const look = () => {
                const shaft = el.querySelector(".tl-arrow.tl-query path");
                if (shaft) turns.add(getComputedStyle(shaft).transform);
                requestAnimationFrame(look);
            };
            look(); }"""
    )
    put(widget, step=14)
    widget.page.wait_for_function("turns.size > 3")


def test_what_the_first_reading_does_without_is_folded(stepper):
    for name in ("asks", "step", "ending"):
        assert stepper.locator(f"[data-name={name}]").is_visible()
    for name in ("length", "heads", "d_k"):
        assert not stepper.locator(f"[data-name={name}]").is_visible()
    stepper.locator(".tl-more summary").click()
    for name in ("length", "heads", "d_k"):
        assert stepper.locator(f"[data-name={name}]").is_visible()


def test_on_a_phone_what_leads_on_stays_in_sight(widget_page):
    widget = widget_page(STEM, **SCREENS["phone"], reduced_motion="reduce")
    following = widget.get_by_role("button", name="Next")
    for table in (".tl-who", ".tl-stage"):
        widget.locator(table).evaluate("table => table.scrollIntoView({ block: 'start' })")
        expect(following).to_be_in_viewport(ratio=1)
        expect(widget.locator(".tl-main .tl-row b")).to_be_in_viewport(ratio=1)


def test_a_number_of_the_readers_own_is_set_by_a_slider(stepper):
    unfold(stepper)
    slider = stepper.get_by_role("slider", name="Its number")
    slider.press("Home")
    assert cells(stepper, "result")[5] == "-4"
    is_torchs(stepper, STEM)
    stepper.get_by_role("button", name="Reset").click()
    assert cells(stepper, "result")[5] == "2"
    assert slider.input_value() == "2"


def test_a_thing_to_try_is_a_button_that_sets_the_widget(widget_page):
    code = "AttentionStepper(tries={'the other way': {'ending': 'soft', 'step': 8}})"
    widget = widget_page(STEM, "tries", code, reduced_motion="reduce")
    widget.get_by_role("button", name="the other way").click()
    assert is_torchs(widget, STEM)["ending"] == "soft"
    expect(widget.locator(".tl-main .tl-row b")).to_contain_text("8 of 14: move")
    widget.get_by_role("button", name="Reset").click()
    expect(widget.locator(".tl-main .tl-row b")).to_contain_text("1 of 14")


def test_the_light_runs_over_what_is_not_0_once_and_the_words_stay(widget_page):
    widget = widget_page(STEM)
    widget.evaluate(
        """el => {
            const note = (list, text) => list.at(-1) !== text && list.push(text);
            [window.lit, window.told] = [[], []];
            const look = () => {
                if (el.querySelector(".tl-row b").textContent.includes("query")) {
                    const head = el.querySelector(".tl-result [role=columnheader].tl-key");
                    note(lit, head.textContent);
                    note(told, el.querySelector(".tl-readout").textContent);
                }
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    put(widget, step=2)
    widget.page.wait_for_function("lit.length >= 4")
    assert widget.page.evaluate("lit.slice(0, 4)") == ["alive", "thing", "quality", "alive"]
    assert len(widget.page.evaluate("told")) == 1


#: How far the stepper, and each part of it, reach beyond their place.
BEYOND = """el => {
    const main = el.querySelector(".tl-main");
    const stage = el.querySelector(".tl-stage").getBoundingClientRect();
    const parts = [...el.querySelectorAll(".tl-part")].filter(part => part.checkVisibility())
        .map(part => part.getBoundingClientRect());
    return Math.max(main.scrollWidth - main.clientWidth,
        ...parts.flatMap(({ x, bottom }) => [stage.x - x, bottom - stage.bottom]));
}"""


@pytest.mark.parametrize("width", few([360, 700, 1000], 360))
def test_no_step_is_wider_than_its_place(widget_page, width):
    widget = widget_page(STEM, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    for step in range(1, len(STEPS) + 1):
        for heads in (1, 2, 4):
            put(widget, step=step, heads=heads, head=heads)
            assert widget.evaluate(BEYOND) <= 1, (step, heads)

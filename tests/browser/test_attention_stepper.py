"""The stepper on the static page: what it computes is torch's, and each step shows it."""

import random

import pytest
from playwright.sync_api import expect

from tests.browser.test_every_widget import MODEL, is_torchs, unfold
from tests.chromium import SCREENS
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


@pytest.fixture
def stepper(widget_page):
    return widget_page(STEM, reduced_motion="reduce")


def test_what_the_page_computes_is_torchs_wherever_the_controls_stand(stepper):
    dice = random.Random(0)
    for _ in range(25):
        at = {
            n: dice.choice(c.offer(c.default_value)) for n, c in CONTROLS.items() if n != "features"
        }
        word, feature = dice.choice(CONTROLS["features"].words), dice.choice(["alive", "thing"])
        put(stepper, **at, features=[[word, feature, dice.randint(-8, 8) / 2]])
        is_torchs(stepper, STEM)


def test_next_leads_through_all_steps_and_back_returns(stepper):
    title = stepper.locator(".tl-main .tl-row b")
    for number, (name, *_) in enumerate(STEPS, start=1):
        expect(title).to_have_text(f"{number} of {len(STEPS)}: {name}")
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


def test_the_second_layer_decides_and_the_other_ending_turns_it_round(stepper):
    put(stepper, step=5, layer="second")
    assert [shares(stepper)[place] for place in (1, 5)] == ["0.86", "0.08"]
    put(stepper, ending="soft")
    assert [shares(stepper)[place] for place in (1, 5)] == ["0.08", "0.86"]


def test_under_the_mask_what_comes_later_has_no_score(stepper):
    put(stepper, step=4, causal=True)
    assert stepper.locator(".tl-result .tl-blocked").count() == 2, "was, tired"
    put(stepper, step=10)
    assert stepper.locator(".tl-result .tl-blocked").count() == 45
    stepper.locator(".tl-result .tl-blocked").first.click()
    expect(stepper.locator(".tl-readout")).to_contain_text("comes later")


def test_the_head_that_is_shown_is_one_of_those_that_there_are(stepper):
    unfold(stepper)
    stepper.get_by_role("slider", name="Heads").press("ArrowRight")
    assert is_torchs(stepper, STEM)["head"] == 2, "the newest"
    stepper.get_by_role("slider", name="Head shown").press("End")
    assert is_torchs(stepper, STEM)["heads"] == 4


def test_arrows_come_when_the_reader_comes_to_them(stepper):
    loaded = "[...document.scripts].some(script => script.src.endsWith('/plane.js'))"
    assert not stepper.page.evaluate(loaded)
    put(stepper, step=8)
    names = stepper.locator(".tl-arrow text")
    expect(names.first).to_have_text("new it")
    assert stepper.page.evaluate(loaded)
    told = {name for name in names.all_text_contents() if name}
    assert told == {"cat", "mat", "tired", "new it"}


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize(("layer", "head"), [("first", 1), ("second", 1), ("second", 2)])
def test_names_of_arrows_do_not_cover_each_other(widget_page, width, layer, head):
    stepper = widget_page(STEM, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    put(stepper, step=8, layer=layer, head=head, heads=head)
    names = stepper.locator(".tl-arrow text")
    expect(names.first).to_have_text("new it")
    boxes = [name.bounding_box() for name in names.all() if name.text_content()]
    assert len(boxes) > 2
    for n, a in enumerate(boxes):
        for b in boxes[:n]:
            apart = [
                max(a[at], b[at]) >= min(a[at] + a[size], b[at] + b[size])
                for at, size in (("x", "width"), ("y", "height"))
            ]
            assert any(apart), (a, b)


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
    expect(widget.locator(".tl-main .tl-row b")).to_contain_text("8 of 12: move")
    widget.get_by_role("button", name="Reset").click()
    expect(widget.locator(".tl-main .tl-row b")).to_contain_text("1 of 12")


def test_the_light_runs_over_a_product_once(widget_page):
    widget = widget_page(STEM)
    widget.evaluate(
        """el => {
            const said = el.querySelector(".tl-readout");
            window.told = [];
            const note = () => told.push(said.textContent.match(/“(.*)”/)[1]);
            new MutationObserver(note).observe(said, { childList: true });
        }"""
    )
    put(widget, step=2)
    widget.page.wait_for_function("told.length >= 6")
    assert widget.page.evaluate("told.slice(0, 6)") == [
        "alive", "alive", "thing", "action", "quality", "alive",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [360, 700, 1000])
def test_no_step_is_wider_than_its_place(widget_page, width):
    widget = widget_page(STEM, viewport={"width": width, "height": 900}, reduced_motion="reduce")
    for step in range(1, len(STEPS) + 1):
        for heads in (1, 2):
            put(widget, step=step, heads=heads)
            beyond = widget.locator(".tl-main").evaluate(
                "main => main.scrollWidth - main.clientWidth"
            )
            assert beyond <= 1, (step, heads)
            stage = widget.locator(".tl-stage").bounding_box()
            for part in widget.locator(".tl-part:visible").all():
                box = part.bounding_box()
                assert box["x"] >= stage["x"] - 1, (step, heads)
                assert box["y"] + box["height"] <= stage["y"] + stage["height"] + 1, (step, heads)

"""Own words on a page, under the book's policy: nothing comes before the button."""

import json
import re
import shutil

import pytest
import torch
from playwright.sync_api import expect
from safetensors.torch import save

from book._ext.models import FOLDER, is_packed
from book._ext.policy import with_policy
from tests.browser.axe import complaints
from tests.chromium import BEYOND, SCREENS, SETTLED, SITE
from tests.page.train.reference import variant
from tests.sweeps import few
from tests.widget_pages import KINDS
from transformer_lab.widgets._gpt_walk import outcome
from transformer_lab.widgets._real import real_model

ASKS = """<script src="assets/words/asking.js" defer data-words="{}"></script></head>"""
OWN = "A kitten rests on the warm rug."


@pytest.fixture
def page_with_words(widget_folders, open_page):
    """Give a function that opens a widget, others below it, on a page to which models may come."""
    built, address, folder = widget_folders

    def open_(stem, *others, home="http", **options):
        names = [KINDS[each].__name__ for each in (stem, *others)]
        page = "-".join((stem, *others))
        built({page: [f"{name}()" for name in names]})
        models = SITE / FOLDER
        assert is_packed(models), "no built book: run make html"
        shutil.copytree(models, folder / "assets/words", dirs_exist_ok=True)
        plain = (folder / f"{page}.html").read_text("utf8")
        asks = ASKS.format(" ".join((stem, *others)))
        text = with_policy(plain.replace("</head>", asks))
        (folder / f"{page}-words.html").write_text(text, "utf8")
        root = address if home == "http" else folder.as_uri()
        opened = open_page(f"{root}/{page}-words.html", **options)
        asked = []
        opened.on("request", lambda request: asked.append(request.url.split("/")[-1]))
        widget = opened.locator(f"[data-widget={stem}]")
        widget.locator(".tl-numbers").wait_for()
        return widget, asked

    return open_


def type_in(widget, name, text):
    field = widget.locator(f"[data-name={name}] input[type=text]")
    field.fill(text)
    field.press("Enter")


def compose(widget, name, text, **key):
    """Type with an input method, up to the Enter that only ends a word."""
    field = widget.locator(f"[data-name={name}] input[type=text]")
    field.fill(text)
    init = {"key": "Enter", "bubbles": True} | key
    field.evaluate("(el, init) => el.dispatchEvent(new KeyboardEvent('keydown', init))", init)


def complains(widget):
    """Say what is wrong with a filled widget on a phone's width, in the light and in the dark."""
    page, found = widget.page, ""
    page.set_viewport_size(SCREENS["phone"]["viewport"])
    for theme in ("light", "dark"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
        found += complaints(page, dark=theme == "dark")
    beyond = page.evaluate(BEYOND)
    return found or (f"It scrolls sideways by {beyond} pixels." if beyond > 0 else "")


def test_a_sentence_is_read_and_compared_and_a_head_silenced(page_with_words):
    widget, asked = page_with_words("real_heads")
    type_in(widget, "tokens", OWN)
    offer = widget.get_by_role("button", name=re.compile(r"^Load MiniLM: 12\.[0-5] MB$"))
    expect(offer).to_be_visible()
    assert not any("minilm" in name for name in asked)
    offer.click()
    keys = ["[CLS]", "a", "kitten", "rests", "on", "the", "warm", "rug", ".", "[SEP]"]
    expect(widget.get_by_role("columnheader")).to_have_text(["query ↓ key →", *keys])
    expect(widget.locator(".tl-own")).to_contain_text("with an 8-bit copy of MiniLM")
    parts = {name for name in asked if name.startswith("minilm-tokens")}
    assert 3 <= len(parts) <= 10
    type_in(widget, "second", OWN)
    result = widget.locator(".tl-result")
    expect(result).to_have_text(f"Similarity to “{OWN}”: 1.00.")
    widget.get_by_role("button", name="Silence layer 0").click()
    expect(result).to_have_text(f"Similarity to “{OWN}”: 1.00 (unchanged: 1.00).")
    expect(widget.locator(".tl-wall i")).to_have_count(12)
    heads = ", ".join(map(str, range(12)))
    expect(widget.get_by_text(f"Silent: layer 0, head {heads}.")).to_be_visible()
    assert not complains(widget)
    widget.get_by_role("button", name="Reset").click()
    expect(widget.locator(".tl-wall i")).to_have_count(0)


def test_without_a_head_a_translation_breaks_on_a_phone_from_a_folder(page_with_words):
    widget, _ = page_with_words("real_heads", home="file", **SCREENS["phone"])
    widget.get_by_role("radio", name="translator").check()
    type_in(widget, "tokens", "The cat eats fish!")
    widget.get_by_role("button", name=re.compile(r"^Load translator: 13\.\d MB$")).click()
    result = widget.locator(".tl-result")
    expect(result).to_have_text("Translation: “O gato come peixe!”.")
    slider = widget.get_by_role("slider", name="Head")
    widget.get_by_role("slider", name="Layer").press("Home")
    slider.fill("5")
    widget.get_by_role("button", name="Silence this head").click()
    expect(result).to_contain_text("(unchanged: “O gato come peixe!”).")
    assert "gato gato" in result.inner_text()
    assert widget.page.evaluate(BEYOND) <= 0
    widget.get_by_role("radio", name="SmolLM2").check()
    expect(widget.get_by_role("alert")).to_contain_text("SmolLM2 is too large for a page")


def test_a_walk_with_own_words_by_keyboard(page_with_words):
    widget, asked = page_with_words("block_walk")
    widget.get_by_role("radio", name="translator").check()
    keyboard = widget.page.keyboard
    type_in(widget, "tokens", "The cat eats fish.")
    widget.get_by_role("button", name=re.compile(r"^Load translator: 13\.\d MB$")).press("Enter")
    expect(widget.locator(".tl-own")).to_be_focused()
    result = widget.locator(".tl-result")
    expect(result).to_have_text("Translation: “O gato come peixe.”.")
    assert not any("minilm" in name for name in asked)
    widget.get_by_role("button", name="decoder 0", exact=True).press("Enter")
    widget.get_by_role("button", name="cross weights").press("Enter")
    widget.get_by_role("slider", name="Head").focus()
    for _ in range(5):
        keyboard.press("ArrowRight")
    expect(widget.locator(".tl-shown")).to_contain_text("Shown: head 5 of 8.")
    widget.get_by_role("button", name="Silence this head").press("Enter")
    expect(result).to_have_text(
        "Translation: “O gato gato começ” (unchanged: “O gato come peixe.”)."
    )
    expect(widget.get_by_text("Silent: decoder layer 0, head 5.")).to_be_visible()
    expect(widget.get_by_role("columnheader", name="fish")).to_be_visible()
    widget.get_by_role("button", name="encoder 3").press("Enter")
    widget.get_by_role("button", name="Silence encoder layer 3").press("Enter")
    expect(widget.get_by_role("button", name="Let encoder layer 3 speak")).to_be_focused()
    expect(
        widget.get_by_text(re.compile(r"^Silent: encoder layer 3, head 0, .*; dec"))
    ).to_be_visible()
    assert not complains(widget)


def test_from_a_text_to_the_next_character_on_a_phone_with_a_head_silenced(page_with_words):
    widget, _ = page_with_words("block_walk", **SCREENS["phone"])
    body = widget.locator(".tl-body")
    widget.get_by_role("textbox", name="Your text").fill("My lord, I will n")
    offer = widget.get_by_role("button", name=re.compile(r"^Load GPT: 0\.\d MB$"))
    expect(body).to_have_class(re.compile("tl-gone"))
    expect(widget.locator(".tl-result")).not_to_be_visible()
    offer.tap()
    expect(widget.locator(".tl-result")).to_have_text(f"Next: {outcome('My lord, I will n')}.")
    expect(widget.get_by_role("rowheader").last).to_have_text("n")
    widget.get_by_role("button", name="block 1", exact=True).tap()
    widget.get_by_role("button", name="heads", exact=True).tap()
    expect(widget.locator(".tl-readout")).not_to_have_text("M, column 0: 0.00")
    widget.get_by_role("button", name="Silence this head").tap()
    expect(widget.locator(".tl-readout")).to_have_text("M, column 0: 0.00")
    expect(widget.locator(".tl-result")).to_contain_text("(unchanged: “o” 0.80")
    assert not complains(widget)
    widget.get_by_role("button", name="Copy link").tap()
    address = widget.page.url
    widget.page.goto("about:blank")
    widget.page.goto(address)
    expect(widget.locator(".tl-title")).to_contain_text("block 1: heads")
    expect(widget.get_by_role("textbox", name="Your text")).to_have_value("My lord, I will n")


@pytest.mark.parametrize("stem", ["real_heads", "block_walk"])
def test_what_cannot_come_is_said_where_it_is_wanted_and_nothing_old_stands(page_with_words, stem):
    widget, _ = page_with_words(stem, **SCREENS["phone"])
    page = widget.page
    page.context.route("**/words.js", lambda route: route.fulfill(body="// lost"))
    if stem == "block_walk":
        widget.get_by_role("button", name="block 0", exact=True).tap()
    silence = widget.get_by_role("button", name="Silence this head")
    silence.tap()
    said = widget.get_by_role("alert")
    expect(said).to_contain_text("Reload this page")
    expect(widget.locator(".tl-result")).not_to_be_visible()
    assert "unchanged" not in widget.inner_text()
    assert said.bounding_box()["y"] - silence.bounding_box()["y"] < 300


def test_a_real_models_table_comes_alone_and_cuts_what_is_typed(page_with_words):
    widget, asked = page_with_words("tokenizer_lab", **SCREENS["phone"])
    widget.get_by_role("radio", name="SmolLM2").check()
    widget.get_by_role("button", name=re.compile(r"^Load pieces of SmolLM2: 0\.\d MB$")).tap()
    widget.get_by_role("textbox").fill("Café 12")
    expect(widget.locator(".tl-chips b")).to_have_text(["C", "af", "é", "␣", "1", "2"])
    assert not any(name.startswith(("gpt", "minilm", "translator")) for name in asked)
    assert not complains(widget)
    widget.get_by_role("radio", name="none").check()
    expect(widget.locator(".tl-chips b").last).to_have_text("2")
    expect(widget.get_by_role("slider", name="Merges")).to_be_visible()


#: How browsers tell an Enter that an input method keeps: Safari by its code only.
KEPT = [{"isComposing": True}, {"keyCode": 229}, {"isComposing": True, "keyCode": 229}]


@pytest.mark.parametrize("key", KEPT, ids=str)
@pytest.mark.parametrize("name", few(["tokens", "second"], "tokens"))
def test_an_input_methods_enter_is_not_the_end_of_a_sentence(page_with_words, name, key):
    widget, asked = page_with_words("real_heads")
    compose(widget, name, "ねこ が", **key)
    widget.page.evaluate(SETTLED)
    expect(widget.get_by_role("button", name=re.compile("^Load"))).to_have_count(0)
    assert "words.js" not in asked
    widget.locator(f"[data-name={name}] input[type=text]").press("Enter")
    expect(widget.get_by_role("button", name=re.compile("^Load MiniLM"))).to_be_visible()


def test_a_translation_is_written_step_by_step_and_broken_by_touch(page_with_words):
    widget, _ = page_with_words("next_token", **SCREENS["phone"])
    widget.get_by_role("radio", name="translator").check()
    type_in(widget, "tokens", "The cat eats fish.")
    widget.get_by_role("button", name=re.compile(r"^Load translator: 13\.\d MB$")).tap()
    ways = widget.locator("dd")
    expect(ways.first).to_have_text(re.compile(r"^O gato come peixe\. "))
    expect(widget.locator("dt")).to_contain_text(["greedy", "4 beams", "throw 1"])
    widget.get_by_role("slider", name="Top k").press("Home")
    widget.get_by_role("slider", name="Written").press("End")
    expect(widget.locator(".tl-story")).to_have_text("The cat eats fish. → O gato come peixe. …")
    rows = widget.get_by_role("rowheader")
    expect(rows).to_have_text(["O", "gato", "come", "peixe", ".", "</s>"])
    looks = widget.get_by_role("gridcell", name="gato looks at cat:")
    aligned = looks.get_attribute("aria-label")
    widget.get_by_role("slider", name="layer").press("Home")
    widget.get_by_role("slider", name="head").fill("5")
    expect(looks).not_to_have_attribute("aria-label", aligned)
    widget.get_by_role("button", name="Silence this head").tap()
    expect(ways.nth(2)).to_have_text(re.compile(r"^O gato come peixe\. "))
    expect(widget.locator("dt").nth(2)).to_have_text("unchanged")
    assert ways.first.inner_text() != ways.nth(2).inner_text()
    expect(widget.get_by_text("Silent: layer 0, head 5.")).to_be_visible()
    assert not complains(widget)
    widget.get_by_role("checkbox", name="tokens know their places").tap()
    expect(ways.first).to_contain_text("O")
    expect(widget.locator(".tl-main")).to_have_attribute("aria-busy", "false")


def test_the_gpt_writes_on_from_a_text_and_a_head_is_silenced_on_a_phone(page_with_words):
    widget, asked = page_with_words("next_token", "real_heads", **SCREENS["phone"])
    text = widget.get_by_role("textbox", name="Text")
    prompt = "JULIET.\nO Romeo, "
    text.fill(prompt)
    offer = widget.get_by_role("button", name=re.compile(r"^Load GPT: 0\.\d MB$"))
    expect(offer).to_be_visible()
    expect(widget.locator(".tl-body")).to_have_class(re.compile("tl-old"))
    assert not any("gpt" in name for name in asked)
    offer.tap()
    expect(widget.locator(".tl-own")).to_contain_text("8-bit weights")
    ids, _ = real_model("GPT").tokenizer.encode([prompt])
    shares = real_model("GPT").model(ids)[0, -1].softmax(-1).sort(descending=True).values
    first = widget.locator("ol li i > i").first
    drawn = float(first.evaluate("bar => parseFloat(bar.style.width)"))
    assert drawn == pytest.approx(100 * shares[0].item(), abs=0.2)
    widget.get_by_role("button", name="Write one").tap()
    expect(text).to_have_value(re.compile(f"^{re.escape(prompt)}.$", re.DOTALL))
    widget.get_by_role("button", name="Write on", exact=True).tap()
    expect(text).to_have_value(re.compile(f"^{re.escape(prompt)}.{{40,}}$", re.DOTALL))
    widget.get_by_role("button", name="Stop").tap()
    expect(widget.locator(".tl-main")).to_have_attribute("aria-busy", "false")
    written = text.input_value()
    before = widget.locator("ol").inner_text()
    widget.get_by_role("button", name="Silence layer 1").tap()
    expect(widget.locator("ol")).not_to_have_text(before)
    assert text.input_value() == written, "it has stopped"
    widget.get_by_role("checkbox", name="Show all characters").tap()
    expect(widget.locator("ol li")).to_have_count(80)
    assert not complains(widget)
    widget.get_by_role("button", name="Copy link").tap()
    address = widget.page.url
    widget.page.goto("about:blank")
    widget.page.goto(address)
    expect(text).to_have_value(written)
    expect(widget.get_by_role("button", name=re.compile("^Load GPT"))).to_be_visible()
    expect(widget.get_by_text("Silent: layer 1")).to_have_count(0)


def test_what_a_reader_has_trained_takes_the_gpts_place(page_with_words):
    widget, asked = page_with_words("next_token", "block_walk")
    walk = widget.page.locator("[data-widget=block_walk]")
    walk.scroll_into_view_if_needed()
    expect(walk.get_by_role("button", name="block 2")).to_be_visible()
    config = {"symbols": 3, "width": 24, "heads": 1, "layers": 1}
    model = variant(USUAL | config)
    about = {"config": json.dumps(config), "vocabulary": json.dumps(["\n", "a", "b"])}
    content = list(save(model.state_dict(), metadata=about))
    widget.page.evaluate(TAKES, content)
    expect(widget.locator(".tl-own")).to_contain_text("the model that you have trained")
    expect(widget.locator("ol li")).to_have_count(3)
    expect(widget.get_by_role("alert")).to_contain_text("does not know")
    widget.get_by_role("textbox", name="Text").fill("abba")
    ids = torch.tensor([[1, 2, 2, 1]])
    best = model(ids)[0, -1].softmax(-1).max().item()
    first = widget.locator("ol li").first
    expect(first).to_contain_text(f"{best:.2f}".rstrip("0"))
    assert not any(name.startswith("gpt-0") for name in asked), "the book's weights need not come"
    walk.get_by_role("textbox", name="Your text").fill("abba")
    expect(walk.get_by_role("rowheader")).to_have_text([*"abba"])
    expect(walk.get_by_role("button", name="block 1")).to_have_count(0)
    walk.get_by_role("button", name="choose").click()
    expect(walk.get_by_role("gridcell").nth(9)).to_have_text(f"{best:.2f}")


#: What the page does with a model that was trained on it.
TAKES = """content => document.dispatchEvent(
    new CustomEvent("transformer-lab-trained", { detail: new Uint8Array(content).buffer }),
)"""
USUAL = dict.fromkeys(["mask", "positions", "residuals", "norms", "feedForward"], True)
USUAL |= {"average": False}


#: A worker that fails at whatever it is asked.
FAILS = """() => {
    window.kept = Worker;
    window.Worker = class {
        postMessage() { this.onerror({ message: "out of memory" }); }
        terminate() {}
    };
}"""


def test_where_a_worker_fails_that_is_said_and_another_may_do_it(page_with_words):
    widget, _ = page_with_words("one_head")
    sentence = "The dog lost the ball because it rolled away."
    offer = widget.get_by_role("button", name=re.compile("^Load MiniLM"))
    widget.page.evaluate(FAILS)
    type_in(widget, "tokens", sentence)
    offer.click()
    expect(widget.get_by_role("alert")).to_contain_text("has failed (out of memory).")
    expect(widget.locator(".tl-own")).to_be_empty()
    widget.page.evaluate("() => { window.Worker = window.kept; }")
    type_in(widget, "tokens", sentence)
    offer.click()
    expect(widget.locator(".tl-readout")).to_have_text(re.compile(r"ball gives 0\.3\d"))
    expect(widget.locator(".tl-own")).to_contain_text("with an 8-bit copy of MiniLM")

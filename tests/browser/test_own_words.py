"""Own words on a page, under the book's policy: nothing comes before the button."""

import re

import pytest
from playwright.sync_api import expect

from tests.chromium import SCREENS
from tests.conftest import ROOT
from transformer_lab.publish.sphinxext.own_words import packed, write
from transformer_lab.publish.sphinxext.policy import with_policy

ASKS = """<link rel="stylesheet" href="assets/own_words.css">
<script src="assets/own_words.js" defer data-words="{}"></script></head>"""
OWN = "A kitten rests on the warm rug."


@pytest.fixture
def page_with_words(widget_page, widget_folders, open_page):
    """Give a function that opens a widget on a page to which the models may come."""
    _, address, folder = widget_folders

    def open_(stem, *, home="http", **options):
        widget_page(stem).page.close()
        write(packed(ROOT / "_build/cache/words"), folder / "assets")
        plain = (folder / f"{stem}.html").read_text("utf8")
        page = with_policy(plain.replace("</head>", ASKS.format(stem)))
        (folder / f"{stem}-words.html").write_text(page, "utf8")
        root = address if home == "http" else folder.as_uri()
        opened = open_page(f"{root}/{stem}-words.html", **options)
        asked = []
        opened.on("request", lambda request: asked.append(request.url.split("/")[-1]))
        widget = opened.locator(f"[data-widget={stem}]")
        widget.locator(".tl-numbers").wait_for()
        return widget, asked

    return open_


def type_in(widget, name, text):
    field = widget.locator(f"[data-name={name}] input")
    field.fill(text)
    field.press("Enter")


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
    wide = widget.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    widget.get_by_role("radio", name="SmolLM2").check()
    expect(widget.get_by_role("alert")).to_contain_text("SmolLM2 is too large for a page")

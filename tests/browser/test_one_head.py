"""One head, on a page: a word is chosen, and its weights are laid over the others."""

import re

from playwright.sync_api import expect

from tests.chromium import BEYOND
from transformer_lab.widgets.one_head import SENTENCES

SHARE = "word => Number(getComputedStyle(word).getPropertyValue('--share'))"


def test_the_other_ending_and_another_word_move_the_weights(widget_page):
    head = widget_page("one_head", viewport={"width": 320, "height": 740})
    words, readout = head.locator(".tl-piece"), head.locator(".tl-readout")
    cat, mat = words.filter(has_text="cat"), words.filter(has_text="mat")
    expect(head.get_by_role("radio", name="it", exact=True)).to_be_checked()
    expect(readout).to_have_text(re.compile(r"Of what it collects here, cat gives 0\.49"))
    expect(cat.locator("small")).to_have_text("0.49")
    assert cat.evaluate(SHARE) > 3 * mat.evaluate(SHARE)
    head.get_by_role("combobox", name="Sentence").select_option(SENTENCES[1])
    expect(readout).to_have_text(re.compile(r"\[CLS\] gives 0\.55, mat gives"))
    assert cat.evaluate(SHARE) < mat.evaluate(SHARE)
    head.get_by_role("radio", name="it", exact=True).press("ArrowRight")
    expect(readout).to_have_text(re.compile("^Of what was collects here"))
    mat.click()
    expect(readout).to_have_text(re.compile("^Of what mat collects here"))
    assert head.page.evaluate(BEYOND) <= 0

"""The zip file of the book, unpacked and opened from its folder, on a phone's screen."""

import re
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from book._ext.offline import pack
from tests.chromium import BEYOND, SCREENS, SITE
from tests.stated import as_stated


@pytest.fixture(params=[True, pytest.param(False, marks=pytest.mark.slow)], ids=["large", "small"])
def unpacked(request, tmp_path):
    """Unpack the built book into a folder whose name is no address; give the page to open."""
    folder = tmp_path / "on the train, 100 % ü"
    target = pack(SITE, folder, models=request.param)
    assert as_stated("The zip file" if request.param else "A small one", target)
    with ZipFile(target) as archive:
        archive.extractall(folder)
    (begin,) = folder.glob("*/*.html")
    return begin


def test_a_slider_moves_two_touches_after_opening(open_page, unpacked):
    page = open_page(unpacked.as_uri(), **SCREENS["phone"])
    page.wait_for_url(re.compile(r"/site/book/index\.html$"))
    page.locator("article").get_by_role("link", name="Attention", exact=True).first.tap()
    widget = page.locator("[data-widget]").first
    widget.scroll_into_view_if_needed()
    numbers = widget.locator(".tl-numbers")
    numbers.locator("summary").tap()
    before = numbers.text_content()
    slider = widget.get_by_role("slider").first
    slider.focus()
    slider.press("ArrowLeft" if slider.evaluate("s => s.value === s.max") else "ArrowRight")
    expect(numbers).not_to_have_text(before)
    assert page.evaluate(BEYOND) <= 0
    page.goto((unpacked.parent / "site/book/gallery.html").as_uri())
    widget = page.locator("[data-widget=block_walk]")
    widget.scroll_into_view_if_needed()
    widget.get_by_role("radio", name="translator").check()
    field = widget.get_by_role("textbox", name="Sentence")
    field.fill("The cat eats fish.")
    field.press("Enter")
    if (unpacked.parent / "site/_static/transformer_lab/words/notices.txt").exists():
        expect(widget.get_by_role("button", name="Load translator")).to_be_visible()
    else:
        expect(widget.get_by_role("alert")).to_contain_text("came without the models")

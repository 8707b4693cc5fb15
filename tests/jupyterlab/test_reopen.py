"""The chapter restarted, reloaded, and with its kernel gone: nothing is lost, nothing lies."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_scaling_explorer import expect_torch

FIGURES = '.jp-OutputArea-output[data-mime-type="image/svg+xml"] img'
EXPLORER = ".tl-scaling-explorer"
#: Give the text of a notice, once it is to be seen.
NOTICE = """picture => {
    const { content, visibility } = getComputedStyle(picture, "::before");
    return content !== "none" && visibility === "visible" && content;
}"""


pytestmark = pytest.mark.slow  # a chapter is run from its start, and its page loaded three times


@pytest.fixture(scope="module")
def chapter(open_notebook):
    notebook = open_notebook("book/attention.ipynb")
    notebook.restart_and_run_all()
    return notebook


def save(chapter):
    chapter.page.keyboard.press("Control+s")
    chapter.wait_until_saved()


def moves(chapter):
    widget = chapter.page.locator(EXPLORER)
    widget.scroll_into_view_if_needed()
    slider = widget.get_by_role("slider").first
    slider.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "512")
    expect(widget.locator(".tl-main")).to_have_attribute("aria-busy", "false")
    expect_torch(widget, 512, 1)
    return widget


def reopen_without_kernel(chapter):
    """End the kernel and reload; give the explorer."""
    chapter.menu("Kernel", "kernelmenu:shutdown")
    expect(chapter.page.locator("#jp-main-statusbar")).to_contain_text("No Kernel")
    return chapter.reload_to(EXPLORER)


def test_after_a_restart_everything_runs_again(chapter):
    assert chapter.errors() == []
    moves(chapter)


def test_without_its_kernel_the_last_picture_stays_and_says_what_to_do(chapter):
    figures = chapter.page.locator(FIGURES).count()
    moves(chapter)
    save(chapter)
    widget = reopen_without_kernel(chapter)
    expect(chapter.page.locator(FIGURES)).to_have_count(figures)
    widget.scroll_into_view_if_needed()
    expect_torch(widget, 512, 1)
    widget.get_by_role("slider").first.press("Home")
    picture = widget.locator(".tl-main")
    expect(picture).to_have_attribute("aria-busy", "true")
    notice = chapter.page.wait_for_function(NOTICE, arg=picture.element_handle())
    assert "run the cell again" in notice.json_value()
    expect_torch(widget, 512, 1)
    assert chapter.errors() == []

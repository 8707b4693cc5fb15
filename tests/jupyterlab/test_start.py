"""What greets a learner, and whom JupyterLab never asks."""

import pytest
from playwright.sync_api import expect

from tests.jupyterlab.notebook import PATIENCE


@pytest.mark.slow  # two kernels and two pages of their own
def test_the_first_thing_to_see_is_the_chapter(lab, open_page):
    page = open_page(f"{lab.url}/?token={lab.token}")
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible(
        timeout=PATIENCE
    )
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=PATIENCE)
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0
    text = page.locator(".jp-RenderedMarkdown p", has_text="You know at once that")
    assert text.bounding_box()["width"] <= 40 * 17, "the book's measure, from .jupyter/custom"
    faces = page.evaluate(
        "() => [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)"
    )
    assert {"Source Serif 4", "Source Sans 3"} <= {face.strip('"') for face in faces}
    page.get_by_role("link", name="the exercise").first.click()
    expect(page.get_by_role("heading", name="Exercise: attention")).to_be_visible()


@pytest.mark.slow  # JupyterLab's own settings
def test_jupyterlab_asks_nobody_for_news_or_extensions(lab, open_page):
    page = open_page("about:blank")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{lab.url}/lab?reset&token={lab.token}")
    page.get_by_role("tab", name="Extension Manager").click()
    page.get_by_text("Extension installation is disabled").or_(
        page.locator(".jp-extensionmanager-view")
    ).first.wait_for()
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "/lab/api/news" in url or "/lab/api/update" in url]

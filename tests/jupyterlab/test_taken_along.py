"""Work from an exercise's page, opened in JupyterLab, changed there, and brought back."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_kept import OTHER, SOLVED, Work
from tests.browser.test_laboratory import ATTENTION
from tests.chromium import SITE

pytestmark = pytest.mark.slow  # what is not JupyterLab's of it stands in tests/browser/test_kept.py


def test_an_answer_from_a_page_is_changed_in_jupyterlab_and_brought_back(
    lab, open_page, open_notebook
):
    work = Work(open_page(f"{SITE.as_uri()}/{ATTENTION}"))
    work.write("scores", SOLVED["attention-scores"])
    folder = lab.folder / "from a page"
    folder.mkdir()
    taken = work.saved("Save as notebook", folder)
    notebook = open_notebook(f"{folder.name}/{taken.name}")
    answer = notebook.cell("def scores(").locator(".cm-content")
    expect(answer).to_contain_text("transpose")
    answer.click()
    notebook.page.keyboard.press("Control+a")
    notebook.page.keyboard.insert_text(OTHER)
    notebook.page.keyboard.press("Control+s")
    notebook.wait_until_saved()
    work.brings(taken)
    expect(work.status).to_contain_text("1 answer came from it, and nothing was run.")
    assert work.text("scores") == OTHER

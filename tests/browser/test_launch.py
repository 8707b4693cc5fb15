"""The bar below each title: it downloads the notebook, from a server and from a folder."""

import pytest

from tests.chromium import SITE


@pytest.mark.parametrize("page", ["book/attention", "exercises/attention"])
def test_download_saves_the_notebook(open_page, site, page):
    opened, downloads = open_page(f"{site}/{page}.html"), []
    opened.on("download", lambda download: downloads.append(download))
    with opened.expect_download() as saving:
        opened.get_by_role("link", name="Download the notebook").click()
    assert saving.value.suggested_filename == "attention.ipynb"
    assert saving.value.path().read_bytes() == (SITE / f"notebooks/{page}.ipynb").read_bytes()
    opened.reload()
    assert len(downloads) == 1


def test_without_scripts_a_server_hands_out_the_notebook(open_page, served):
    opened = open_page(f"{served}/book/attention.html", java_script_enabled=False)
    with opened.expect_download() as saving:
        opened.get_by_role("link", name="Download the notebook").click()
    assert saving.value.suggested_filename == "attention.ipynb"
